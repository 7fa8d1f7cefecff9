#pragma once
/// A tiny language model that trains quickly, and its corpus.

#include <initializer_list>
#include <utility>

#include "data/corpora/grammar.h"
#include "train/config/run_config.h"

namespace argand {

inline const Corpus& small_corpus() {
  static const Corpus corpus = Grammar().corpus(4000, 200, 200, 0);
  return corpus;
}

inline Settings settings_of(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Settings settings;
  for (const auto& [key, text] : pairs) settings.push_back({key, text, key});
  return settings;
}

/// The configuration of a run of 12 steps with a model of one layer; `more` overrides its settings.
inline RunConfig small_run(const Settings& more = {}) {
  Settings settings = settings_of({{"n_layers", "1"},
                                   {"d_model", "16"},
                                   {"n_heads", "2"},
                                   {"d_ff", "24"},
                                   {"length", "16"},
                                   {"batch", "4"},
                                   {"steps", "12"},
                                   {"warmup", "3"},
                                   {"lr", "1e-2"}});
  settings.insert(settings.end(), more.begin(), more.end());
  return RunConfig::resolve({}, settings);
}

}  // namespace argand
