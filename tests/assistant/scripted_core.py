"""A core that is ready at once, offers a model, has it as soon as it is wanted, and takes its time to answer.

It keeps what it is told in FILE, its first argument: one JSON object a line, and `{"core": N}` at each start.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from websockets.sync.server import ServerConnection, serve

ANSWER_S = 1.0
OFFER = {
    "name": "gemma-4-e2b",
    "model": "Gemma 4 E2B",
    "lines": ["2.6 GB"],
    "left_bytes": 26,
    "came_bytes": 0,
    "free_bytes": 99,
    "licences": ["Apache-2.0"],
    "fits": True,
}


def main() -> None:
    file = Path(sys.argv[1])
    earlier = file.read_text().count('"core"') if file.exists() else 0
    keep = threading.Lock()

    def note(message: dict[str, Any]) -> None:
        with keep, file.open("a") as log:
            log.write(json.dumps(message) + "\n")

    note({"core": earlier + 1})
    profile = "gemma" if earlier else "lite"

    def talk(connection: ServerConnection) -> None:
        def say(kind: str, **fields: Any) -> None:
            connection.send(json.dumps({"type": kind, **fields}))

        def answer(metadata: dict[str, str]) -> None:
            response: dict[str, Any] = {"id": "resp_1", "metadata": metadata, "output_modalities": ["text"]}
            place = {"response_id": "resp_1", "item_id": "item_1"}
            say("response.created", response={**response, "parlor_item_id": "item_1"})
            time.sleep(ANSWER_S)
            say("response.output_text.delta", **place, delta="An answer.")
            output = [{"id": "item_1", "content": [{"type": "output_text", "text": "An answer."}]}]
            say("response.done", response={**response, "status": "completed", "output": output})

        parlor = {"profile": profile, "demo_grade": not earlier}
        say("session.created", session={"id": "sess_1", "model": profile, "parlor": parlor})
        say("parlor.ready", load_ms=1.0, profile=profile, model=profile, hears=False, sees=False)
        if not earlier:
            say("parlor.models.offer", **OFFER)
        for text in connection:
            message = json.loads(text)
            note(message)
            if message["type"] == "response.create":
                threading.Thread(target=answer, args=(message["response"]["metadata"],)).start()
            elif message["type"] == "parlor.models.get":
                over = {"name": OFFER["name"], "model": OFFER["model"], "outcome": "got", "text": "it is here"}
                say("parlor.models.over", **over)

    json.loads(sys.stdin.readline())
    with serve(talk, "127.0.0.1", 0) as server:
        sys.stdout.write(json.dumps({"port": server.socket.getsockname()[1]}) + "\n")
        sys.stdout.flush()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
