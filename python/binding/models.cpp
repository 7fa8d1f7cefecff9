/// Language models, classifiers and tokenizers for argand.load, argand.families and argand.data.

#include "core/parallel.h"
#include "data/files/utf8.h"
#include "data/labelled_texts.h"
#include "python/binding/arrays.h"
#include "python/binding/bindings.h"
#include "python/binding/model_object.h"
#include "train/evaluation/classification.h"
#include "train/generation/generation.h"
#include "train/start/run_request.h"

namespace argand::python {
namespace {

using IdArray = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;

Ids ids_of(const IdArray& a) {
  const std::vector<std::int64_t> sizes(a.shape(), a.shape() + a.ndim());
  return Ids(Shape(std::span(sizes)), {a.data(), a.data() + a.size()});
}

IdArray array_of_ids(const Ids& ids) {
  IdArray a(std::vector<py::ssize_t>(ids.shape().begin(), ids.shape().end()));
  std::copy(ids.data(), ids.data() + ids.size(), a.mutable_data());
  return a;
}

/// Treats denormal numbers as zero during its lifetime, as the programs that train and generate do.
struct FlushSubnormals {
  FlushSubnormals() { flush_subnormals_to_zero(true); }
  ~FlushSubnormals() { flush_subnormals_to_zero(false); }
};

void check_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::vector<std::string> generate(ModelObject& self, const std::vector<std::string>& texts, std::int64_t samples,
                                  std::int64_t count, const SamplingOptions& options, const std::string& weights) {
  const Tokenizer& tokens = self.require_tokens("generate");
  require(self.config().model.task == TextTask::Lm, "generate",
          "the model is a classifier and does not generate text; use classify()");
  require(samples >= 1 && count >= 0, "generate", "samples must be at least 1 and tokens at least 0, got {} and {}", samples,
          count);
  options.validate();
  std::vector<Prompt> prompts;
  for (const std::string& text : texts) prompts.emplace_back(text, tokens);
  const ForwardContext context = self.context(false, 0, 0);
  const py::gil_scoped_release free;
  const FlushSubnormals flush;
  const WritingOptions writing{.samples = samples, .tokens = count, .sampling = options};
  const std::vector<Written> written = self.with_model([&]<class R>(Model<R>& model) {
    const auto copies = quantized<R>(model, weight_format(weights));
    return written_texts<R>(model, tokens, prompts, writing, context, check_signals);
  });
  std::vector<std::string> whole;
  for (std::size_t i = 0; i < written.size(); ++i)  // the bytes may end in the middle of a character
    whole.push_back(valid_utf8(prompts[i / static_cast<std::size_t>(samples)].text + written[i].text));
  return whole;
}

std::vector<std::pair<std::string, double>> classify(ModelObject& self, const std::string& text) {
  require(self.config().model.task == TextTask::Classify && !self.classes().empty(), "classify",
          "the model has no labels; argand.train(task=\"classify\") trains a classifier");
  const auto* words = dynamic_cast<const WordTokens*>(&self.require_tokens("classify"));
  require(words != nullptr, "classify", "the model's tokens are not words");
  std::vector<Vocabulary::Id> ids = classifier_ids(words->words(), text);
  require(!ids.empty(), "classify", "the text contains no words");
  const ForwardContext context = self.context(false, 0, 0);
  const py::gil_scoped_release free;
  const FlushSubnormals flush;
  std::vector<std::pair<std::string, double>> labels;
  for (const Guess& guess :
       self.with_model([&]<class R>(Model<R>& model) { return guesses<R>(model, std::move(ids), self.classes(), context); }))
    labels.emplace_back(guess.label, guess.probability);
  return labels;
}

/// [(key, default, choices, help)] for the model of a family, as in configuration files.
py::list keys_of(const std::string& family, const std::string& task) {
  ModelConfig config(family_named(family));
  config.task = value_of_word<TextTask>("task", task);
  py::list keys;
  config.visit([&](const char* key, auto& value, const char* choices, const char* help) {
    keys.append(py::make_tuple(key, py::cast(value), choices, help));
  });
  return keys;
}

void bind_tokens(py::module_& m) {
  py::class_<TokensObject>(m, "Tokens")
      .def_property_readonly("kind", [](const TokensObject& self) { return self.tokens->kind(); })
      .def_property_readonly("size", [](const TokensObject& self) { return self.tokens->size(); })
      .def(
          "encode", [](const TokensObject& self, const std::string& text) { return array_of_ids(self.tokens->encode(text).ids); },
          py::arg("text"))
      .def(
          "text",
          [](const TokensObject& self, const IdArray& ids) {
            WrittenText written(*self.tokens, true);
            std::string text;
            for (py::ssize_t i = 0; i < ids.size(); ++i) text += written.next(ids.data()[i]);
            return valid_utf8(text);
          },
          py::arg("ids"))
      .def(
          "shown", [](const TokensObject& self, std::int32_t id) { return self.tokens->shown(id); }, py::arg("id"));
  m.def("learn_tokens", [](const std::string& text, const std::string& kind, std::int64_t words, std::int64_t pieces) {
    return TokensObject{make_tokens({.kind = kind, .words = words, .pieces = pieces}, text)};
  });
}

}  // namespace

void bind_models(py::module_& m) {
  bind_tokens(m);
  py::class_<ModelObject>(m, "FamilyModel")
      .def_property_readonly("parameters", &ModelObject::parameters)
      .def_property_readonly("config", [](const ModelObject& self) { return self.config().to_json(); })
      .def_property_readonly("family", [](const ModelObject& self) { return self.config().model.family().name; })
      .def_property_readonly("task", [](const ModelObject& self) { return word_of(self.config().model.task); })
      .def_property_readonly("step", [](const ModelObject& self) { return self.state().step; })
      .def_property_readonly("classes", &ModelObject::classes)
      .def_property_readonly("tokens",
                             [](const ModelObject& self) {
                               return self.tokens() == nullptr ? std::nullopt : std::optional(TokensObject{self.tokens()});
                             })
      .def("logits",
           [](ModelObject& self, const IdArray& tokens, bool training, std::uint64_t seed, std::uint64_t step) {
             const Ids ids = ids_of(tokens);
             const ForwardContext context = self.context(training, seed, step);
             return py::reinterpret_steal<py::object>(self.call([&](auto& model) { return model.logits(ids, context); }));
           })
      .def("loss",
           [](ModelObject& self, const IdArray& tokens, const IdArray& targets, bool training, std::uint64_t seed,
              std::uint64_t step) {
             const Ids ids = ids_of(tokens), wanted = ids_of(targets);
             const ForwardContext context = self.context(training, seed, step);
             return py::reinterpret_steal<py::object>(
                 self.call([&](auto& model) { return model.loss(ids, wanted, context).total; }));
           })
      .def("generate",
           [](ModelObject& self, const std::vector<std::string>& prompts, std::int64_t samples, std::int64_t count,
              double temperature, std::int64_t top_k, double top_p, std::uint64_t seed, const std::string& weights) {
             return generate(self, prompts, samples, count,
                             {.temperature = temperature, .top_k = top_k, .top_p = top_p, .seed = seed}, weights);
           })
      .def("classify", &classify)
      .def("save", &ModelObject::save);
  m.def("open_model", [](const std::string& path) { return std::make_unique<ModelObject>(open_run(path)); });
  m.def("make_model", [](const KeyedTexts& settings, const std::string& task, const std::optional<TokensObject>& tokens,
                         const std::vector<std::string>& classes) {
    return std::make_unique<ModelObject>(RunConfig::resolve({}, settings_of(settings), task), tokens ? tokens->tokens : nullptr,
                                         classes);
  });
  m.def("is_checkpoint", [](const std::string& path) { return is_checkpoint(SafetensorsFile::open(path)); });
  m.def("families", [] {
    py::list all;
    for (const Family& family : families()) all.append(py::make_tuple(family.name, family.title));
    return all;
  });
  m.def("family_keys", &keys_of, py::arg("family"), py::arg("task"));
}

}  // namespace argand::python
