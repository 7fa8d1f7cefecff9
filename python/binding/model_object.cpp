#include "python/binding/model_object.h"

#include <filesystem>

#include "core/parallel.h"
#include "data/corpora/ag_news.h"
#include "data/files/atomic_file.h"
#include "data/files/checksum.h"
#include "train/checkpoints/run_folder.h"

namespace argand::python {

Settings settings_of(const KeyedTexts& texts) {
  Settings settings;
  for (const auto& [key, text] : texts) settings.push_back({key, text});
  return settings;
}

ModelObject::ModelObject(TrainedRun run)
    : config_(run.checkpoint.config()), state_(run.checkpoint.state()), tokens_(run.tokens), classes_(run.classes) {
  with_precision(config_, [&]<class R>(R) { model_ = load_model<R>(run.checkpoint); });
  run_.emplace(std::move(run));
  list_parameters();
  loaded_ = checksum();
}

ModelObject::ModelObject(RunConfig config, TokenizerPtr tokens, std::vector<std::string> classes)
    : config_(std::move(config)), tokens_(std::move(tokens)), classes_(std::move(classes)) {
  if (tokens_ != nullptr) {
    if (config_.model.vocab_size == 0) config_.model.vocab_size = tokens_->size();
    require(tokens_->size() <= config_.model.vocab_size, "families", "{} tokens exceed the vocab_size of {}", tokens_->size(),
            config_.model.vocab_size);
    if (config_.model.task == TextTask::Lm) config_.training.tokens = tokens_->kind();
  }
  if (!classes_.empty()) config_.model.n_classes = static_cast<std::int64_t>(classes_.size());
  if (config_.training.steps == 0) config_.training.steps = 1;  // without data, epochs cannot be converted to steps
  config_.training.epochs = 0;
  with_precision(config_,
                 [&]<class R>(R) { model_ = make_model<R>(config_.model, static_cast<std::uint64_t>(config_.training.seed)); });
  list_parameters();
}

void ModelObject::list_parameters() {
  with_model([&](auto& model) {
    for (const auto& p : model.parameters()) {
      const py::object tensor = py::reinterpret_steal<py::object>(std::visit([](const auto& v) { return wrap(v); }, p.var));
      operands_.push_back(as_tensor(tensor.ptr()));
      parameters_.append(py::make_tuple(p.name, tensor));
    }
  });
}

std::string ModelObject::checksum() const {
  Checksum sum;
  for (const TensorObject* x : operands_)
    std::visit(
        [&](const auto& v) {
          sum.add({reinterpret_cast<const char*>(v.value().data()), v.value().span().size_bytes()});
        },
        x->var);
  return sum.hex();
}

ForwardContext ModelObject::context(bool training, std::uint64_t seed, std::uint64_t step) {
  if (run_ && config_.has_windows() && !retriever_)
    with_model([&](auto& model) { retriever_.emplace(*run_, std::as_const(model)); });
  ForwardContext context = retriever_ ? retriever_->context() : ForwardContext();
  context.training = training;
  context.seed = seed;
  context.step = step;
  return context;
}

const Tokenizer& ModelObject::require_tokens(std::string_view whom) const {
  require(tokens_ != nullptr, whom, "the model has no tokens; create it with tokens= as returned by argand.data.learn_tokens()");
  return *tokens_;
}

void ModelObject::save(const std::string& path, bool overwrite) const {
  namespace fs = std::filesystem;
  const Tokenizer& tokens = require_tokens("save");
  const bool classifies = config_.model.task == TextTask::Classify;
  require(!classifies || !classes_.empty(), "save", "the model has {} classes without names; create it with classes=[...]",
          config_.model.n_classes);
  RunState state = state_;
  if (checksum() != loaded_) {  // the parameters have changed since, and have not been validated
    const RunState fresh;
    state.best_valid = fresh.best_valid;
    state.best_loss = fresh.best_loss;
    state.best_accuracy = fresh.best_accuracy;
    state.best_step = state.since_best = 0;
    state.in_bits = fresh.in_bits;
    state.validated_on.clear();
  }
  const std::string kind = tokens.kind(), words = tokens.file();
  (kind == "words" || kind == "char" ? state.made_from.vocabulary : state.made_from.pieces) =
      words.empty() ? "" : checksum_of(words);
  if (classifies) state.made_from.classes = checksum_of(classes_text(classes_));
  const bool alone = path.ends_with(".safetensors");
  const RunFolder folder(alone ? fs::path(path).parent_path().string() : path);
  const std::string file = alone ? path : folder.best();
  RunLock lock;
  if (!alone) lock = folder.create(overwrite);
  require(!alone || overwrite || !fs::exists(file), "save", "{} already exists; overwrite=True replaces it", file);
  const auto beside = [&](const std::string& name) { return (fs::path(file).parent_path() / name).string(); };
  if (!words.empty()) {
    const std::string name = beside(token_file(kind));
    if (alone && fs::exists(name))
      require(load_tokens(kind, name)->file() == words, "save", "the tokens in {} differ from those of this model", name);
    write_file_atomically(name, words);
  }
  if (classifies) save_classes(beside("classes.txt"), classes_);
  if (!alone) {
    write_file_atomically(folder.file("config.json"), config_.to_json());
    write_file_atomically(folder.file("config.toml"), config_.to_toml());
  }
  std::visit(
      [&]<class R>(const std::unique_ptr<Model<R>>& model) {
        save_checkpoint<R>(file, config_, state, model->parameters(), nullptr);
      },
      model_);
}

}  // namespace argand::python
