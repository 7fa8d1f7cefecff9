#pragma once
/// Language models that learn in a page of a browser: JSON in, JSON out. Each step is that of `argand train lm` on the built-in
/// grammar, from the same initial parameters and batches.

#include <string>

namespace argand {

/// Answers one request. Models are numbered from 0, in the order in which they were made.
///
///     {"begin": {"family": "complexformer", "d_model": "64"}}  makes a model with random parameters; settings as on a command line
///     {"open": "/model.safetensors"}                           makes the model of a checkpoint
///     {"step": 0, "count": 10}                                 trains: `losses`, one a step
///     {"write": 0, "texts": 8, "words": 60, "temperature": 0.8, "seed": 1}
///                                                              its own sentences, each with its errors by the grammar
///     {"watch": 0, "text": "mary is"}                          attention weights of every layer and head, queries and keys as
///                                                              complex numbers, and δ, b and ω
///     {"save": 0, "folder": "/model"}                          last.safetensors and vocab.txt, for `argand generate` and others
///     {"forget": true}                                         all models
///
/// "write" and "watch" take "turn": [[layer, head, angle], ...], which adds angles to phase biases meanwhile. A request that cannot
/// be answered is answered with one text, {"error": "..."}; throws nothing.
std::string page_model(const std::string& request);

}  // namespace argand
