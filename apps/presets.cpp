#include "apps/presets.h"

#include <initializer_list>
#include <utility>

#include "apps/command_line.h"
#include "nn/config.h"

namespace argand {
namespace {

using Pairs = std::initializer_list<std::pair<const char*, const char*>>;

const Pairs small = {{"n_layers", "2"},      {"d_model", "128"},  {"n_heads", "4"}, {"d_ff", "512"},
                     {"max_seq_len", "128"}, {"length", "128"},   {"batch", "16"},  {"steps", "500"},
                     {"lr", "1e-3"},         {"final_lr", "0.1"}, {"warmup", "50"}, {"clip", "1"},
                     {"beta1", "0.9"},       {"beta2", "0.98"},   {"eps", "1e-9"},  {"weight_decay", "0.1"}};

const Pairs paper = {{"n_layers", "8"},      {"d_model", "512"},      {"n_heads", "8"}, {"d_ff", "1024"},  {"dropout", "0.1"},
                     {"max_seq_len", "512"}, {"length", "512"},       {"batch", "8"},   {"steps", "5000"}, {"lr", "1e-4"},
                     {"final_lr", "0"},      {"warmup", "5%"},        {"clip", "1"},    {"beta1", "0.9"},  {"beta2", "0.98"},
                     {"eps", "1e-9"},        {"weight_decay", "0.01"}};

// CRoPE's rates are those of Muon, 2e-3 to 4e-4: twenty times those of AdamW.
const Pairs crope_paper = {{"n_layers", "16"},     {"d_model", "1024"},    {"n_heads", "8"},        {"d_ff", "1024"},
                           {"max_seq_len", "512"}, {"length", "512"},      {"batch", "64"},         {"steps", "30000"},
                           {"optimizer", "muon"},  {"lr", "1e-4"},         {"muon_lr_scale", "20"}, {"final_lr", "0.2"},
                           {"warmup", "50"},       {"weight_decay", "0.1"}};

// What the paper does not say is that of the other families; feed-forward layers are four times as wide as states, as usual.
const Pairs crat_paper = {{"n_layers", "12"},     {"d_model", "768"},      {"n_heads", "8"}, {"d_ff", "3072"},  {"dropout", "0.1"},
                          {"max_seq_len", "512"}, {"length", "512"},       {"batch", "8"},   {"steps", "5000"}, {"lr", "1e-4"},
                          {"final_lr", "0"},      {"warmup", "5%"},        {"clip", "1"},    {"beta1", "0.9"},  {"beta2", "0.98"},
                          {"eps", "1e-9"},        {"weight_decay", "0.01"}};

const Pairs small_classifier = {{"n_layers", "2"},      {"d_model", "64"},         {"n_heads", "4"}, {"d_ff", "128"},
                                {"max_seq_len", "128"}, {"words", "20000"},        {"batch", "32"},  {"epochs", "5"},
                                {"lr", "1e-3"},         {"final_lr", "0.1"},       {"warmup", "8%"}, {"clip", "1"},
                                {"beta1", "0.9"},       {"beta2", "0.98"},         {"eps", "1e-9"},  {"weight_decay", "0.1"},
                                {"eval_every", "-1"},   {"checkpoint_every", "-1"}};

// The author's recipe; of 4 000 articles in batches of 32, 8 % of all steps are a warm-up of 50.
const Pairs qic_paper = {{"n_layers", "2"},         {"d_model", "128"},     {"n_heads", "4"},      {"d_ff", "128"},
                         {"dropout", "0.1"},        {"max_seq_len", "256"}, {"words", "5000"},     {"train_articles", "4000"},
                         {"test_articles", "1000"}, {"batch", "32"},        {"epochs", "5"},       {"lr", "2e-3"},
                         {"final_lr", "0.1"},       {"warmup", "8%"},       {"clip", "1"},         {"beta1", "0.9"},
                         {"beta2", "0.98"},         {"eps", "1e-9"},        {"weight_decay", "0"}, {"eval_every", "-1"},
                         {"checkpoint_every", "-1"}};

}  // namespace

std::string preset_choices(const std::string& task) { return task == "classify" ? "small|qic-paper" : "small|paper"; }

Settings preset_settings(const std::string& preset, const std::string& task, const std::string& family) {
  const std::vector<std::string> known = split_choices(preset_choices(task));
  if (std::find(known.begin(), known.end(), preset) == known.end())
    usage_fail("--preset", "\"{}\" is not one of {}{}", preset, preset_choices(task), did_you_mean(preset, known));
  const Pairs& pairs = preset == "qic-paper" ? qic_paper
                       : task == "classify"  ? small_classifier
                       : preset == "small"   ? small
                       : family == "crope"   ? crope_paper
                       : family == "crat"    ? crat_paper
                                             : paper;
  Settings settings;
  for (const auto& [key, text] : pairs) settings.push_back({key, text, "preset " + preset});
  return settings;
}

}  // namespace argand
