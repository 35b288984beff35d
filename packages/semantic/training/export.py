"""The fine-tuned teacher as int8 ONNX, for the second stage: ids and mask in, one unit vector a text out."""

import os

import numpy
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic


class Pooled(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        states = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        pooled = (states * mask).sum(1) / mask.sum(1)
        return pooled / pooled.norm(dim=-1, keepdim=True)


def export(encoder, path):
    model = encoder.model.cpu().float().eval()
    model.set_attn_implementation("eager")
    ids, mask = (t.cpu() for t in encoder.batch(["Create an invoice for a customer", "list files"], 32))
    plain = path + ".float"
    axes = {"input_ids": {0: "texts", 1: "pieces"}, "attention_mask": {0: "texts", 1: "pieces"}, "vectors": {0: "texts"}}
    names = {"input_names": ["input_ids", "attention_mask"], "output_names": ["vectors"], "opset_version": 17}
    torch.onnx.export(Pooled(model), (ids, mask), plain, dynamic_axes=axes, dynamo=False, **names)
    quantize_dynamic(plain, path, weight_type=QuantType.QUInt8, per_channel=True)
    texts = ["Create an invoice for a customer", "Send a message to a channel in Slack right now", "weather"]
    ids, mask = (t.cpu() for t in encoder.batch(texts, 32))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    small = session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})[0]
    with torch.no_grad():
        whole = Pooled(model)(ids, mask).numpy()
    print(f"{os.path.getsize(path)} bytes; cosine of int8 with float: {(small * whole).sum(1).round(4).tolist()}", flush=True)
    numpy.testing.assert_array_less(0.9, (small * whole).sum(1))
    os.remove(plain)
    encoder.model.to(encoder.device)
