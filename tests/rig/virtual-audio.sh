#!/usr/bin/env bash
# A private PulseAudio server with a virtual microphone and speaker: unmodified PortAudio code sees a default input and output
# on a Linux machine without a sound card. Needs pulseaudio, pulseaudio-utils and libasound2-plugins.
#
#   eval "$(tests/rig/virtual-audio.sh start)"   speaker and microphone; prints the exports; may be run again
#   virtual-audio.sh start --echo 60 -12         the speaker leaks into the microphone as well: extra ms, gain in dB
#   virtual-audio.sh echo 60 -12 | echo off      switch the leak while running
#   virtual-audio.sh lose-mic | lose-mic-bus | restore-mic | lose-speaker | restore-speaker
#   virtual-audio.sh kill-server [KILL|STOP|CONT]
#   virtual-audio.sh status | env | stop
#
#   paplay -d virtual_mic_in user.wav            speaks into the microphone
#   parec -d virtual_speaker.monitor             hears what the speaker plays
#
# Everything lives in $VIRTUAL_AUDIO_DIR (default /tmp/virtual-audio-UID), which keeps two servers apart: no dbus, no
# systemd, no file of the system. To talk by hand on a machine with a sound card none of this is needed.
set -euo pipefail
DIR=${VIRTUAL_AUDIO_DIR:-/tmp/virtual-audio-$(id -u)}
SPEAKER=virtual_speaker      # sink the app plays to
SPEAKER_RATE=${VIRTUAL_AUDIO_RATE:-48000}
MICBUS=virtual_mic_in        # sink a test plays into (paplay -d virtual_mic_in user.wav)
MIC=virtual_mic              # source the app records from
PIDFILE=$DIR/pulse/pid
export PULSE_RUNTIME_PATH=$DIR/pulse PULSE_STATE_PATH=$DIR/state PULSE_CONFIG_PATH=$DIR/config
export PULSE_SERVER=unix:$DIR/pulse/native HOME=$DIR/home XDG_RUNTIME_DIR=$DIR PULSE_COOKIE=$DIR/cookie
unset DBUS_SESSION_BUS_ADDRESS DISPLAY || true

print_env() {
  cat <<E
export PULSE_SERVER=$PULSE_SERVER
export PULSE_RUNTIME_PATH=$PULSE_RUNTIME_PATH
export PULSE_COOKIE=$PULSE_COOKIE
export ALSA_CONFIG_PATH=$DIR/asound.conf
export VIRTUAL_AUDIO_DIR=$DIR
E
}
alive() { pactl info >/dev/null 2>&1; }
mod() { pactl load-module "$@"; }                      # prints the index
has_sink()   { pactl list short sinks   | cut -f2 | grep -qx "$1"; }
has_source() { pactl list short sources | cut -f2 | grep -qx "$1"; }
unload_where() {  # unload modules whose line matches $1
  { pactl list short modules | grep -E "$1" || true; } | cut -f1 | while read -r m; do pactl unload-module "$m"; done; }

add_speaker() { has_sink $SPEAKER || mod module-null-sink sink_name=$SPEAKER rate=$SPEAKER_RATE channels=2 \
    sink_properties=device.description=Virtual_Speaker >/dev/null; keepalive_one $SPEAKER; pactl set-default-sink $SPEAKER; }
add_mic() {
  has_sink $MICBUS || mod module-null-sink sink_name=$MICBUS rate=$SPEAKER_RATE channels=1 \
    sink_properties=device.description=Virtual_Mic_Bus >/dev/null
  keepalive_one $MICBUS
  has_source $MIC || mod module-remap-source source_name=$MIC master=$MICBUS.monitor channels=1 remix=no \
    source_properties=device.description=Virtual_Microphone >/dev/null
  pactl set-default-source $MIC; }
# An idle null sink sleeps in 2 s periods: without a standing low-latency reader a new recording gets its first block up
# to 1.8 s late. A loopback of each monitor into a sink nobody hears keeps the period at 20 ms.
keepalive_one() { pactl list short modules | grep -q "module-loopback.*source=$1.monitor sink=virtual_void" || \
    mod module-loopback source="$1.monitor" sink=virtual_void latency_msec=20 adjust_time=0 source_dont_move=true sink_dont_move=true >/dev/null; }
keepalive() { has_sink virtual_void || mod module-null-sink sink_name=virtual_void channels=1 sink_properties=device.description=Void >/dev/null; }
echo_off() { unload_where "module-loopback.*sink=$MICBUS"; }
echo_on() { # extra delay ms, gain dB
  local ms=$1 db=$2 idx
  echo_off
  mod module-loopback source=$SPEAKER.monitor sink=$MICBUS latency_msec="$ms" adjust_time=0 \
     source_dont_move=true sink_dont_move=true sink_input_properties=media.name=echo_leak >/dev/null
  idx=$(pactl list sink-inputs | awk '/^Sink Input/{i=substr($3,2)} /media.name = "echo_leak"/{print i}')
  pactl set-sink-input-volume "$idx" "${db}dB"; }

start() {
  if ! alive; then
    rm -rf "$DIR/pulse"; mkdir -p "$DIR"/{pulse,state,config,home}; chmod 700 "$DIR" "$DIR/pulse"
    cat > "$DIR/default.pa" <<E
load-module module-native-protocol-unix auth-anonymous=1 socket=$DIR/pulse/native
E
    cat > "$DIR/daemon.conf" <<E
exit-idle-time = -1
flat-volumes = no
realtime-scheduling = no
high-priority = no
default-sample-format = s16le
default-sample-rate = 48000
resample-method = speex-float-3
E
    mkdir -p "$DIR/config"; cp "$DIR/daemon.conf" "$DIR/config/daemon.conf"
    # ALSA: the stock configuration of the distribution, with the default PCM and CTL sent to pulse and no hw cards.
    cat > "$DIR/asound.conf" <<E
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse server "$PULSE_SERVER" }
ctl.!default { type pulse server "$PULSE_SERVER" }
E
    pulseaudio -n -F "$DIR/default.pa" --daemonize=no --exit-idle-time=-1 --disallow-exit=no --use-pid-file=no \
      --log-target=file:"$DIR/pulse.log" --log-level=notice </dev/null >"$DIR/pulse.out" 2>&1 &
    echo $! > "$PIDFILE"; disown
    for _ in $(seq 100); do alive && break; sleep 0.05; done
    alive || { echo "pulseaudio did not start; see $DIR/pulse.log $DIR/pulse.out" >&2; cat "$DIR/pulse.log" "$DIR/pulse.out" >&2; exit 1; }
  fi
  keepalive; add_speaker; add_mic
  if [ "${1:-}" = --echo ]; then echo_on "${2:-60}" "${3:--12}"; fi
  print_env
}
kill_server() { # only our own daemon, by its pid
  local s=${1:-TERM} p; p=$(cat "$PIDFILE" 2>/dev/null || true)
  [ -n "$p" ] && [ "$(cat /proc/"$p"/comm 2>/dev/null)" = pulseaudio ] || return 0
  kill -"$s" "$p" 2>/dev/null || true; [ "$s" = STOP ] || [ "$s" = CONT ] || for _ in $(seq 100); do kill -0 "$p" 2>/dev/null || break; sleep 0.05; done; }

case "${1:-}" in
  start) shift; start "$@";;
  stop) kill_server; rm -rf "$DIR/pulse";;
  kill-server) kill_server "${2:-KILL}";;      # STOP / CONT: a device that hangs without an error
  env) print_env;;
  echo) shift; if [ "${1:-}" = off ]; then echo_off; else echo_on "${1:-60}" "${2:--12}"; fi;;
  lose-mic) unload_where "module-remap-source.*source_name=$MIC( |$)";;
  lose-mic-bus) unload_where "sink_name=$MICBUS( |$)";;
  restore-mic) add_mic;;
  lose-speaker) unload_where "module-null-sink.*sink_name=$SPEAKER( |$)";;
  restore-speaker) add_speaker;;
  status) if alive; then pactl info | grep -E 'Server (Name|Version)|Default'; pactl list short modules; pactl list short sinks; pactl list short sources; else echo down; exit 3; fi;;
  *) sed -n 2,17p "$0" >&2; exit 2;;
esac
