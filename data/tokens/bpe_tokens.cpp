#include "data/tokens/bpe_tokens.h"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "data/tokens/bpe_file.h"
#include "data/tokens/normalization.h"

namespace argand {
namespace {

class BpeTokens final : public Tokenizer {
 public:
  BpeTokens(std::string json, const std::string& name) : json_(std::move(json)), bpe_(read_bpe_file(json_, name)) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto found = bpe_.ids.find(std::string(1, static_cast<char>(byte)));
      byte_token_[byte] = found == bpe_.ids.end() ? bpe_.unknown.value() : found->second;
    }
    // At the same position, the longest added token takes precedence.
    std::sort(bpe_.added.begin(), bpe_.added.end(), [](const auto& a, const auto& b) { return a.text.size() > b.text.size(); });
  }

  std::string kind() const override { return "tokenizer.json"; }
  std::int64_t size() const override { return static_cast<std::int64_t>(bpe_.tokens.size()); }
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool) const override {
    return is_token(id) ? bpe_.tokens[static_cast<std::size_t>(id)] : fmt::format("<{}>", id);
  }
  std::string shown(Id id) const override;
  using Tokenizer::shown;
  std::optional<Id> unknown() const override { return bpe_.unknown; }
  std::string file() const override { return json_; }

 private:
  struct Encoding;

  bool is_token(Id id) const { return id >= 0 && id < size() && !bpe_.tokens[static_cast<std::size_t>(id)].empty(); }
  void add(Encoding& to, Id id, std::uint32_t bytes) const;
  void add_text(Encoding& to, std::string_view text, bool first) const;
  void add_normalized(Encoding& to, std::string_view text) const;
  void add_part(Encoding& to, std::string_view text, std::size_t rule) const;
  void add_words(Encoding& to, std::string_view text) const;
  void add_word(Encoding& to, std::string_view word, std::uint32_t not_in_text) const;
  struct Piece {
    Id id;
    std::uint32_t bytes;
  };
  std::vector<Piece> merged(std::string_view word) const;

  std::string json_;
  BpeFile bpe_;
  std::array<Id, 256> byte_token_{};
};

struct BpeTokens::Encoding {
  std::vector<Id> ids;
  std::vector<std::uint32_t> bytes;
  std::vector<bool> unknown;
  std::unordered_map<std::string, std::vector<Piece>> words;  ///< words already merged
};

TokenText BpeTokens::encode(std::string_view text) const {
  Encoding found;
  add_text(found, text, true);
  const Shape shape{static_cast<std::int64_t>(found.ids.size())};
  return {Ids(shape, std::move(found.ids)), std::move(found.bytes), std::move(found.unknown)};
}

void BpeTokens::add(Encoding& to, Id id, std::uint32_t bytes) const {
  to.ids.push_back(id);
  to.bytes.push_back(bytes);
  if (bpe_.unknown) to.unknown.push_back(id == *bpe_.unknown);
}

/// Splits the text at added tokens: first at those marked `first`, then, in what remains, at the others.
void BpeTokens::add_text(Encoding& to, std::string_view text, bool first) const {
  const auto add_between = [&](std::string_view between) {
    if (between.empty()) return;
    if (!first)
      add_part(to, between, 0);
    else if (bpe_.nfc)
      add_normalized(to, between);
    else
      add_text(to, between, false);
  };
  std::array<bool, 256> begins{};
  for (const BpeFile::Added& token : bpe_.added)
    if (token.first == first) begins[static_cast<unsigned char>(token.text[0])] = true;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto here = !begins[static_cast<unsigned char>(text[at])]
                          ? bpe_.added.end()
                          : std::find_if(bpe_.added.begin(), bpe_.added.end(), [&](const BpeFile::Added& token) {
                              return token.first == first && text.substr(at).starts_with(token.text);
                            });
    if (here == bpe_.added.end()) {
      ++at;
      continue;
    }
    add_between(text.substr(done, at - done));
    add(to, here->id, static_cast<std::uint32_t>(here->text.size()));
    done = at += here->text.size();
  }
  add_between(text.substr(done));
}

void BpeTokens::add_normalized(Encoding& to, std::string_view text) const {
  const NfcText normal(text);
  std::size_t i = to.bytes.size(), end = 0, before = 0;
  add_text(to, normal.text(), false);
  for (; i < to.bytes.size(); ++i) {
    end += to.bytes[i];
    const std::size_t original = normal.original_bytes(end);
    to.bytes[i] = static_cast<std::uint32_t>(original - std::exchange(before, original));
  }
}

/// Splits a text without added tokens by bpe_.cuts[rule] and the rules after it.
void BpeTokens::add_part(Encoding& to, std::string_view text, std::size_t rule) const {
  if (rule == bpe_.cuts.size()) return add_words(to, text);
  while (!text.empty()) {
    const std::size_t length = first_part(bpe_.cuts[rule], text);
    add_part(to, text.substr(0, length), rule + 1);
    text.remove_prefix(length);
  }
}

void BpeTokens::add_words(Encoding& to, std::string_view text) const {
  const std::string with_space = bpe_.prefix_space && !text.starts_with(' ') ? " " + std::string(text) : "";
  std::uint32_t not_in_text = with_space.empty() ? 0 : 1;
  for (std::string_view rest = with_space.empty() ? text : with_space; !rest.empty(); not_in_text = 0) {
    const std::size_t length = bpe_.words ? first_part(TextCut::Gpt2, rest) : rest.size();
    add_word(to, rest.substr(0, length), not_in_text);
    rest.remove_prefix(length);
  }
}

/// `not_in_text` is the number of leading bytes of the word that are not in the text.
void BpeTokens::add_word(Encoding& to, std::string_view word, std::uint32_t not_in_text) const {
  const auto [known, is_new] = to.words.try_emplace(std::string(word));
  if (is_new) known->second = merged(word);
  for (const Piece& piece : known->second) {
    add(to, piece.id, piece.bytes - not_in_text);
    not_in_text = 0;
  }
}

/// The tokens of a word: starting from single bytes, pairs are merged in order of rank, and from left to right at equal rank.
std::vector<BpeTokens::Piece> BpeTokens::merged(std::string_view word) const {
  if (bpe_.whole_words)
    if (const auto whole = bpe_.ids.find(std::string(word)); whole != bpe_.ids.end())
      return {{whole->second, static_cast<std::uint32_t>(word.size())}};
  struct Part {
    Id id;
    std::size_t before, after;  ///< indices of the neighbours; word.size() if there is none
    bool gone = false;
  };
  struct Candidate {
    std::int64_t rank;
    std::size_t left;
    Id merged;
    bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
  };
  const std::size_t none = word.size();
  std::vector<Part> parts;
  for (std::size_t i = 0; i < word.size(); ++i)
    parts.push_back({byte_token_[static_cast<unsigned char>(word[i])], i == 0 ? none : i - 1, i + 1});
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto merge_at = [&](std::size_t left) -> const BpeFile::Merge* {
    if (left == none || parts[left].gone || parts[left].after == none) return nullptr;
    const auto found = bpe_.merges.find(BpeFile::pair_of(parts[left].id, parts[parts[left].after].id));
    return found == bpe_.merges.end() ? nullptr : &found->second;
  };
  const auto consider = [&](std::size_t left) {
    if (const BpeFile::Merge* const merge = merge_at(left)) queue.push({merge->rank, left, merge->merged});
  };
  for (std::size_t i = 0; i < word.size(); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const BpeFile::Merge* const merge = merge_at(best.left);
    if (merge == nullptr || merge->merged != best.merged) continue;  // outdated: one of the two has already been merged
    Part& left = parts[best.left];
    Part& right = parts[left.after];
    left.id = best.merged;
    left.after = right.after;
    right.gone = true;
    if (left.after != none) parts[left.after].before = best.left;
    consider(left.before);
    consider(best.left);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < none; i = parts[i].after)
    pieces.push_back({parts[i].id, static_cast<std::uint32_t>(parts[i].after - i)});
  return pieces;
}

std::string BpeTokens::shown(Id id) const {
  if (!is_token(id)) return fmt::format("<{}>", id);
  const std::string& bytes = bpe_.tokens[static_cast<std::size_t>(id)];
  std::string line;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view before = rest;
    const bool valid = take_character(rest) != U'\xFFFD' || before.size() - rest.size() == 3;
    const std::string_view one = before.substr(0, before.size() - rest.size());
    if (one == " ")
      line += "·";
    else if (one == "\n")
      line += "↵";
    else
      line += valid ? on_one_line(one) : fmt::format("\\x{:02x}", static_cast<unsigned char>(one[0]));
  }
  return line;
}

}  // namespace

TokenizerPtr load_bpe(const std::string& path) { return std::make_shared<BpeTokens>(read_bytes("tokens", path), path); }

}  // namespace argand
