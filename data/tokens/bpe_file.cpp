#include "data/tokens/bpe_file.h"

#include "core/error.h"
#include "core/machine/json.h"
#include "data/files/utf8.h"
#include "data/tokens/normalization.h"

namespace argand {
namespace {

using JsonValue = nlohmann::json;
using Id = Tokenizer::Id;

/// Larger than any vocabulary in use. Limits the memory that a file with an id of 4 000 000 000 could demand.
constexpr std::int64_t most_bpe_tokens = 1 << 20;

/// GPT-2 represents each byte by one visible character: printable bytes by themselves, others by characters from U+0100 upwards.
class ByteAlphabet {
 public:
  ByteAlphabet() {
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
      bytes_.emplace(printable ? static_cast<char32_t>(byte) : next++, static_cast<char>(byte));
    }
  }
  /// The bytes that a token's characters represent; empty if one of them is outside the alphabet.
  std::optional<std::string> bytes_of(std::string_view token) const {
    std::string bytes;
    while (!token.empty()) {
      const auto found = bytes_.find(take_character(token));
      if (found == bytes_.end()) return std::nullopt;
      bytes += found->second;
    }
    return bytes;
  }

 private:
  std::unordered_map<char32_t, char> bytes_;
};

class Reader {
 public:
  Reader(std::string_view json, const std::string& name) : name_(name), json_(try_parse_json<JsonValue>(json)) {}

  BpeFile read() {
    if (!json_.is_object()) wrong("it is not JSON, or is nested too deeply");
    const JsonValue* const model = member(json_, "model");
    if (model == nullptr)
      wrong("it has no \"model\"; a vocab.json alone has no merges: save the tokenizer with tokenizers' Tokenizer.save()");
    if (!model->is_object()) wrong("its \"model\" is not an object");
    read_kind(*model);
    read_normalizer();
    read_pre_tokenizer(member(json_, "pre_tokenizer"));
    read_vocabulary(*model);
    read_merges(*model);
    read_added();
    read_unknown(*model);
    return std::move(file_);
  }

 private:
  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) const {
    fail("tokens", "{} is not a byte-level BPE tokenizer.json: {}", name_, fmt::format(text, std::forward<Args>(args)...));
  }

  /// The named member of an object; null if it is missing or null.
  static const JsonValue* member(const JsonValue& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  bool flag(const JsonValue& object, const char* key, bool otherwise = false) const {
    const JsonValue* const value = member(object, key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) wrong("\"{}\" is not true or false", key);
    return value->get<bool>();
  }
  std::string text(const JsonValue& object, const char* key) const {
    const JsonValue* const value = member(object, key);
    if (value == nullptr) return "";
    if (!value->is_string()) wrong("\"{}\" is not a string", key);
    return value->get<std::string>();
  }
  Id id_of(const JsonValue& value, const std::string& token) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= static_cast<std::uint64_t>(most_bpe_tokens))
      wrong("the id of {} is not a number below {}", in_quotes(token), most_bpe_tokens);
    return static_cast<Id>(value.get<std::int64_t>());
  }

  void read_kind(const JsonValue& model) const {
    const std::string type = text(model, "type");
    if (type != "BPE" && !(type.empty() && model.contains("merges"))) wrong("its model is {}", in_quotes(type));
    if (flag(model, "byte_fallback"))
      wrong("it writes unknown characters as byte tokens, as SentencePiece does; use the tokenizer.model from the same folder");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!text(model, key).empty()) wrong("it marks its pieces with \"{}\"", key);
    if (const JsonValue* const dropout = member(model, "dropout"); dropout != nullptr && *dropout != 0)
      wrong("it drops merges at random (\"dropout\")");
  }

  void read_normalizer() {
    const JsonValue* const normalizer = member(json_, "normalizer");
    if (normalizer == nullptr) return;
    for (const JsonValue* step : steps_of(*normalizer, "normalizers")) {
      if (!step->is_object()) wrong("its normalizer is not an object");
      if (const std::string type = text(*step, "type"); type != "NFC")
        wrong("it changes the text with the normalizer {}; argand supports only NFC", in_quotes(type));
      file_.nfc = true;
    }
  }

  /// The members of a Sequence; for any other step, the step itself.
  std::vector<const JsonValue*> steps_of(const JsonValue& step, const char* members) const {
    if (!step.is_object() || text(step, "type") != "Sequence") return {&step};
    std::vector<const JsonValue*> steps;
    if (const JsonValue* const all = member(step, members); all != nullptr && all->is_array())
      for (const JsonValue& one : *all) steps.push_back(&one);
    return steps;
  }

  void read_pre_tokenizer(const JsonValue* step) {
    if (step == nullptr) wrong("it has no pre-tokenizer ByteLevel");
    const std::vector<const JsonValue*> steps = steps_of(*step, "pretokenizers");
    if (steps.empty()) wrong("it has no pre-tokenizer ByteLevel");
    for (const JsonValue* one : steps) {
      if (!one->is_object()) wrong("its pre-tokenizer is not an object");
      const std::string type = text(*one, "type");
      if (type == "Digits" && one != steps.back()) {
        file_.cuts.push_back(flag(*one, "individual_digits") ? TextCut::EachDigit : TextCut::Digits);
      } else if (type == "Split" && one != steps.back()) {
        file_.cuts.push_back(split_of(*one));
      } else if (type == "ByteLevel" && one == steps.back()) {
        file_.prefix_space = flag(*one, "add_prefix_space", true);
        file_.words = flag(*one, "use_regex", true);
      } else {
        wrong("it splits the text with the pre-tokenizer {}; argand supports ByteLevel, alone or after Digits and Split",
              in_quotes(type));
      }
    }
  }

  /// The rule of a Split. Every supported expression matches a text completely, so the matches are the parts, which a file can
  /// specify in two ways: as Isolated, or as Removed with "invert".
  TextCut split_of(const JsonValue& step) const {
    const JsonValue* const pattern = member(step, "pattern");
    const std::string regex = pattern != nullptr && pattern->is_object() ? text(*pattern, "Regex") : "";
    const std::optional<TextCut> cut = cut_of_regex(regex);
    if (!cut)
      wrong("it splits the text by {}; argand supports only the regular expressions of GPT-2, GPT-4 and Llama 3, and Qwen2",
            pattern == nullptr ? "no pattern" : in_quotes(regex.empty() ? pattern->dump() : regex));
    const std::string behavior = text(step, "behavior");
    if (behavior != (flag(step, "invert") ? "Removed" : "Isolated")) wrong("its Split has the behavior {}", in_quotes(behavior));
    return *cut;
  }

  void read_vocabulary(const JsonValue& model) {
    const JsonValue* const vocabulary = member(model, "vocab");
    if (vocabulary == nullptr || !vocabulary->is_object() || vocabulary->empty()) wrong("its model has no \"vocab\"");
    for (const auto& [token, value] : vocabulary->items()) {
      const Id id = id_of(value, token);
      // A token with characters outside the byte alphabet, such as a special token in Chinese, does not result from merging bytes:
      // its text is kept unchanged.
      const std::optional<std::string> bytes = alphabet_.bytes_of(token);
      put(id, bytes.value_or(token), token);
      names_.emplace(token, id);
      if (bytes) file_.ids.emplace(*bytes, id);
    }
    file_.whole_words = flag(model, "ignore_merges");
  }

  /// Sets the bytes of the token with this id.
  void put(Id id, const std::string& bytes, const std::string& token) {
    const auto at = static_cast<std::size_t>(id);
    if (token.empty()) wrong("token {} is empty", id);
    if (at >= file_.tokens.size()) file_.tokens.resize(at + 1);
    if (!file_.tokens[at].empty()) wrong("id {} has two tokens, one of them {}", id, in_quotes(token));
    file_.tokens[at] = bytes;
  }

  Id named(const std::string& token, std::string_view where) const {
    const auto found = names_.find(token);
    if (found == names_.end()) wrong("{} has {}, which is not in the vocabulary", where, in_quotes(token));
    return found->second;
  }

  void read_merges(const JsonValue& model) {
    const JsonValue* const merges = member(model, "merges");
    if (merges == nullptr || !merges->is_array()) wrong("its model has no \"merges\"");
    std::int64_t rank = 0;
    for (const JsonValue& merge : *merges) {
      std::string left, right;
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>(), right = merge[1].get<std::string>();
      } else if (merge.is_string()) {
        const std::string both = merge.get<std::string>();
        const std::size_t space = both.find(' ');
        if (space != both.npos) left = both.substr(0, space), right = both.substr(space + 1);
      }
      if (left.empty() || right.empty()) wrong("merge {} is not a pair of tokens", rank + 1);
      const std::string where = fmt::format("merge {}", rank + 1);
      file_.merges[BpeFile::pair_of(named(left, where), named(right, where))] = {rank, named(left + right, where)};
      ++rank;
    }
  }

  void read_added() {
    const JsonValue* const all = member(json_, "added_tokens");
    if (all == nullptr) return;
    if (!all->is_array()) wrong("\"added_tokens\" is not a list");
    for (const JsonValue& token : *all) {
      if (!token.is_object()) wrong("\"added_tokens\" contains an element that is not an object");
      const std::string content = text(token, "content");
      if (content.empty()) wrong("an added token is empty");
      const Id id = id_of(token.value("id", JsonValue()), content);
      for (const char* key : {"single_word", "lstrip", "rstrip"})
        if (flag(token, key)) wrong("the added token {} has \"{}\"", in_quotes(content), key);
      if (const auto known = names_.find(content); known == names_.end())
        put(id, content, content);
      else if (known->second != id)
        wrong("{} has the ids {} and {}", in_quotes(content), known->second, id);
      else
        file_.tokens[static_cast<std::size_t>(id)] = content;
      const bool first = !flag(token, "normalized", true);
      file_.added.push_back({file_.nfc && !first ? NfcText(content).text() : content, id, first});
    }
  }

  void read_unknown(const JsonValue& model) {
    int missing = 0, first = 0;
    for (int byte = 255; byte >= 0; --byte)
      if (!file_.ids.contains(std::string(1, static_cast<char>(byte)))) ++missing, first = byte;
    if (missing == 0) return;
    const std::string unknown = text(model, "unk_token");
    if (unknown.empty())
      wrong(
          "{} of the 256 bytes, the first of them 0x{:02x}, have no token, and there is no \"unk_token\"; train it with "
          "initial_alphabet=ByteLevel.alphabet()",
          missing, first);
    if (flag(model, "fuse_unk")) wrong("it merges consecutive unknown tokens into one (\"fuse_unk\")");
    file_.unknown = named(unknown, "\"unk_token\"");
  }

  const std::string& name_;
  JsonValue json_;
  BpeFile file_;
  ByteAlphabet alphabet_;
  std::unordered_map<std::string, Id> names_;
};

}  // namespace

BpeFile read_bpe_file(std::string_view json, const std::string& name) { return Reader(json, name).read(); }

}  // namespace argand
