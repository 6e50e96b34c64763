"""A core that starts at once, for tests of what surrounds cores: it greets each client, and does nothing else."""

from __future__ import annotations

import json
import sys
import threading

from websockets.sync.server import ServerConnection, serve


def greet(connection: ServerConnection) -> None:
    connection.send(json.dumps({"type": "session.created", "session": {"id": "sess_1", "model": "none"}}))
    for _ in connection:
        pass


def main() -> None:
    json.loads(sys.stdin.readline())
    with serve(greet, "127.0.0.1", 0) as server:
        sys.stdout.write(json.dumps({"port": server.socket.getsockname()[1]}) + "\n")
        sys.stdout.flush()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
