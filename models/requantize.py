"""Makes multilingual-e5-small/model.onnx, with int8 weights, from an ONNX file of the same model with weights of 4 bits.

    pip install onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6 tokenizers==0.23.3
    python models/requantize.py Q4.onnx model.onnx

On a CPU a multiplication by 4-bit weights (`MatMulNBits`) takes two to four times as long as one of int8 values. The table of
tokens keeps its 4 bits: its rows are only read. int8 has one scale for all numbers of an activation, and a few of them are 30
times as large as the others, so they are made smaller first and their weights larger (SmoothQuant: Xiao et al., "SmoothQuant:
Accurate and Efficient Post-Training Quantization for Large Language Models", 2023). That halves the error of the vectors.
Weights use 7 bits (`reduce_range`), because sums of two products overflow 16 bits on processors without VNNI.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

# Share of the range that moves from the activations to the weights. Of .4 to .8 it gave the smallest error.
STRENGTH = 0.65
CALIBRATION_TEXTS = 60
LONGEST = 256
HERE = Path(__file__).parent


def dequantized(model: onnx.ModelProto) -> None:
    """Makes the weights float32: each `MatMulNBits` (Q4_0: 4 bits less 8, times the scale of their block) becomes a `MatMul`."""
    constants = {constant.name: constant for constant in model.graph.initializer}
    nodes, replaced = [], set()
    for node in model.graph.node:
        if node.op_type != "MatMulNBits":
            nodes.append(node)
            continue
        size = {attribute.name: attribute.i for attribute in node.attribute}
        rows, columns, block = size["N"], size["K"], size["block_size"]
        packed, scales = (numpy_helper.to_array(constants[name]) for name in node.input[1:3])
        packed = packed.reshape(rows, columns // block, block // 2)
        values = np.stack([packed & 15, packed >> 4], -1).reshape(rows, columns // block, block)
        weights = (values.astype(np.float32) - 8) * scales.reshape(rows, columns // block, 1).astype(np.float32)
        name = f"{node.input[1]}.weights"
        matrix = np.ascontiguousarray(weights.reshape(rows, columns).T)
        model.graph.initializer.append(numpy_helper.from_array(matrix, name))
        replaced.update(node.input[1:3])
        nodes.append(helper.make_node("MatMul", [node.input[0], name], list(node.output)))
    replace(model.graph.node, nodes)
    replace(model.graph.initializer, [one for one in model.graph.initializer if one.name not in replaced])


def smoothed(model: onnx.ModelProto) -> None:
    """Divides the inputs of each `MatMul` by a factor for each channel and multiplies its weights by them."""
    largest = largest_activations(model)
    constants = {constant.name: constant for constant in model.graph.initializer}
    readers = {name: [n for n in model.graph.node if n.op_type == "MatMul" and n.input[0] == name] for name in largest}
    nodes, factors = [], {}
    for node in model.graph.node:
        source = node.input[0] if node.op_type == "MatMul" else None
        if source in readers:
            if source not in factors:
                weights = [numpy_helper.to_array(constants[reader.input[1]]) for reader in readers[source]]
                factors[source] = factors_of(largest[source], np.abs(np.hstack(weights)).max(1))
                divisors = numpy_helper.from_array(1 / factors[source], f"{source}.divisors")
                model.graph.initializer.append(divisors)
                nodes.append(helper.make_node("Mul", [source, divisors.name], [f"{source}.smooth"]))
            weights = numpy_helper.to_array(constants[node.input[1]]) * factors[source][:, None]
            constants[node.input[1]].CopyFrom(numpy_helper.from_array(weights, node.input[1]))
            node.input[0] = f"{source}.smooth"
        nodes.append(node)
    replace(model.graph.node, nodes)


def factors_of(activations: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """By channel, from the largest absolute values; their geometric mean is 1."""
    factors = np.maximum(activations, 1e-5) ** STRENGTH / np.maximum(weights, 1e-5) ** (1 - STRENGTH)
    return (factors / np.exp(np.log(factors).mean())).astype(np.float32)


def largest_activations(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """By input of a `MatMul`: the largest absolute value of each channel, over texts of the bundled corpus."""
    names = sorted({node.input[0] for node in model.graph.node if node.op_type == "MatMul"})
    observed = onnx.ModelProto()
    observed.CopyFrom(model)
    observed.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    tokenizer = Tokenizer.from_file(str(HERE / "multilingual-e5-small" / "tokenizer.json"))
    lines = (HERE.parent / "corpus" / "memories.ndjson").read_text().splitlines()
    largest: dict[str, np.ndarray] = {}
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        onnx.save(observed, file.name)
        session = onnxruntime.InferenceSession(file.name)
        for line in lines[:: max(1, len(lines) // CALIBRATION_TEXTS)]:
            ids = np.array([tokenizer.encode(f"passage: {json.loads(line)['content']}").ids[:LONGEST]])
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            for name, values in zip(names, session.run(names, inputs)):
                largest[name] = np.maximum(largest.get(name, 0), np.abs(values[0]).max(0))
    return largest


def replace(field, values: list) -> None:
    del field[:]
    field.extend(values)


def main(source: str, target: str) -> None:
    model = onnx.load(source)
    dequantized(model)
    smoothed(model)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as whole:
        onnx.save(model, whole.name)
        quantize_dynamic(
            whole.name,
            target,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
