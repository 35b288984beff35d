"""The weights of `train_lists.py` as the reranker's int8 ONNX file: `python3 to_onnx.py SHIPPED OUT PARTS…`. Needs onnx and NumPy alone.

The graph is that of the model which ships; each table takes the place of the one it had. Sets of parts are joined by a comma, and the weights of
several runs are averaged: `a.part0,a.part1 b.part0,b.part1`.
"""

import json
import re
import struct
import sys

import numpy
import onnx
from onnx import numpy_helper

ZERO = 128


def read_weights(paths):
    """What `save_bytes` of bert.py wrote."""
    whole = b"".join(open(path, "rb").read() for path in sorted(paths))
    size = struct.unpack("<Q", whole[:8])[0]
    head, body = json.loads(whole[8:8 + size]), whole[8 + size:]
    read = {
        key: numpy.frombuffer(body, dtype=one["type"], count=int(numpy.prod(one["shape"])), offset=one["at"]).astype(numpy.float32).reshape(one["shape"])
        for key, one in head.items()
    }
    plain = {key: value for key, value in read.items() if not key.endswith((".bytes", ".scales"))}
    return plain | {key.removesuffix(".bytes"): read[key] * read[key.removesuffix(".bytes") + ".scales"] for key in read if key.endswith(".bytes")}


def weight_of(state, layer, name):
    """A layer's weight, inputs × outputs, by the graph's name of it."""
    own = f"layers.{layer}."
    if name.startswith("attention/self/"):
        part = ("query", "key", "value").index(name.split("/")[2])
        return state[own + "qkv.weight"][part * 384:(part + 1) * 384].T
    ours = {"attention/output/dense": "out", "intermediate/dense": "up", "output/dense": "down"}[name]
    return state[f"{own}{ours}.weight"].T


def plain_of(state, name):
    """What stays a float, by its name in the file."""
    fixed = {
        "model.embeddings.position_embeddings.weight": "positions.weight", "model.embeddings.token_type_embeddings.weight": "kinds.weight",
        "model.embeddings.LayerNorm.weight": "norm.weight", "model.embeddings.LayerNorm.bias": "norm.bias",
    }
    if name in fixed:
        return state[fixed[name]]
    found = re.fullmatch(r"model\.encoder\.layer\.(\d)\.(.+)\.(weight|bias)", name)
    if found is None:
        return None
    layer, part, kind = found.groups()
    if part.startswith("attention.self."):
        at = ("query", "key", "value").index(part.rsplit(".", 1)[1])
        return state[f"layers.{layer}.qkv.{kind}"][at * 384:(at + 1) * 384]
    ours = {"attention.output.dense": "out", "attention.output.LayerNorm": "first", "intermediate.dense": "up", "output.dense": "down", "output.LayerNorm": "second"}[part]
    return state[f"layers.{layer}.{ours}.{kind}"]


def main(shipped, out, *runs):
    states = [read_weights(run.split(",")) for run in runs]
    state = {key: sum(one[key] for one in states) / len(states) for key in states[0]}
    model = onnx.load(shipped)
    new = {}
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            layer, name = re.search(r"layer\.(\d)/(.+)/MatMul", node.output[0]).groups()
            add_bytes(new, node.input[1].removesuffix(".bytes"), weight_of(state, layer, name), 0, ZERO)
    add_bytes(new, "model.embeddings.word_embeddings.weight", state["words.weight"], 1, 0)
    for at, tensor in enumerate(model.graph.initializer):
        values = new.get(tensor.name, plain_of(state, tensor.name))
        if values is None:
            assert tensor.name == "zero", tensor.name
            continue
        assert list(values.shape) == list(tensor.dims), tensor.name
        model.graph.initializer[at].CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(values), tensor.name))
    onnx.save(model, out)


def add_bytes(new, name, values, axis, zero):
    scales = numpy.maximum(numpy.abs(values).max(axis=axis, keepdims=True), 1e-12).astype(numpy.float32) / 127
    new[name + ".bytes"] = (numpy.round(values / scales).astype(numpy.int16) + zero).astype(numpy.uint8 if zero else numpy.int8)
    new[name + ".scales"] = scales


if __name__ == "__main__":
    main(*sys.argv[1:])
