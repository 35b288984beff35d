"""A float ONNX model with a byte for each weight: `with_small_weights`. Needs onnx and NumPy alone.

Each output of a layer and each word has a scale of its own; one scale for a whole table of words costs most of what quantising costs. What runs
through the layers is quantised as it comes, one scale a tensor, which halves the time of a run.
"""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LEAST_VALUES = 1_000_000  # tables below stay as they are: the positions are wanted exactly and cost little
ZERO = 128  # unsigned bytes: with signed ones, processors without VNNI saturate


def with_small_weights(model):
    graph = model.graph
    weights = {i.name: i for i in graph.initializer}
    graph.initializer.append(numpy_helper.from_array(numpy.array(ZERO, dtype=numpy.uint8), "zero"))
    nodes, quantised = [], set()
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            nodes.extend(small_layer(graph, weights[node.input[1]], node, quantised))
        elif node.op_type == "Gather" and node.input[0] in weights and numpy.prod(weights[node.input[0]].dims) > LEAST_VALUES:
            nodes.extend(small_table(graph, weights[node.input[0]], node))
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def to_bytes(graph, weight, axis, zero):
    """Puts bytes and their scales, one for each column (axis 0) or row (axis 1), in the weight's place."""
    values = numpy_helper.to_array(weight)
    scales = numpy.maximum(numpy.abs(values).max(axis=axis, keepdims=True), 1e-12).astype(numpy.float32) / 127
    found = numpy.round(values / scales).astype(numpy.int16) + zero
    graph.initializer.remove(weight)
    graph.initializer.append(numpy_helper.from_array(found.astype(numpy.uint8 if zero else numpy.int8), weight.name + ".bytes"))
    graph.initializer.append(numpy_helper.from_array(scales, weight.name + ".scales"))
    return weight.name + ".bytes", weight.name + ".scales"


def small_layer(graph, weight, layer, quantised):
    values, scales = to_bytes(graph, weight, 0, ZERO)
    given, found = layer.input[0], layer.output[0]
    bytes_in, scale_in, zero_in = (given + tail for tail in (".bytes", ".scale", ".zero"))
    nodes = []
    if given not in quantised:
        quantised.add(given)
        nodes.append(helper.make_node("DynamicQuantizeLinear", [given], [bytes_in, scale_in, zero_in]))
    return nodes + [
        helper.make_node("MatMulInteger", [bytes_in, values, zero_in, "zero"], [found + ".whole"]),
        helper.make_node("Cast", [found + ".whole"], [found + ".wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [scale_in, scales], [found + ".scale"]),
        helper.make_node("Mul", [found + ".wide", found + ".scale"], [found]),
    ]


def small_table(graph, weight, gather):
    """Only the rows that a text needs become floats."""
    values, scales = to_bytes(graph, weight, 1, 0)
    rows, sizes, wide = (weight.name + tail for tail in (".rows", ".sizes", ".wide"))
    ids, found = gather.input[1], gather.output[0]
    return [
        helper.make_node("Gather", [values, ids], [rows]),
        helper.make_node("Gather", [scales, ids], [sizes]),
        helper.make_node("Cast", [rows], [wide], to=TensorProto.FLOAT),
        helper.make_node("Mul", [wide, sizes], [found]),
    ]
