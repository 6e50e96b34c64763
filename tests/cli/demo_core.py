"""A core that says what it is asked to aloud, with espeak-ng, and answers every turn with the same words."""

from __future__ import annotations

import base64
import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import soundfile
from websockets.sync.server import ServerConnection, serve

from tests.speaking import make_utterance


def spoken(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        samples, _ = soundfile.read(make_utterance(text, Path(folder) / "line.wav"), dtype="int16")
    return base64.b64encode(samples.astype("<i2").tobytes()).decode()


def main() -> None:
    def talk(connection: ServerConnection) -> None:
        def say(kind: str, **fields: Any) -> None:
            connection.send(json.dumps({"type": kind, **fields}))

        say(
            "session.created",
            session={"id": "sess_1", "model": "toy", "parlor": {"profile": "lite", "demo_grade": True}},
        )
        say("parlor.ready", load_ms=1.0, profile="lite", model="toy", hears=False, sees=False)
        for text in connection:
            message = json.loads(text)
            if message["type"] == "parlor.speech.create":
                say("parlor.speech.delta", number=message["number"], delta=spoken(message["text"]))
                say("parlor.speech.done", number=message["number"], reason=sys.argv[1] if len(sys.argv) > 1 else "")
            elif message["type"] == "response.create":
                response = {"id": "resp", "metadata": message["response"]["metadata"], "output_modalities": ["text"]}
                say("response.created", response={**response, "parlor_item_id": "item"})
                say("response.output_text.delta", response_id="resp", item_id="item", delta="Yes.")
                output = [{"id": "item", "content": [{"type": "output_text", "text": "Yes."}]}]
                say("response.done", response={**response, "status": "completed", "output": output})

    json.loads(sys.stdin.readline())
    with serve(talk, "127.0.0.1", 0) as server:
        sys.stdout.write(json.dumps({"port": server.socket.getsockname()[1]}) + "\n")
        sys.stdout.flush()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
