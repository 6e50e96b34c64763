"""Pictures for tests: drawn scenes, and what a camera makes of them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 240, 320
Scene = NDArray[np.float64]
Image = NDArray[np.uint8]


def scene(seed: int) -> Scene:
    """A room of 25 things of random colours, as (240, 320, 3) light values of about 0 to 250."""
    random = np.random.default_rng(seed)
    across = np.linspace(40 + 60 * random.random(), 120 + 80 * random.random(), WIDTH)[None, :, None]
    image: Scene = across * np.ones((HEIGHT, 1, 3)) * (0.6 + 0.4 * random.random(3))
    for _ in range(25):
        x, y, wide, high = (int(n) for n in (*random.integers(0, [WIDTH, HEIGHT]), *random.integers(8, 80, 2)))
        colour = random.integers(10, 245, 3).tolist()
        if random.random() < 0.5:
            cv2.rectangle(image, (x, y), (x + wide, y + high), colour, -1)
        else:
            cv2.ellipse(image, (x, y), (wide // 2 + 2, high // 2 + 2), 0, 0, 360, colour, -1)
    return np.asarray(cv2.GaussianBlur(image, (5, 5), 1.2), np.float64)


def with_object(image: Scene, share: float, *, left: float, top: float, colour: tuple[int, int, int]) -> Scene:
    """`image` with a box of `share` of its width and height, at shares `left` and `top`."""
    drawn = image.copy()
    x, y = int(left * WIDTH), int(top * HEIGHT)
    drawn[y : y + int(share * HEIGHT), x : x + int(share * WIDTH)] = colour
    return drawn


def taken(image: Scene, *, seed: int = 0, noise: float = 6, tint: tuple[float, float, float] = (1, 1, 1)) -> Image:
    """`image` as a camera's JPEG shows it: noise of this sigma, each colour times its `tint`."""
    light = image * np.array(tint) + np.random.default_rng(seed).normal(0, noise, image.shape)
    rgb = np.clip(light, 0, 255).astype(np.uint8)
    good, jpeg = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 70])
    assert good
    decoded = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.ascontiguousarray(decoded[:, :, ::-1]).astype(np.uint8)
