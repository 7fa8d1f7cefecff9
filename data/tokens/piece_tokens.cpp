#include "data/tokens/piece_tokens.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>

#include "core/error.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "data/tokens/piece_model.h"

#ifndef ARGAND_NO_SENTENCEPIECE

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

namespace argand {
namespace {

namespace sp = sentencepiece;

/// SentencePiece's symbol for a space.
constexpr std::string_view space_sign = "\xE2\x96\x81", replacement_sign = "\xEF\xBF\xBD";

/// Calls f(), which calls SentencePiece: it reports errors through a status, but its code can also throw.
template <class F>
auto guarded(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    fail("tokens", "{} is not a SentencePiece model, or it is damaged: {}", name,
         on_one_line(why.substr(std::min(why.size(), why.rfind(": ") + 2))));
  }
}

/// The integers that occur in a text, in order.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    if (error == std::errc() && text[i] != '-') numbers.push_back(number), i = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

/// Rewrites SentencePiece's error message in terms of argand's options.
std::string translate_error(std::string_view why) {
  why.remove_prefix(std::min(why.size(), why.rfind(']') + 1));
  const std::vector<std::int64_t> numbers = numbers_in(why);
  if (why.find("required_chars") != why.npos && numbers.size() >= 2)
    return fmt::format("bytes and single characters alone take {}; raise `vocab_size` above that, or set `tokens` to byte",
                       numbers[1]);
  if (why.find("too high") != why.npos && numbers.size() >= 2)
    return fmt::format("at most {} are possible; lower `vocab_size` to that, or give more text", numbers.back());
  return on_one_line(why);
}

class PieceTokens final : public Tokenizer {
 public:
  /// `name` is the file's name, for error messages.
  PieceTokens(std::string model, const std::string& name)
      : name_(name), model_(std::move(model)), about_(check_piece_model("tokens", name, model_)) {
    const bool loaded = guarded(name, [&] { return processor_.LoadFromSerializedProto(model_).ok(); });
    require(loaded, "tokens", "{} is not a SentencePiece model, or it is damaged: SentencePiece rejects it", name);
    line_end_ = processor_.PieceToId("\n");
    if (processor_.IsUnknown(line_end_)) line_end_ = processor_.PieceToId("<0x0A>");
    if (processor_.IsUnknown(line_end_)) line_end_ = processor_.eos_id();
    require(line_end_ >= 0, "tokens", "{} has no piece for line breaks: neither a newline, nor bytes, nor </s>", name);
  }

  std::string kind() const override {
    switch (about_.method) {
      case PieceModel::Method::Bpe: return "bpe";
      case PieceModel::Method::Word: return "SentencePiece words";
      case PieceModel::Method::Char: return "SentencePiece characters";
      default: return "unigram";
    }
  }
  std::int64_t size() const override { return processor_.GetPieceSize(); }
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool line_start) const override;
  std::string shown(Id id) const override;
  using Tokenizer::shown;
  std::optional<Id> unknown() const override { return processor_.unk_id(); }
  std::string file() const override { return model_; }

 private:
  bool is_piece(Id id) const { return id >= 0 && id < size(); }

  std::string name_, model_;
  PieceModel about_;
  sp::SentencePieceProcessor processor_;
  Id line_end_ = -1;
};

/// Replaces each space symbol in a piece by `space`.
std::string with_spaces(std::string_view piece, std::string_view space) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const bool is_space = piece.substr(at).starts_with(space_sign);
    text += is_space ? space : piece.substr(at, 1);
    at += is_space ? space_sign.size() : 1;
  }
  return text;
}

TokenText PieceTokens::encode(std::string_view text) const {
  std::vector<Id> ids;
  std::vector<std::uint32_t> bytes;
  std::vector<bool> unknown;
  std::uint32_t left_out = 0;  // bytes not yet covered by a piece
  const auto add = [&](Id id, std::uint32_t length) {
    ids.push_back(id);
    bytes.push_back(length + left_out);
    unknown.push_back(processor_.IsUnknown(id));
    left_out = 0;
  };
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const bool ends = text.find('\n') != text.npos;
    const std::string_view line = take_line(text);
    require(line.size() <= longest_piece_line, "tokens",
            "line {} has {} bytes, more than the {} that pieces allow; `tokens` char and byte accept lines of any length", number,
            line.size(), longest_piece_line);
    sp::ImmutableSentencePieceText found;
    const bool encoded = guarded(name_, [&] { return processor_.Encode(line, found.mutable_proto()).ok(); });
    require(encoded, "tokens", "SentencePiece cannot encode line {}", number);
    std::uint32_t end = 0;
    for (std::size_t i = 0; i < found.pieces_size(); ++i) {
      const auto piece = found.pieces(static_cast<int>(i));
      const std::uint32_t piece_end = std::min(std::max(piece.end(), end), static_cast<std::uint32_t>(line.size()));
      add(static_cast<Id>(piece.id()), piece_end - end);
      end = piece_end;
    }
    left_out += static_cast<std::uint32_t>(line.size()) - end;
    if (ends) add(line_end_, 1);
  }
  if (left_out > 0 && !bytes.empty()) bytes.back() += left_out;
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return {Ids(shape, std::move(ids)), std::move(bytes), std::move(unknown)};
}

std::string PieceTokens::text(Id id, bool line_start) const {
  if (!is_piece(id)) return fmt::format("<{}>", id);
  if (id == line_end_) return "\n";
  if (processor_.IsControl(id)) return "";
  if (processor_.IsUnknown(id)) return std::string(replacement_sign);
  const std::string& piece = processor_.IdToPiece(id);
  if (processor_.IsByte(id)) return std::string(1, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
  std::string text = with_spaces(piece, " ");
  if (line_start && about_.dummy_prefix && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::string PieceTokens::shown(Id id) const {
  if (!is_piece(id)) return fmt::format("<{}>", id);
  return id == line_end_ ? "↵" : on_one_line(with_spaces(processor_.IdToPiece(id), "·"));
}

/// The lines of a text, from which SentencePiece learns. Lines longer than its limit are split, because it would skip them.
class Lines final : public sp::SentenceIterator {
 public:
  static constexpr std::size_t longest = 4096, most = 1'000'000;

  explicit Lines(std::string_view text) : rest_(text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    stride_ = 1 + lines / most;
    take();
  }
  bool done() const override { return done_; }
  void Next() override { take(); }
  const std::string& value() const override { return line_; }
  sp::util::Status status() const override { return {}; }

 private:
  void take() {
    if (part_.empty()) {
      done_ = rest_.empty();
      part_ = take_line(rest_);
      for (std::size_t i = 1; i < stride_ && !rest_.empty(); ++i) take_line(rest_);
    }
    std::size_t end = part_.size();
    if (end > longest) {
      end = part_.rfind(' ', longest);
      if (end == part_.npos || end == 0) end = longest;
      while (end > 1 && (part_[end] & '\xC0') == '\x80') --end;  // do not cut inside a character
    }
    line_ = part_.substr(0, end);
    part_.remove_prefix(end);
  }

  std::string_view rest_, part_;
  std::string line_;
  std::size_t stride_ = 1;
  bool done_ = false;
};

}  // namespace

bool have_sentencepiece() { return true; }

TokenizerPtr learn_pieces(const std::string& kind, std::string_view text, std::int64_t pieces) {
  Lines lines(text);
  std::string model;
  const sp::util::Status status = sp::SentencePieceTrainer::Train({{"model_type", kind},
                                                                   {"vocab_size", fmt::format("{}", pieces)},
                                                                   {"hard_vocab_limit", "false"},
                                                                   {"normalization_rule_name", "identity"},
                                                                   {"remove_extra_whitespaces", "false"},
                                                                   {"byte_fallback", "true"},
                                                                   {"bos_id", "-1"},
                                                                   {"eos_id", "-1"},
                                                                   {"max_sentence_length", fmt::format("{}", Lines::longest)},
                                                                   {"num_threads", "2"},  // the pieces depend on this number
                                                                   {"minloglevel", "9"}},
                                                                  &lines, &model);
  require(status.ok(), "tokens", "SentencePiece cannot learn {} pieces from this text: {}", pieces,
          translate_error(status.message()));
  return std::make_shared<PieceTokens>(std::move(model), "the learned model");
}

TokenizerPtr load_pieces(const std::string& path) { return std::make_shared<PieceTokens>(read_bytes("tokens", path), path); }

}  // namespace argand

#else

namespace argand {
namespace {

[[noreturn]] void fail_without() {
  fail("tokens",
       "argand was built without SentencePiece; install libsentencepiece-dev and rebuild, or set `tokens` to char, byte or words");
}

}  // namespace

bool have_sentencepiece() { return false; }
TokenizerPtr learn_pieces(const std::string&, std::string_view, std::int64_t) { fail_without(); }
TokenizerPtr load_pieces(const std::string&) { fail_without(); }

}  // namespace argand

#endif
