"""A client that sends more than can be worked on: it is told so, and what it sent takes no more room than it may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import cv2
import numpy as np

from parlor_tui.core.session import Session
from parlor_tui.events import CoreError
from tests.core.unloaded import SECOND, unloaded

JPEG = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()


def flooded(flood: Callable[[Session], Awaitable[None]]) -> tuple[list[CoreError], int]:
    """What a session that still waits for its models says to all that, and how many tasks it has."""

    async def run() -> tuple[list[CoreError], int]:
        async with unloaded() as flooded:
            await flood(flooded.session)
            return flooded.errors(), len(asyncio.all_tasks())

    return asyncio.run(run())


def check(errors: list[CoreError], tasks: int) -> None:
    assert {error.code for error in errors} == {"server_busy"}
    assert tasks < 140


def test_pictures_and_speech_that_nobody_works_on_yet() -> None:
    async def flood(session: Session) -> None:
        for _ in range(300):
            session.add_item("user", "", picture=JPEG, event_id="mine")
            session.add_audio_item(SECOND)
            session.append(SECOND)
            session.commit()
            session.clear()

    errors, tasks = flooded(flood)
    check(errors, tasks)
    assert "mine" in {error.event_id for error in errors}


def test_requests_that_are_taken_back_leave_nothing() -> None:
    async def flood(session: Session) -> None:
        for number in range(500):
            session.respond(number)
            await asyncio.sleep(0)
            session.cancel()
            await asyncio.sleep(0)

    errors, tasks = flooded(flood)
    assert errors == []
    assert tasks < 20


def test_a_user_who_pauses_again_and_again_is_never_too_much() -> None:
    async def flood(session: Session) -> None:
        session.append(SECOND)
        for number in range(500):
            session.paused(1, number, answer=True)
            await asyncio.sleep(0)
            session.resumed()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        session.commit()

    errors, tasks = flooded(flood)
    assert errors == []
    assert tasks < 20
