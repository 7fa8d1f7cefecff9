#include "train/checkpoints/checkpoint.h"

#include <array>
#include <cmath>
#include <filesystem>

#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr const char* format_name = "argand-checkpoint/1";

/// The metadata keys under which the fingerprints are stored.
constexpr std::array<std::pair<const char*, std::string Fingerprints::*>, 5> fingerprint_keys = {{
    {"vocab.txt", &Fingerprints::vocabulary},
    {"tokens.model", &Fingerprints::pieces},
    {"classes.txt", &Fingerprints::classes},
    {"data", &Fingerprints::data},
    {"init", &Fingerprints::init},
}};

template <class T>
T number(const SafetensorsFile& file, const std::string& key) {
  return metadata_number<T>("checkpoint", file, key);
}

SafetensorsFile open_checkpoint(const std::string& path) {
  SafetensorsFile file = SafetensorsFile::open(path);
  require(is_checkpoint(file), "checkpoint", "{} is not an argand checkpoint (its metadata has no format {})", path, format_name);
  return file;
}

}  // namespace

bool stopped_early(const RunConfig& config, const RunState& state) {
  return config.training.early_stop > 0 && state.since_best >= config.training.early_stop;
}

bool has_ended(const RunConfig& config, const RunState& state) {
  return state.step >= config.training.steps || stopped_early(config, state);
}

std::optional<double> RunState::best_bits_per_byte() const {
  if (!in_bits.known()) return std::nullopt;
  return in_bits(best_valid);
}

bool is_checkpoint(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second == format_name;
}

template <RealScalar R>
void save_checkpoint(const std::string& path, const RunConfig& config, const RunState& state, const ParameterList<R>& parameters,
                     const Optimizer<R>* optimizer, const std::vector<Tensor<float>>& encodings) {
  SafetensorsWriter writer;
  add_parameters<R>(writer, parameters);
  writer.metadata("format", format_name);
  writer.metadata("config", config.to_json());
  writer.metadata("step", fmt::format("{}", state.step));
  writer.metadata("best_valid", fmt::format("{}", state.best_valid));
  if (std::isfinite(state.best_loss)) writer.metadata("best_loss", fmt::format("{}", state.best_loss));
  if (state.best_accuracy) writer.metadata("best_accuracy", fmt::format("{}", *state.best_accuracy));
  writer.metadata("best_step", fmt::format("{}", state.best_step));
  writer.metadata("since_best", fmt::format("{}", state.since_best));
  if (state.in_bits.known()) writer.metadata("bytes_per_token", fmt::format("{}", state.in_bits.bytes_per_token));
  if (state.in_bits.spelled > 0) writer.metadata("spelled_bits_per_token", fmt::format("{}", state.in_bits.spelled));
  if (!state.validated_on.empty()) writer.metadata("validated_on", state.validated_on);
  for (const auto& [key, member] : fingerprint_keys)
    if (const std::string& sum = state.made_from.*member; !sum.empty()) writer.metadata(key, sum);
  if (optimizer != nullptr) add_optimizer(writer, *optimizer);
  for (std::size_t i = 0; i < encodings.size(); ++i) writer.add(encodings_prefix + std::to_string(i), encodings[i]);
  writer.save(path);
}

Checkpoint::Checkpoint(const std::string& path) : file_(open_checkpoint(path)) {
  try {
    config_ = RunConfig::from_json(file_.metadata("config"));
  } catch (const Error& error) {
    fail("checkpoint", "{}: {}", path, error.what());
  }
  state_ = {.step = number<std::int64_t>(file_, "step"),
            .best_valid = number<double>(file_, "best_valid"),
            .best_step = number<std::int64_t>(file_, "best_step"),
            .since_best = file_.metadata().contains("since_best") ? number<std::int64_t>(file_, "since_best") : 0};
  require(state_.step >= 0 && state_.step <= config_.training.steps, "checkpoint", "{}: step {} is invalid for a run of {} steps",
          path, state_.step, config_.training.steps);
  // Before the first validation, the best value is infinite and its step is 0. Error rates and losses are never negative.
  const bool validated = state_.best_step > 0;
  require(state_.since_best >= 0, "checkpoint", "{}: since_best {} is invalid", path, state_.since_best);
  require(state_.best_step >= 0 && state_.best_step <= state_.step && state_.best_valid >= 0 &&
              std::isfinite(state_.best_valid) == validated,
          "checkpoint", "{}: best_valid {} at best_step {} is invalid after {} steps", path, state_.best_valid, state_.best_step,
          state_.step);
  if (file_.metadata().contains("best_loss")) {
    state_.best_loss = number<double>(file_, "best_loss");
    require(validated && std::isfinite(state_.best_loss) && state_.best_loss >= 0, "checkpoint", "{}: best_loss {} is invalid",
            path, state_.best_loss);
  }
  if (file_.metadata().contains("best_accuracy")) {
    state_.best_accuracy = number<double>(file_, "best_accuracy");
    require(validated && *state_.best_accuracy >= 0 && *state_.best_accuracy <= 1, "checkpoint", "{}: best_accuracy {} is invalid",
            path, *state_.best_accuracy);
  }
  if (file_.metadata().contains("bytes_per_token")) {
    const double bytes = state_.in_bits.bytes_per_token = number<double>(file_, "bytes_per_token");
    require(bytes > 0 && std::isfinite(bytes), "checkpoint", "{}: bytes_per_token {} is invalid", path, bytes);
  }
  if (file_.metadata().contains("spelled_bits_per_token")) {
    const double bits = state_.in_bits.spelled = number<double>(file_, "spelled_bits_per_token");
    require(bits > 0 && std::isfinite(bits), "checkpoint", "{}: spelled_bits_per_token {} is invalid", path, bits);
  }
  if (const auto part = file_.metadata().find("validated_on"); part != file_.metadata().end()) {
    state_.validated_on = part->second;
    require(part->second == "validation" || part->second == "test", "checkpoint", "{}: validated on {}, an unknown split", path,
            in_quotes(part->second));
  }
  for (const auto& [key, member] : fingerprint_keys)
    if (const auto sum = file_.metadata().find(key); sum != file_.metadata().end()) state_.made_from.*member = sum->second;
}

template <RealScalar R>
void Checkpoint::load(const ParameterList<R>& parameters) const {
  require_stored<R>("checkpoint", file_, parameters);
  load_stored<R>(file_, parameters);
}

template <RealScalar R>
void Checkpoint::load(Optimizer<R>& optimizer) const {
  load_optimizer<R>("checkpoint", file_, state_.step, optimizer);
}

std::vector<Tensor<float>> Checkpoint::encodings() const {
  std::vector<Tensor<float>> found;
  for (std::string name = encodings_prefix + std::string("0"); file_.contains(name);
       name = encodings_prefix + std::to_string(found.size()))
    found.push_back(file_.tensor<float>(name));
  return found;
}

std::string find_checkpoint(const std::string& run) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(run, ignored)) return run;
  require(fs::exists(run, ignored), "checkpoint", "{} does not exist", run);
  for (const char* name : {"best.safetensors", "last.safetensors"}) {
    const fs::path path = fs::path(run) / name;
    if (fs::exists(path, ignored)) return path.string();
  }
  fail("checkpoint", "{} contains neither best.safetensors nor last.safetensors", run);
}

template <RealScalar R>
std::unique_ptr<Model<R>> load_model(const Checkpoint& checkpoint) {
  auto model = make_model<R>(checkpoint.config().model, static_cast<std::uint64_t>(checkpoint.config().training.seed));
  checkpoint.load(model->parameters());
  return model;
}

#define ARGAND_CHECKPOINT(R)                                                                                    \
  template void save_checkpoint(const std::string&, const RunConfig&, const RunState&, const ParameterList<R>&, \
                                const Optimizer<R>*, const std::vector<Tensor<float>>&);                        \
  template void Checkpoint::load(const ParameterList<R>&) const;                                                \
  template void Checkpoint::load(Optimizer<R>&) const;                                                          \
  template std::unique_ptr<Model<R>> load_model(const Checkpoint&);
ARGAND_FOR_REAL(ARGAND_CHECKPOINT)

}  // namespace argand
