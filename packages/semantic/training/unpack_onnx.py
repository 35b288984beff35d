"""The shipped reranker's weights for `train_lists.py --start shipped`: `python3 unpack_onnx.py SHIPPED.onnx OUT.npz`. Needs onnx and NumPy alone."""

import re
import sys

import numpy
import onnx
from onnx import numpy_helper

FIXED = {
    "model.embeddings.position_embeddings.weight": "positions.weight", "model.embeddings.token_type_embeddings.weight": "kinds.weight",
    "model.embeddings.LayerNorm.weight": "norm.weight", "model.embeddings.LayerNorm.bias": "norm.bias",
}
PLAIN = {"attention.output.dense": "out", "attention.output.LayerNorm": "first", "intermediate.dense": "up", "output.dense": "down", "output.LayerNorm": "second"}
WIDTH, LAYERS = 384, 6


def main(shipped, out):
    model = onnx.load(shipped)
    raw = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    weights = {}
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            layer, name = re.search(r"layer\.(\d)/(.+)/MatMul", node.output[0]).groups()
            key = node.input[1].removesuffix(".bytes")
            weights[layer, name] = ((raw[key + ".bytes"].astype(numpy.int16) - 128).astype(numpy.int8).T, raw[key + ".scales"].reshape(-1, 1))
    found = {"words.weight.bytes": raw["model.embeddings.word_embeddings.weight.bytes"], "words.weight.scales": raw["model.embeddings.word_embeddings.weight.scales"]}
    found |= {ours: raw[theirs] for theirs, ours in FIXED.items()}
    for layer in range(LAYERS):
        parts = [weights[str(layer), f"attention/self/{part}"] for part in ("query", "key", "value")]
        found[f"layers.{layer}.qkv.weight.bytes"] = numpy.concatenate([part[0] for part in parts])
        found[f"layers.{layer}.qkv.weight.scales"] = numpy.concatenate([part[1] for part in parts])
        head = f"model.encoder.layer.{layer}."
        found[f"layers.{layer}.qkv.bias"] = numpy.concatenate([raw[f"{head}attention.self.{part}.bias"] for part in ("query", "key", "value")])
        for theirs, ours in PLAIN.items():
            found[f"layers.{layer}.{ours}.bias"] = raw[f"{head}{theirs}.bias"]
            if theirs.endswith("LayerNorm"):
                found[f"layers.{layer}.{ours}.weight"] = raw[f"{head}{theirs}.weight"]
            else:
                table, scales = weights[str(layer), theirs.replace(".", "/")]
                found[f"layers.{layer}.{ours}.weight.bytes"], found[f"layers.{layer}.{ours}.weight.scales"] = table, scales
    numpy.savez(out, **found)


if __name__ == "__main__":
    main(*sys.argv[1:3])
