"""The child process that downloads files from a Hugging Face hub; run as a program, of which others use `part_of`.

`hf_hub_download` starts every try at zero, in a file of its own name, and reads in steps of 10 MB: this keeps what came
and goes on from there, also after a kill. What it is to do comes as JSON in its only argument; it says on standard
output `ready`, `answered`, `failed: REASON`, and `stated JSON` if the revision is there no more and another is taken.
It ends when its standard input closes, that is, when its parent is gone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

CHUNK_BYTES = 1 << 16
ASKED_BYTES = 1_000_000
"""A file of this size is worth a question first: the hub tells its sha256, and other bytes are refused unread."""


def part_of(target: Path, sha256: str) -> Path:
    """The file in which what came so far of `target` is kept; of other bytes it is another file."""
    return target.with_name(f"{target.name}.{sha256[:16]}.part")


def main() -> int:
    """Download what the argument says; 0 when all of it is there."""
    job = json.loads(sys.argv[1])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        from huggingface_hub import constants
        from huggingface_hub.errors import RevisionNotFoundError

        constants.DOWNLOAD_CHUNK_SIZE = (
            CHUNK_BYTES  # seen on disk at once: progress, stall detection and resume need it
        )
        _say("ready")
        try:
            _download_all(job)
        except RevisionNotFoundError:
            job = _newest(job)
            files = [[file["name"], file["size_bytes"], file["sha256"]] for file in job["files"]]
            _say("stated " + json.dumps({"revision": job["revision"], "files": files}))
            _download_all(job)
    except Exception as error:  # noqa: BLE001 - the edge of this process: whatever the client raises becomes one line
        _say("failed: " + _reason(error, job))
        return 1
    return 0


def _download_all(job: dict[str, Any]) -> None:
    for number, file in enumerate(job["files"]):
        _download(job, file, ask=number == 0 or file["size_bytes"] >= ASKED_BYTES)


def _newest(job: dict[str, Any]) -> dict[str, Any]:
    """The job for the repository's newest revision, with what the hub states about its files.

    Raises ValueError if a file is there no more, or is another one and the job does not follow its publisher.
    """
    from huggingface_hub import HfApi

    about = HfApi().model_info(job["repo"], files_metadata=True, timeout=job["connect_s"])
    there = {sibling.rfilename: sibling for sibling in about.siblings or ()}
    files = []
    for file in job["files"]:
        sibling = there.get(file["path"])
        if sibling is None:
            raise ValueError(f"{job['repo']} holds {file['path']} no more")
        size_bytes, sha256 = file["size_bytes"], file["sha256"]
        if sibling.lfs is not None:  # of small files kept by git itself the hub states no sha256
            size_bytes, sha256 = sibling.lfs.size, sibling.lfs.sha256
        if not job["follows"] and sha256 != file["sha256"]:
            raise ValueError(f"{file['path']} has other bytes there than those published")
        files.append({**file, "size_bytes": size_bytes, "sha256": sha256})
    return {**job, "revision": about.sha, "files": files}


def _download(job: dict[str, Any], file: dict[str, Any], *, ask: bool) -> None:
    from huggingface_hub import get_hf_file_metadata, get_token, hf_hub_url
    from huggingface_hub.file_download import http_get

    headers = {"Accept-Encoding": "identity"}  # packed text cannot be gone on from
    token = get_token()
    if token:
        headers["Authorization"] = f"Bearer {token}"
    url = hf_hub_url(job["repo"], file["path"], revision=job["revision"])
    if ask:
        about = get_hf_file_metadata(url, timeout=job["connect_s"])
        _say("answered")
        if about.size not in (None, file["size_bytes"]):
            raise ValueError(f"{file['path']} has {about.size} bytes there, not the {file['size_bytes']} published")
        if re.fullmatch(r"[0-9a-f]{64}", about.etag or "") and about.etag != file["sha256"]:
            raise ValueError(f"{file['path']} has other bytes there than those published")
    part, size_bytes = part_of(Path(file["target"]), file["sha256"]), file["size_bytes"]
    part.touch()
    anew = part.stat().st_size == 0
    while True:
        kept_bytes = part.stat().st_size
        try:
            if kept_bytes < size_bytes:
                with part.open("r+b") as target:
                    target.seek(0, os.SEEK_END)
                    http_get(url, target, resume_size=kept_bytes, headers=headers, expected_size=size_bytes)
        except Exception:  # not every version of the client goes on by itself, and which error it is differs
            if kept_bytes < part.stat().st_size < size_bytes:
                continue
            if anew or part.stat().st_size <= size_bytes:
                raise
        if part.stat().st_size == size_bytes and _sha256(part) == file["sha256"]:
            part.replace(file["target"])
            return
        os.truncate(part, 0)
        if anew:
            raise ValueError(f"{file['path']} has other bytes there than those published")
        anew = True  # what was kept may have been damaged by a power cut; a whole download has no such excuse


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(error: Exception, job: dict[str, Any]) -> str:
    from huggingface_hub import constants

    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    log_in = "log in (`hf auth login`, or HF_TOKEN)"
    accept = f"accept its licence at {constants.ENDPOINT}/{job['repo']} and {log_in}"
    known = {
        "RepositoryNotFoundError": f"there is no {job['repo']}, or it is private: {log_in}",
        "GatedRepoError": f"{job['repo']} is gated: {accept}",
        "RevisionNotFoundError": f"{job['repo']} has no revision {job['revision']}",
        "EntryNotFoundError": f"{job['repo']} lacks a file",
        "RemoteEntryNotFoundError": f"{job['repo']} lacks a file",
        "OfflineModeIsEnabled": "offline mode is on (HF_HUB_OFFLINE)",
    }
    refused = {401: f"the hub refuses your token: {log_in} anew", 403: f"access to {job['repo']} is refused: {accept}"}
    status = getattr(getattr(error, "response", None), "status_code", 0)
    return known.get(type(error).__name__) or refused.get(status) or (lines[0] if lines else type(error).__name__)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    while os.read(0, 4096):  # of sys.stdin a lock would be held, on which the interpreter's own end may abort
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
