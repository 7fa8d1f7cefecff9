#include "train/loop/nan_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/machine/json.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

/// Row b of ids [B, T], without trailing padding if `padded`.
std::vector<std::int32_t> row(const Ids& ids, std::int64_t b, bool padded) {
  const std::int64_t T = ids.shape()[1];
  std::vector<std::int32_t> words(ids.data() + b * T, ids.data() + (b + 1) * T);
  while (padded && !words.empty() && words.back() == pad_id) words.pop_back();
  return words;
}

Json tensor_json(const NumberSummary& s) {
  Json shape = Json::array();
  for (int axis = 0; axis < s.shape.rank(); ++axis) shape.push_back(s.shape[axis]);
  return {{"role", s.role},     {"of", s.origin},   {"numbers", s.scalar}, {"shape", shape}, {"min_abs", s.min},
          {"mean_abs", s.mean}, {"max_abs", s.max}, {"nan", s.nan},        {"inf", s.inf}};
}

}  // namespace

std::string non_finite_json(const NonFiniteStep& step, const RunConfig& config, const TrainingData& data) {
  const bool articles = std::holds_alternative<LabelledCorpus>(data);
  Json json = {{"step", step.step}};
  if (step.where) {
    const NonFinite& where = *step.where;
    json["pass"] = where.backward ? "backward" : "forward";
    json["op"] = where.op->name();
    json["scope"] = where.scope;
    json["summary"] = where.sentence();
    json["singular_points"] = where.op->text().singular;
    json["tensors"] = Json::array();
    for (const NumberSummary& s : where.tensors) json["tensors"].push_back(tensor_json(s));
  }
  Json rows = Json::array();
  for (std::size_t b = 0; b < step.batch.places.size(); ++b) {
    const auto at = static_cast<std::int64_t>(b);
    const std::vector<std::int32_t> tokens = row(step.batch.tokens, at, articles);
    Json line = {{"place", step.batch.places[b]}, {"tokens", tokens}};
    if (articles)
      line["label"] = classes_of(data)[static_cast<std::size_t>(step.batch.targets[at])];
    else
      line["targets"] = row(step.batch.targets, at, false);
    line["text"] = tokens_of(data).shown(tokens);
    rows.push_back(std::move(line));
  }
  json["batch"] = {{"number", step.number}, {"rows", std::move(rows)}};
  json["config"] = parse_json("config", config.to_json());
  return json.dump(2) + "\n";
}

std::string non_finite_text(const NonFiniteStep& step, const TrainingData& data) {
  std::string text = fmt::format("{}\n\n", step.what());
  if (step.where) {
    text += step.where->table();
    if (const std::string hint = step.where->hint(); !hint.empty())
      text += fmt::format("\nsingular points of {}: {}\n", step.where->op->name(), hint);
  }
  const bool articles = std::holds_alternative<LabelledCorpus>(data);
  text +=
      fmt::format("\nbatch {}, {}:\n", step.number,
                  articles ? "training articles by number" : "windows of the training text by the position of their first token");
  for (std::size_t b = 0; b < step.batch.places.size(); ++b) {
    std::vector<std::int32_t> words = row(step.batch.tokens, static_cast<std::int64_t>(b), articles);
    const bool longer = words.size() > 12;
    words.resize(std::min<std::size_t>(words.size(), 12));
    text += fmt::format("{:>10}  {}{}\n", step.batch.places[b], tokens_of(data).shown(words), longer ? " ..." : "");
  }
  return text;
}

}  // namespace argand
