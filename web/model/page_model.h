#pragma once
/// Language models that train in a browser page, controlled by JSON requests. Each step is that of `argand train lm` on the
/// built-in grammar, from the same initial parameters and batches.

#include <string>

namespace argand {

/// Answers one request. Models are numbered from 0, in the order in which they were made.
///
///     {"begin": {"family": "complexformer", "d_model": "64"}}  makes a model with random parameters; settings as on a command line
///     {"open": "/model.safetensors"}                           makes a model from a checkpoint
///     {"step": 0, "count": 10}                                 trains; answers with `losses`, one per step
///     {"write": 0, "texts": 8, "words": 60, "temperature": 0.8, "seed": 1}
///                                                              generates sentences, each with its grammatical error
///     {"watch": 0, "text": "mary is"}                          answers with the attention weights of every layer and head,
///                                                              queries and keys as complex numbers, and δ, b and ω
///     {"save": 0, "folder": "/model"}                          writes last.safetensors and vocab.txt for `argand generate`
///     {"forget": true}                                         discards all models
///
/// "write" and "watch" accept "turn": [[layer, head, angle], ...], which adds angles to phase biases for that request. If a
/// request fails, the answer is {"error": "..."}. Never throws.
std::string page_model(const std::string& request);

}  // namespace argand
