"""The model file, as `src/static-model.ts` reads it: a JSON header, a scale a piece, a row of int8 a piece."""

import json
import struct

import numpy


def read(path):
    """The header, the pieces, and their vectors as floats."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<I", content[:4])
    header = json.loads(content[4:4 + length])
    pieces = header.pop("pieces").split("\n")
    start = 4 + length + -(4 + length) % 4
    scale = numpy.frombuffer(content, numpy.float32, len(pieces), start)
    rows = numpy.frombuffer(content, numpy.int8, len(pieces) * header["dimensions"], start + 4 * len(pieces))
    return header, pieces, rows.reshape(len(pieces), -1) * scale[:, None]


def write(header, pieces, table, path):
    scale = numpy.maximum(numpy.abs(table).max(1), 1e-8).astype(numpy.float32) / 127
    rows = numpy.clip(numpy.rint(table / scale[:, None]), -127, 127).astype(numpy.int8)
    text = json.dumps({**header, "pieces": "\n".join(pieces)}, ensure_ascii=False).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<I", len(text)) + text + b"\0" * (-(4 + len(text)) % 4))
        file.write(scale.tobytes() + rows.tobytes())
