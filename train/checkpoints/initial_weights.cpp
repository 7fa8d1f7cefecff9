#include "train/checkpoints/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "data/files/checksum.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// What the rows of a parameter correspond to.
enum class Rows { Nothing, Words, Classes };

/// Maps the name of every parameter to its number of rows in a model with this many words and classes.
std::map<std::string, std::int64_t> row_counts(ModelConfig config, std::int64_t words, std::int64_t classes) {
  config.vocab_size = words;
  config.n_classes = classes;
  std::map<std::string, std::int64_t> counts;
  for (const Parameter<float>& p : make_model<float>(config, 0)->parameters())
    counts[p.name] = p.shape().rank() > 0 ? p.shape()[0] : 0;
  return counts;
}

/// Finds what the rows of each parameter correspond to, by testing which row counts change with the number of words or classes.
std::map<std::string, Rows> rows_of(const ModelConfig& config) {
  const auto few = row_counts(config, 3, 5), more = row_counts(config, 4, 6);
  std::map<std::string, Rows> rows;
  for (const auto& [name, n] : few) rows[name] = n == more.at(name) ? Rows::Nothing : n == 3 ? Rows::Words : Rows::Classes;
  return rows;
}

/// `shape` with its first size replaced by that of `other`.
Shape with_rows_of(const Shape& other, Shape shape) {
  if (shape.rank() > 0 && other.rank() > 0) shape[0] = other[0];
  return shape;
}

std::string kind_and_shape(bool is_complex, const Shape& shape) { return (is_complex ? "complex " : "") + shape.str(); }

template <Scalar T>
void require_finite(const Tensor<T>& x, const std::string& name, const std::string& path) {
  const auto finite = [](T v) { return std::isfinite(static_cast<double>(abs2_of(v))); };
  require(std::all_of(x.begin(), x.end(), finite), "init", "{} in {} contains non-finite numbers", name, path);
}

/// "a, b, c, ..." or "none"
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + on_one_line(names[i]);
  return names.empty() ? "none" : text + (names.size() > most ? ", ..." : "");
}

/// For each word of a model, its row in the file; empty for words that are not in the file's vocabulary.
using WordRows = std::vector<std::optional<Vocabulary::Id>>;

/// Tokens are compared by both their display form and their text, because a piece can look like a byte token.
WordRows rows_in(const Tokenizer& theirs, const Tokenizer& ours) {
  const auto name = [](const Tokenizer& tokens, Tokenizer::Id id) { return std::pair(tokens.shown(id), tokens.text(id, false)); };
  std::map<std::pair<std::string, std::string>, Tokenizer::Id> known;
  if (theirs.kind() == ours.kind())
    for (Tokenizer::Id id = 0; id < theirs.size(); ++id) known.emplace(name(theirs, id), id);
  WordRows rows;
  for (Tokenizer::Id id = 0; id < ours.size(); ++id) {
    const auto found = known.find(name(ours, id));
    rows.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
  }
  return rows;
}

/// A parameter and the values to load into it.
template <RealScalar R>
struct Taken {
  Parameter<R> parameter;
  bool by_words;  ///< copy row by row, only for words in both vocabularies
  AnyTensorOf<R> numbers{};
};

template <RealScalar R, class File>
void read(const File& file, Taken<R>& taken) {
  std::visit(
      [&]<class T>(const Var<T>&) {
        Tensor<T> x = file.template tensor<T>(taken.parameter.name);
        require_finite(x, taken.parameter.name, file.path());
        taken.numbers = std::move(x);
      },
      taken.parameter.var);
}

/// Copies the values into the parameter and returns how many real numbers were copied.
template <RealScalar R>
std::int64_t put(Taken<R>& taken, const WordRows& rows) {
  return std::visit(
      [&]<class T>(Var<T>& v) {
        const Tensor<T>& theirs = std::get<Tensor<T>>(taken.numbers);
        if (!taken.by_words) {
          v.value() = theirs;
          return taken.parameter.degrees_of_freedom();
        }
        T* to = v.value().data();
        const std::int64_t width = theirs.size() / std::max<std::int64_t>(1, theirs.dim(0));
        std::int64_t count = 0;
        for (const auto& row : rows) {
          if (row && *row < theirs.dim(0)) std::copy_n(theirs.data() + *row * width, width, to), ++count;
          to += width;
        }
        return count * width * (taken.parameter.is_complex() ? 2 : 1);
      },
      taken.parameter.var);
}

}  // namespace

/// Recognizes the format by its contents: an archive begins with "PK".
InitialWeights::File InitialWeights::open(const std::string& path) {
  char beginning[2] = {};
  std::ifstream(path, std::ios::binary).read(beginning, sizeof beginning);
  if (beginning[0] == 'P' && beginning[1] == 'K') return NpzFile::open(path);
  return SafetensorsFile::open(path);
}

InitialWeights::InitialWeights(const std::string& source) : source_(source), path_(find_checkpoint(source)), file_(open(path_)) {
  const auto* tensors = std::get_if<SafetensorsFile>(&file_);
  if (tensors != nullptr && is_checkpoint(*tensors)) run_ = std::make_unique<const TrainedRun>(open_run(path_));
}

Settings InitialWeights::model_settings() const {
  static const std::set<std::string_view> of_the_data = {"task", "n_classes", "vocab_size"};
  Settings settings;
  if (!run_) return settings;
  ModelConfig model = run_->checkpoint.config().model;
  model.visit([&](const char* key, auto& value, const char*, const char*) {
    if (of_the_data.contains(key)) return;
    std::string text = toml_line(key, value).substr(std::string_view(key).size() + 3);
    std::erase_if(text, [](char c) { return c == '"' || c == '[' || c == ']'; });
    settings.push_back({key, text, "`init` " + source_});
  });
  return settings;
}

const TrainedRun* InitialWeights::language_model() const {
  return run_ && run_->checkpoint.config().model.task == TextTask::Lm ? run_.get() : nullptr;
}

std::string InitialWeights::checksum() const {
  std::ifstream in(path_, std::ios::binary);
  Checksum sum;
  for (std::string piece(1 << 20, '\0'); in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0;)
    sum.add({piece.data(), static_cast<std::size_t>(in.gcount())});
  require(in.eof(), "init", "cannot read {}", path_);
  return sum.hex();
}

template <RealScalar R>
FittedWeights InitialWeights::load(Model<R>& model, const Tokenizer& words, const std::vector<std::string>& classes) const {
  const std::map<std::string, Rows> rows = rows_of(model.config());
  const std::map<std::string, Rows> their_rows = run_ ? rows_of(run_->checkpoint.config().model) : rows;
  const bool other_words = run_ && (run_->tokens->kind() != words.kind() || run_->tokens->file() != words.file());
  const auto in_file = [&](const auto& f) { return std::visit(f, file_); };
  FittedWeights fitted{.path = path_, .words = words.size(), .called = plural_of(words.kind())};
  fitted.same_pieces = run_ && !other_words && is_token_file(token_file(words.kind()));
  std::vector<Taken<R>> all_taken;
  std::set<std::string> known;
  for (const Parameter<R>& p : model.parameters()) {
    known.insert(p.name);
    ++fitted.all_tensors;
    fitted.all_numbers += p.degrees_of_freedom();
    if (!in_file([&](const auto& file) { return file.contains(p.name); })) {
      (rows.at(p.name) == Rows::Classes ? fitted.own : fitted.missing).push_back(p.name);
      continue;
    }
    const auto [shape_there, complex_there] =
        in_file([&](const auto& file) { return std::pair(file.info(p.name).shape, file.info(p.name).is_complex); });
    const Rows own = rows.at(p.name), their = their_rows.contains(p.name) ? their_rows.at(p.name) : Rows::Nothing;
    const bool same_classes = own == their && (run_ ? run_->classes == classes : shape_there == p.shape());
    if ((own == Rows::Classes || their == Rows::Classes) && !same_classes) {
      fitted.own.push_back(p.name);
      continue;
    }
    const bool by_words = run_ && own == Rows::Words && (other_words || shape_there != p.shape());
    const Shape shape = by_words ? with_rows_of(p.shape(), shape_there) : shape_there;
    require(complex_there == p.is_complex() && shape == p.shape(), "init", "{} is {} in {}, but {} in this model; {}", p.name,
            kind_and_shape(complex_there, shape_there), path_, kind_and_shape(p.is_complex(), p.shape()),
            run_ ? "leave out `d_model`, `n_layers` and the like to use the sizes of that run"
                 : "set the sizes that the file was made with: `family`, `d_model`, `n_heads`, `d_ff`, ...");
    all_taken.push_back({p, by_words});
  }
  for (const std::string& name : in_file([](const auto& file) { return file.names(); }))
    if (!known.contains(name) && !is_resume_state(name)) fitted.extra.push_back(name);
  require(!all_taken.empty(), "init",
          "no tensor in {} has the name of a parameter of this model: the file has {}; the model has {}", path_,
          first_names(fitted.extra), first_names(fitted.missing));

  const WordRows word_rows = run_ ? rows_in(*run_->tokens, words) : WordRows(static_cast<std::size_t>(words.size()));
  if (other_words)
    fitted.words_in_common = std::count_if(word_rows.begin(), word_rows.end(), [](const auto& row) { return row.has_value(); });
  for (Taken<R>& taken : all_taken)
    in_file([&](const auto& file) { read(file, taken); });  // read everything before changing anything
  for (Taken<R>& taken : all_taken) fitted.numbers += put(taken, word_rows);
  fitted.tensors = static_cast<std::int64_t>(all_taken.size());
  return fitted;
}

#define ARGAND_INITIAL_WEIGHTS(R) \
  template FittedWeights InitialWeights::load(Model<R>&, const Tokenizer&, const std::vector<std::string>&) const;
ARGAND_FOR_REAL(ARGAND_INITIAL_WEIGHTS)

}  // namespace argand
