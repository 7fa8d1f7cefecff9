#include "train/loop/training_session.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/machine/level.h"
#include "core/machine/openblas_kernels.h"
#include "core/machine/process.h"
#include "data/corpora/ag_news.h"
#include "data/files/atomic_file.h"
#include "data/files/checksum.h"
#include "train/checkpoints/diagnostics.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/made_by.h"
#include "train/config/changes.h"

namespace argand {
namespace {

const RunConfig& config_for(const TrainingData& data, const Checkpoint& last) {
  const ModelConfig& model = last.config().model;
  const std::int64_t words = tokens_of(data).size();
  require(words <= model.vocab_size, "train",
          "the data have {} different tokens, but the model in {} has a vocabulary of only {}: the data have changed since the run "
          "began",
          words, last.file().path(), model.vocab_size);
  return last.config();
}

bool is_milestone(const TrainingConfig& t, std::int64_t step) { return t.milestone_every > 0 && step % t.milestone_every == 0; }

/// Whether the log contains a sample for this step.
bool has_sample(const std::string& log, std::int64_t step) {
  bool found = false;
  for_each_line(log, [&](const nlohmann::ordered_json& line, std::int64_t) {
    found = found || (line.is_object() && line["step"] == step && line.contains("sample"));
  });
  return found;
}

/// Checks that all ranks start with the same values and compute in the same way. Throws Error on ranks that differ from the first.
template <RealScalar R>
void compare_ranks(const TrainingRun<R>& run, Ranks& ranks) {
  if (ranks.size() == 1) return;
  require_same(ranks, "the program or the processor is", fmt::format("{} {}", level_name(library_level()), blas_kernels().running));
  require_same(ranks, "the configuration or the data are", run.config().to_json() + run.state().made_from.data);
  Checksum parameters;
  for (const auto& p : run.parameters())
    std::visit(
        [&](const auto& v) {
          parameters.add({reinterpret_cast<const char*>(v.value().data()), v.value().span().size_bytes()});
        },
        p.var);
  require_same(ranks, "the parameters are", fmt::format("{} {}", run.state().step, parameters.hex()));
}

}  // namespace

template <RealScalar R>
template <class F>
void TrainingSession<R>::in_folder(const F& f) const {
  try {
    f();
  } catch (const Error& error) {
    throw Error(folder_.readable(error.what()));
  }
}

template <RealScalar R>
TrainingSession<R>::TrainingSession(const RunFolder& folder, bool overwrite, const RunConfig& config, const TrainingData& data,
                                    const InitialWeights* weights, Ranks& ranks)
    : folder_(folder), ranks_(ranks), run_(config, data, ranks) {
  if (weights != nullptr) fitted_weights_ = run_.load_initial_weights(*weights, data);
  barrier(ranks);  // `overwrite` may remove files from which other ranks start
  if (ranks.is_root()) make_files(overwrite, data, weights);
  compare_ranks(run_, ranks);
}

template <RealScalar R>
void TrainingSession<R>::make_files(bool overwrite, const TrainingData& data, const InitialWeights* weights) {
  lock_ = folder_.create(overwrite);  // only once the model has been built, so that an invalid request does not delete the old run
  folder_ = folder_.held_by(lock_);
  log_ = std::make_unique<JsonLines>(folder_.log(), -1);
  log_maker();
  write_config();
  if (const Tokenizer& tokens = tokens_of(data); !tokens.file().empty())
    write_file_atomically(folder_.tokens(tokens.kind()), tokens.file());
  if (const auto classes = classes_of(data); !classes.empty()) save_classes(folder_.classes(), classes);
  if (weights != nullptr) in_folder([&] { run_.save_model(folder_.at_step(0)); });
  save();
}

template <RealScalar R>
TrainingSession<R>::TrainingSession(const RunFolder& folder, RunLock lock, const Checkpoint& last, const TrainingData& data,
                                    const RunConfig* longer, Ranks& ranks)
    : folder_(folder), ranks_(ranks), run_(config_for(data, last), data, ranks), lock_(std::move(lock)) {
  const Tokenizer& tokens = tokens_of(data);
  const std::string file = folder_.tokens(tokens.kind());
  require(load_tokens(tokens.kind(), file)->file() == tokens.file(), "train",
          "the words in the data do not match those of {}: the data have changed since the run began", file);
  if (const auto classes = classes_of(data); !classes.empty())
    require(load_classes("train", folder_.classes()) == classes, "train",
            "the classes in the data do not match those of {}: the data have changed since the run began", folder_.classes());
  run_.restore(last);
  const RunConfig before = run_.config();
  if (ranks.is_root()) open_files();
  if (longer != nullptr) run_.extend(*longer);
  if (ranks.is_root()) write_changes(before, longer != nullptr);
  compare_ranks(run_, ranks);
}

template <RealScalar R>
void TrainingSession<R>::open_files() {
  folder_ = folder_.held_by(lock_);
  log_ = std::make_unique<JsonLines>(folder_.log(), run_.state().step);
  folder_.remove_leftovers();
  sample_pending_ =
      run_.state().step > 0 && run_.due(run_.config().training.sample_every) && !has_sample(folder_.log(), run_.state().step);
}

template <RealScalar R>
void TrainingSession<R>::write_changes(const RunConfig& before, bool extended) {
  if (extended) {
    nlohmann::ordered_json changed;
    for (const auto& [key, was, is] : changes_of_rate(before, run_.config())) changed[key] = {was, is};
    if (!changed.empty() && run_.state().step > 0) log_->write({{"step", run_.state().step}, {"changed", changed}});
    save();
  }
  log_maker();
  write_config();  // after the checkpoint, which is authoritative; a run killed between the two writes this on resuming
}

template <RealScalar R>
TrainingSession<R>::~TrainingSession() = default;

template <RealScalar R>
std::int64_t TrainingSession<R>::damaged_lines() const {
  return log_ ? log_->damaged() : 0;
}

template <RealScalar R>
void TrainingSession<R>::write_config() const {
  const auto write = [&](const char* name, const std::string& text) {
    std::ifstream file(folder_.file(name), std::ios::binary);
    if (!file || std::string(std::istreambuf_iterator<char>(file), {}) != text) write_file_atomically(folder_.file(name), text);
  };
  write("config.json", run_.config().to_json());
  write("config.toml", run_.config().to_toml());
}

template <RealScalar R>
void TrainingSession<R>::log_maker() {
  nlohmann::ordered_json now = made_by(), before;
  if (ranks_.size() > 1) now["ranks"] = ranks_.size();
  now["parameters"] = count_parameters(run_.parameters());
  for_each_line(folder_.log(), [&](const nlohmann::ordered_json& line, std::int64_t) {
    if (line.is_object() && line.contains("made_by")) before = line["made_by"];
  });
  if (now != before) log_->write({{"step", run_.state().step}, {"made_by", now}});
}

template <RealScalar R>
Advance TrainingSession<R>::advance() {
  if (sampler_ && std::exchange(sample_pending_, false)) sample();
  const auto start = std::chrono::steady_clock::now();
  Advance done;
  done.step = run_.step();
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const TrainingConfig& t = run_.config().training;
  const bool is_root = ranks_.is_root();
  if (is_root && (run_.due(t.log_every) || finished())) log_step(done);
  if (run_.due(t.eval_every) || finished()) {
    done.validation = run_.validate(done.is_best);
    if (is_root) log_validation(done);
    if (is_root && done.is_best) in_folder([&] { run_.save_model(folder_.best()); });
  }
  if (!is_root) return done;
  if (sampler_ && run_.due(t.sample_every)) done.sample = sample();
  // last.safetensors is written last: once it exists for a step, everything due up to that step has been written.
  const std::int64_t step = run_.state().step;
  const bool due = run_.due(t.checkpoint_every), is_kept = t.keep != 0 || is_milestone(t, step);
  if (due && is_kept && !finished()) in_folder([&] { run_.save(folder_.at_step(step)); });
  if (due || finished()) {
    save();
    prune();
  }
  return done;
}

template <RealScalar R>
int TrainingSession<R>::advance_all(const std::function<int()>& received, const std::function<void(Advance&&)>& seen) {
  int signal = 0;
  while (!finished() && (signal = all_reduce_max(ranks_, received())) == 0) {
    Advance done = advance();
    if (ranks_.is_root()) seen(std::move(done));
  }
  return signal;
}

template <RealScalar R>
std::optional<std::string> TrainingSession<R>::sample() {
  std::optional<std::string> text = sampler_();
  if (text) log_->write({{"step", run_.state().step}, {"sample", *text}});
  return text;
}

template <RealScalar R>
void TrainingSession<R>::prune() const {
  const TrainingConfig& t = run_.config().training;
  if (t.keep < 0) return;
  std::vector<std::int64_t> steps = folder_.kept_steps();
  std::erase_if(steps, [&](std::int64_t step) { return step == 0 || step > run_.state().step || is_milestone(t, step); });
  const auto most = static_cast<std::size_t>(t.keep);
  steps.resize(steps.size() - std::min(steps.size(), most));
  in_folder([&] {
    for (const std::int64_t step : steps) folder_.remove_step(step);
  });
}

template <RealScalar R>
void TrainingSession<R>::save() {
  log_->sync();
  in_folder([&] { run_.save(folder_.last()); });
}

template <RealScalar R>
void TrainingSession<R>::log_step(const Advance& done) {
  const StepReport& s = done.step;
  nlohmann::ordered_json line = {{"step", s.step}, {"loss", s.cross_entropy}, {"lr", s.lr}, {"grad_norm", s.grad_norm}};
  if (s.auxiliary) line["auxiliary"] = *s.auxiliary;
  if (s.recall) line["irw_recall"] = *s.recall;
  const DiagnosticParameters& diagnostics = run_.config().model.family().diagnostics;
  const std::vector<NamedNumbers> parameters = diagnostic_parameters(diagnostics, run_.parameters());
  for (const std::string& name : diagnostics.spreads)
    if (const NumbersOfParameter spread = numbers_of(parameters, name); spread.count > 0) {
      line[name + "_mean"] = spread.mean;
      line[name + "_std"] = spread.std;
    }
  for (const std::string& name : diagnostics.values)
    for (const auto& [parameter, numbers] : parameters)
      if (name_ends_with(parameter, name)) line[name][parameter] = std::vector<double>(numbers.begin(), numbers.end());
  line["tokens_per_second"] = std::round(static_cast<double>(s.tokens) / done.seconds);
  line["seconds"] = done.seconds;
  line["flops"] = s.flops;
  line["peak_memory"] = peak_memory();
  log_->write(line);
}

template <RealScalar R>
void TrainingSession<R>::log_validation(const Advance& done) {
  const Evaluation& e = *done.validation;
  nlohmann::ordered_json line = {{"step", done.step.step}, {"valid_loss", e.loss}};
  line[e.confusion ? "valid_articles" : "valid_tokens"] = e.count;
  if (e.confusion) {
    const std::int64_t n = e.confusion->n_classes();
    line["valid_accuracy"] = *e.confusion->accuracy();
    auto& rows = line["confusion"] = nlohmann::ordered_json::array();
    for (std::int64_t i = 0; i < n; ++i) {
      rows.push_back(nlohmann::ordered_json::array());
      for (std::int64_t j = 0; j < n; ++j) rows.back().push_back(e.confusion->count(i, j));
    }
  } else {
    line["valid_ppl"] = std::exp(e.loss);
    if (const auto bits = e.bits_per_byte()) line["valid_bits_per_byte"] = *bits;
    if (e.unknown > 0) line["valid_unknown"] = e.unknown;
  }
  line["best"] = done.is_best;
  log_->write(line);
}

template class TrainingSession<float>;
template class TrainingSession<double>;

}  // namespace argand
