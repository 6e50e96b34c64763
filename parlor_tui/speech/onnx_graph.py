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


def blended(model: bytes, operator: str, share: str, suffix: str) -> tuple[bytes, list[str]]:
    """`model` in which whatever `operator` makes is `share` times that, plus an input; and the names of those tensors.

    They become outputs too. The input for each has its name with `suffix`, and three axes which can be of length 1;
    `share` names one more input, a single number. All are float32. Raises CannotCut.
    """
    names: list[str] = []
    written: list[bytes] = []
    try:
        for number, kind, value in _fields(memoryview(model)):
            if (number, kind) == (_MODEL_GRAPH, _BYTES):
                graph = [_written(_INPUT, _value(share.encode(), 0))]
                for field in _fields(value):
                    name = _made_by(field, operator.encode())
                    graph += _blended(field, name, share.encode(), suffix.encode()) if name else [_again(field)]
                    names += [name.decode()] if name else []
                written.append(_written(_MODEL_GRAPH, b"".join(graph)))
            else:
                written.append(_again((number, kind, value)))
    except (IndexError, ValueError) as error:
        raise CannotCut("it is no ONNX model") from error
    if not names:
        raise CannotCut(f"it has no {operator}")
    return b"".join(written), names


def _made_by(field: Field, operator: bytes) -> bytes:
    """What a node of that kind makes; empty for everything else in a graph."""
    if field[0] != _NODE:
        return b""
    node = list(_fields(field[2]))
    if not any(of == _NODE_OPERATOR and name == operator for of, _, name in node):
        return b""
    return next((bytes(name) for of, _, name in node if of == _NODE_OUTPUT), b"")


def _blended(field: Field, name: bytes, share: bytes, suffix: bytes) -> list[bytes]:
    """The node in `field`, which makes `name`, and behind it those that blend it."""
    own, part_of = name + b"/own", name + b"/part"
    node = [(of, kind, memoryview(own) if of == _NODE_OUTPUT else value) for of, kind, value in _fields(field[2])]
    return [
        _written(_NODE, b"".join(map(_again, node))),
        _written(_NODE, _node(b"Mul", [own, share], part_of)),
        _written(_NODE, _node(b"Add", [part_of, name + suffix], name)),
        _written(_INPUT, _value(name + suffix, 3)),
        _written(_OUTPUT, _value(name, None)),
    ]


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


def _node(operator: bytes, inputs: list[bytes], output: bytes) -> bytes:
    fields = [(_NODE_INPUT, name) for name in inputs] + [(_NODE_OUTPUT, output), (_NODE_OPERATOR, operator)]
    return b"".join(_written(number, text) for number, text in fields)


def _again(field: Field) -> bytes:
    number, kind, value = field
    return _written(number, value, kind)


def _value(name: bytes, axes: int | None) -> bytes:
    """A ValueInfoProto of float32; each axis has a length of its own, which is not known."""
    tensor = _written(1, _varint(_FLOAT), _VARINT)
    if axes is not None:
        sizes = [_written(1, _written(2, name + b"/%d" % axis)) for axis in range(axes)]
        tensor += _written(2, b"".join(sizes))
    return _written(_VALUE_NAME, name) + _written(2, _written(1, tensor))
