# What .setup/start and .setup/test share. Sourced, never run. Needs ROOT: the checkout's folder.

say() { printf 'parlor-tui setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 3; }

# Install Debian packages, as far as they are missing and this user may. Returns 1 if some are still missing.
debian_packages() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
            *' installed') ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        as_root=env
    elif command -v sudo >/dev/null 2>&1; then
        as_root=sudo
        [ -t 0 ] || as_root='sudo -n' # nobody can type a password
    else
        say "some system packages are missing; as root: apt-get install --no-install-recommends$missing"
        return 1
    fi
    say "installing system packages:$missing"
    # shellcheck disable=SC2086 # lists of words
    if $as_root apt-get update -q >&2 &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2; then
        return 0
    fi
    say "that failed; as root: apt-get install --no-install-recommends$missing"
    return 1
}

# Print the first python3 that is 3.11 or later and can make environments.
find_python() {
    for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
        path=$(command -v "$name" 2>/dev/null) || continue
        if "$path" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$path"
            return 0
        fi
    done
    return 1
}

# Set PYTHON, installing Debian's if there is none that will do.
need_python() {
    PYTHON=$(find_python) && return 0
    if command -v apt-get >/dev/null 2>&1; then
        debian_packages python3 python3-venv || true
        PYTHON=$(find_python) && return 0
    fi
    die "needs Python 3.11 or later with its venv module (macOS: brew install python@3.13; Fedora: dnf install python3)"
}

# Install PortAudio where the system has to bring it. Without it the app still starts, for typing.
need_portaudio() {
    [ "$(uname -s)" = Linux ] || return 0 # on macOS and Windows the sounddevice wheel carries it
    "$PYTHON" -c 'import ctypes.util, sys; sys.exit(not ctypes.util.find_library("portaudio"))' && return 0
    if command -v apt-get >/dev/null 2>&1; then
        debian_packages libportaudio2 || say "without PortAudio there is no microphone or speaker; typing works"
    else
        say "no PortAudio: no microphone or speaker until it is installed (Fedora: dnf install portaudio, Arch: pacman -S portaudio)"
    fi
}

# fingerprint PATH...: a number that changes when any file under the paths does (relative to ROOT).
fingerprint() {
    (cd "$ROOT" && find "$@" -type f ! -path '*/__pycache__/*' -exec cksum {} + | LC_ALL=C sort | cksum)
}

# Make .venv, unless there is one that works.
need_venv() {
    VENV=$ROOT/.venv
    "$VENV/bin/python" -c 'import pip' 2>/dev/null && return 0
    say "making $VENV with $PYTHON"
    "$PYTHON" -m venv --clear "$VENV"
}

# pip_install ARGUMENT...: into .venv; with progress bars where somebody can see them.
pip_install() {
    quiet=-q
    if [ -t 2 ]; then quiet=; fi
    # shellcheck disable=SC2086 # an option or none
    "$VENV/bin/python" -m pip install --disable-pip-version-check $quiet "$@" >&2
}
