"""The fine-tuned teacher as int8 ONNX, for the reranker: ids and mask in, one unit vector a text out."""

import os

import numpy
import onnx
import onnxruntime
import torch

from quantise import with_small_weights

LEAST_COSINE = 0.97


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
    encoder.model.cpu().float().set_attn_implementation("eager")
    # The wrapper too: after the export, torch gives all that is inside the mode that the wrapper had.
    model = Pooled(encoder.model).eval()
    ids, mask = (t.cpu() for t in encoder.texts(["Create an invoice for a customer", "list files"], 32).take([0, 1]))
    plain = path + ".float"
    axes = {"input_ids": {0: "texts", 1: "pieces"}, "attention_mask": {0: "texts", 1: "pieces"}, "vectors": {0: "texts"}}
    names = {"input_names": ["input_ids", "attention_mask"], "output_names": ["vectors"], "opset_version": 17}
    torch.onnx.export(model, (ids, mask), plain, dynamic_axes=axes, dynamo=False, **names)
    onnx.save(with_small_weights(onnx.load(plain)), path)
    os.remove(plain)
    compare(encoder, model, path)
    encoder.model.to(encoder.device).set_attn_implementation("sdpa")


def compare(encoder, model, path):
    """One text a run, as the reranker has it."""
    texts = ["Create an invoice for a customer", "Send a message to a channel in Slack right now", "weather"]
    known = encoder.texts(texts, 32)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    cosines = []
    for row in range(len(texts)):
        ids, mask = (t.cpu() for t in known.take([row]))
        small = session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})[0]
        with torch.no_grad():
            cosines.append(float((small * model(ids, mask).numpy()).sum()))
    print(f"{os.path.getsize(path)} bytes; cosine with the float model: {[round(c, 4) for c in cosines]}", flush=True)
    numpy.testing.assert_array_less(LEAST_COSINE, cosines)
