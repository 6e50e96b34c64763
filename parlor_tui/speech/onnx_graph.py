"""Cuts an ONNX model in parts, on its bytes: no package that could do it is needed where the model only runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""The kinds of field in protobuf's wire format."""
_MODEL_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _VALUE_INFO = 1, 5, 11, 12, 13
"""Fields of a graph."""
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR, _TENSOR_NAME, _VALUE_NAME = 1, 2, 4, 8, 1
_FLOAT = 1
_WITH_GRAPHS_INSIDE = (b"If", b"Loop", b"Scan")

Field = tuple[int, int, memoryview]
"""Number, kind, and the bytes: of a field of bytes what is inside, of the others the value as it is written."""


class CannotCut(Exception):  # noqa: N818 - the whole can still be used
    """The model has no such place, or is nothing that can be cut. The message is one line."""


def part(model: bytes, inputs: Mapping[str, int], outputs: Iterable[str]) -> bytes:
    """The part of `model` that makes `outputs` from `inputs` and from those inputs of its own that it needs.

    `inputs` are tensors of float32 inside the model, with their number of axes. Raises CannotCut.
    """
    wanted = [name.encode() for name in outputs]
    given = {name.encode(): axes for name, axes in inputs.items()}
    try:
        whole = list(_fields(memoryview(model)))
        graph = [field for number, kind, value in whole if (number, kind) == (_MODEL_GRAPH, _BYTES)
                 for field in _fields(value)]  # fmt: skip
        kept = _kept(graph, set(given), wanted)
    except (IndexError, ValueError) as error:
        raise CannotCut("it is no ONNX model") from error
    kept += [_written(_INPUT, _value(name, axes)) for name, axes in given.items()]
    kept += [_written(_OUTPUT, _value(name, None)) for name in wanted]
    head = [_written(number, value, kind) for number, kind, value in whole if number != _MODEL_GRAPH]
    return b"".join([*head, _written(_MODEL_GRAPH, b"".join(kept))])


def _kept(graph: list[Field], given: set[bytes], wanted: list[bytes]) -> list[bytes]:
    """The fields of the graph that the part needs, as they are written."""
    needed = set(wanted)
    kept: list[bytes] = []
    met: set[bytes] = set()
    # A graph's nodes stand in the order in which they run: whatever needs one comes behind it.
    for number, kind, value in reversed(graph):
        if number != _NODE:
            continue
        node = list(_fields(value))
        made = {bytes(name) for of, _, name in node if of == _NODE_OUTPUT}
        if not (made - given) & needed:
            continue
        if any(of == _NODE_OPERATOR and bytes(name) in _WITH_GRAPHS_INSIDE for of, _, name in node):
            raise CannotCut("it has branches")
        needed |= {bytes(name) for of, _, name in node if of == _NODE_INPUT}
        met |= made
        kept.insert(0, _written(number, value, kind))
    for number, kind, value in graph:
        named = {_INITIALIZER: _TENSOR_NAME, _INPUT: _VALUE_NAME}.get(number)
        if named is None:
            if number not in (_NODE, _OUTPUT, _VALUE_INFO):
                kept.append(_written(number, value, kind))
            continue
        name = next((bytes(text) for of, _, text in _fields(value) if of == named), b"")
        if name in needed and name not in given:
            met.add(name)
            kept.append(_written(number, value, kind))
    if lost := sorted(needed - met - given - {b""}):
        raise CannotCut(f"it has no {lost[0].decode(errors='replace')}")
    return kept


def _fields(message: memoryview) -> Iterator[Field]:
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        kind, start = key & 7, place
        if kind == _BYTES:
            length, start = _number(message, place)
            place = start + length
        elif kind == _VARINT:
            _, place = _number(message, place)
        elif kind in (_FIXED64, _FIXED32):
            place += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(kind)
        if place > len(message):
            raise IndexError(place)
        yield key >> 3, kind, message[start:place]


def _number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _written(number: int, value: bytes | memoryview, kind: int = _BYTES) -> bytes:
    length = _varint(len(value)) if kind == _BYTES else b""
    return b"".join([_varint(number << 3 | kind), length, value])


def _value(name: bytes, axes: int | None) -> bytes:
    """A ValueInfoProto of float32; each axis has a length of its own, which is not known."""
    tensor = _written(1, _varint(_FLOAT), _VARINT)
    if axes is not None:
        sizes = [_written(1, _written(2, name + b"/%d" % axis)) for axis in range(axes)]
        tensor += _written(2, b"".join(sizes))
    return _written(_VALUE_NAME, name) + _written(2, _written(1, tensor))
