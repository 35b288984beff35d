"""Averages the weights of two rerankers: `python3 average_onnx.py FIRST.onnx SECOND.onnx SHARE OUT.onnx`; SHARE is the second's part, 0 to 1."""

import sys

import numpy
import onnx
from onnx import numpy_helper

from to_onnx import add_bytes


def main(first_path, second_path, share, out):
    model = onnx.load(first_path)
    first, second = (values_of(one) for one in (model, onnx.load(second_path)))
    mixed = {}
    for name, values in first.items():
        if name.endswith(".bytes"):
            table = name.removesuffix(".bytes")
            zero = 128 if values.dtype == numpy.uint8 else 0
            whole, other = ((one[name].astype(numpy.float32) - zero) * one[table + ".scales"] for one in (first, second))
            add_bytes(mixed, table, (1 - float(share)) * whole + float(share) * other, 0 if zero else 1, zero)
        elif name != "zero" and not name.endswith(".scales"):
            mixed[name] = ((1 - float(share)) * values + float(share) * second[name]).astype(values.dtype)
    for tensor in model.graph.initializer:
        if tensor.name in mixed:
            tensor.CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(mixed[tensor.name]), tensor.name))
    onnx.save(model, out)


def values_of(model):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


main(*sys.argv[1:])
