#include "data/corpora/labelled_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "core/error.h"
#include "core/text/text_layout.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// In order of preference.
constexpr std::array<std::string_view, 18> names_of_texts = {"text",  "review",   "content",  "body",        "comment",   "message",
                                                             "tweet", "sentence", "document", "question",    "utterance", "phrase",
                                                             "sms",   "post",     "summary",  "description", "headline",  "title"};
constexpr std::array<std::string_view, 17> names_of_labels = {"label", "labels", "class",   "category", "target", "sentiment",
                                                              "stars", "score",  "rating",  "polarity", "topic",  "intent",
                                                              "tag",   "spam",   "is_spam", "emotion",  "y"};
using Names = std::span<const std::string_view>;

std::string trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// The first `characters` characters of a text, on one line.
std::string beginning_of(const std::string& text, std::size_t characters) {
  const std::string line = on_one_line(text);
  std::string_view rest = line;
  for (std::size_t i = 0; i < characters && !rest.empty(); ++i) take_character(rest);
  return rest.empty() ? line : line.substr(0, line.size() - rest.size()) + "…";
}

/// Whether a column's name, ignoring case, equals `name` (if `exactly`) or ends in it after an underscore, as "tweet_text" does.
bool is_called(const std::string& column, std::string_view name, bool exactly) {
  const std::string lower = lowered(column);
  return exactly ? lower == name : lower.ends_with("_" + std::string(name));
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Finds a table's text and label columns, and whether its first row is a header.
class Columns {
 public:
  Columns(const Table& table, const std::string& path, const TableColumns& wanted, bool labelled = true)
      : table_(table), path_(path), names_(table.keys) {
    if (!labelled) {
      find_text(wanted);
      return;
    }
    require(table.columns() >= 2, "data", "{} has only one column, but needs a label and a text. The delimiter is a {}", path,
            table.delimiter == '\t'  ? "tab"
            : table.delimiter == ',' ? "comma"
                                     : fmt::format("\"{}\"", table.delimiter));
    if (names_.empty() && wanted.header.value_or(is_header(wanted))) use_header();
    text_ = find(wanted.text, names_of_texts, "`text_column`");
    label_ = find(wanted.label, names_of_labels, "`label_column`");
    if (!text_) text_ = longest();
    if (!label_) label_ = fewest_values();
    require(*text_ != *label_, "data", "{}: text and label cannot both be column {}; choose two columns", path, called(*text_));
    if (names_.empty() && !wanted.header && is_alone(*label_)) use_header();
  }

  std::size_t text() const { return *text_; }
  std::size_t label() const { return *label_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Index of the first data row: 1 if the first row is a header, otherwise 0.
  std::size_t first() const { return first_; }
  std::string called(std::size_t column) const { return names_.empty() ? std::to_string(column + 1) : in_quotes(names_[column]); }

 private:
  void find_text(const TableColumns& wanted) {
    if (names_.empty() && wanted.header.value_or(is_header(wanted))) use_header();
    text_ = find(wanted.text, names_of_texts, "`text_column`");
    if (!text_) text_ = longest();
    if (names_.empty() && !wanted.header && are_words(top()) && table_.rows.size() > 1 &&
        std::none_of(table_.rows.begin() + 1, table_.rows.end(), [&](const TableRow& row) { return is_word(row.fields[*text_]); }))
      use_header();
  }

  const std::vector<std::string>& top() const { return table_.rows.front().fields; }

  bool is_header(const TableColumns& wanted) const {
    return std::any_of(top().begin(), top().end(), [&](const std::string& field) {
      const std::string name = trimmed(field);
      const bool asked_for = !name.empty() && (name == wanted.text || name == wanted.label) && !whole_number(name);
      const auto is_one_of = [&](Names names) {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view n) { return is_called(name, n, true) || is_called(name, n, false); });
      };
      return asked_for || is_one_of(names_of_texts) || is_one_of(names_of_labels);
    });
  }

  void use_header() {
    first_ = 1;
    for (const std::string& field : top()) names_.push_back(trimmed(field));
  }

  /// The requested column, or else one with a common name.
  std::optional<std::size_t> find(const std::string& wanted, Names usual, const char* option) const {
    if (wanted.empty()) {
      for (const bool exactly : {true, false})
        for (const std::string_view name : usual)
          for (std::size_t i = 0; i < names_.size(); ++i)
            if (is_called(names_[i], name, exactly)) return i;
      return std::nullopt;
    }
    if (const auto named = std::find(names_.begin(), names_.end(), wanted); named != names_.end())
      return static_cast<std::size_t>(named - names_.begin());
    if (const auto number = whole_number(wanted); number && *number >= 1 && *number <= static_cast<std::int64_t>(table_.columns()))
      return static_cast<std::size_t>(*number - 1);
    std::string there;
    for (const std::string& name : names_) there += (there.empty() ? "" : ", ") + in_quotes(name);
    if (names_.empty()) there = fmt::format("{} without names", table_.columns());
    fail("data", "{} has no column {} ({}); columns: {}", path_, in_quotes(wanted), option, there);
  }

  std::size_t longest() const {
    std::vector<std::size_t> bytes(table_.columns());
    for (const TableRow& row : table_.rows)
      for (std::size_t i = 0; i < bytes.size(); ++i)
        if (i != label_) bytes[i] += row.fields[i].size();
    return static_cast<std::size_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
  }

  std::size_t fewest_values() const {
    std::size_t best = text_ == 0U ? 1 : 0, fewest = table_.rows.size() + 1;
    for (std::size_t i = 0; i < table_.columns(); ++i) {
      if (i == text_) continue;
      std::set<std::string_view> values;
      std::size_t filled = 0;
      for (std::size_t r = first_; r < table_.rows.size(); ++r) {
        values.insert(table_.rows[r].fields[i]);
        filled += !table_.rows[r].fields[i].empty();
      }
      if (2 * filled >= table_.rows.size() - first_ && values.size() >= 2 && values.size() < fewest)
        best = i, fewest = values.size();
    }
    return best;
  }

  static bool is_word(std::string_view field) { return take_word(field) == "" || take_word(field) == ""; }
  static bool are_words(const std::vector<std::string>& fields) { return std::all_of(fields.begin(), fields.end(), is_word); }

  /// Whether every field of the first row is a single word or empty, and no other row has its label.
  bool is_alone(std::size_t label) const {
    const std::string& own = top()[label];
    return !own.empty() && are_words(top()) && table_.rows.size() > 2 &&
           std::none_of(table_.rows.begin() + 1, table_.rows.end(), [&](const TableRow& row) { return row.fields[label] == own; });
  }

  const Table& table_;
  const std::string& path_;
  std::vector<std::string> names_;
  std::optional<std::size_t> text_, label_;
  std::size_t first_ = 0;
};

}  // namespace

LabelledTable read_labelled_table(const std::string& path, const TableColumns& wanted) {
  Table table = read_table("data", path, wanted.delimiter);
  const Columns columns(table, path, wanted);
  LabelledTable read{.path = path, .lines = {}, .labels = {}, .texts = {}, .columns = {}};
  read.columns = fmt::format("text from column {}, label from {}", columns.called(columns.text()), columns.called(columns.label()));
  // Text such as ", nor in 3 more rows", which counts the rows after row r whose field in this column is empty.
  const auto more_after = [&](std::size_t r, std::size_t column) {
    const auto more = std::count_if(table.rows.begin() + static_cast<std::ptrdiff_t>(r) + 1, table.rows.end(),
                                    [&](const TableRow& row) { return trimmed(row.fields[column]).empty(); });
    return more == 0 ? "" : fmt::format(", nor in {}; remove or complete them", counted(more, "more row"));
  };
  for (std::size_t r = columns.first(); r < table.rows.size(); ++r) {
    TableRow& row = table.rows[r];
    std::string label = trimmed(row.fields[columns.label()]), &text = row.fields[columns.text()];
    if (label.empty())
      fail("data", "{}, line {}: no label in column {}{}", path, row.line, columns.called(columns.label()),
           more_after(r, columns.label()));
    require(std::none_of(label.begin(), label.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }), "data",
            "{}, line {}: control character in the label {}", path, row.line, in_quotes(label));
    std::string_view words = text;
    if (take_word(words).empty())
      fail("data", "{}, line {}: no words in column {}{}", path, row.line, columns.called(columns.text()),
           more_after(r, columns.text()));
    read.lines.push_back(row.line);
    read.labels.push_back(std::move(label));
    read.texts.push_back(std::move(text));
  }
  require(read.size() > 0, "data", "{} has a header but no rows", path);
  return read;
}

TextColumn find_texts(const Table& beginning, const std::string& path, const TableColumns& wanted) {
  const Columns columns(beginning, path, wanted, false);
  return {columns.text(), columns.first() > 0, columns.names()};
}

std::vector<std::string> classes_in(const LabelledTable& table) {
  const std::set<std::string> found(table.labels.begin(), table.labels.end());
  require(found.size() >= 2, "data", "{}: all rows have the label {}; classification needs at least two ({})", table.path,
          in_quotes(*found.begin()), table.columns);
  require(found.size() <= most_classes, "data",
          "{}: {} different labels in {} rows, {}; if the labels are in another column, set `label_column`", table.path,
          found.size(), table.size(), table.columns);
  std::vector<std::string> classes(found.begin(), found.end());
  if (std::all_of(classes.begin(), classes.end(), [](const std::string& name) { return whole_number(name).has_value(); }))
    std::stable_sort(classes.begin(), classes.end(),
                     [](const std::string& a, const std::string& b) { return *whole_number(a) < *whole_number(b); });
  return classes;
}

std::vector<std::string> preview_of(const LabelledTable& table) {
  constexpr std::size_t most_shown = 20, longest = 60;
  std::map<std::string, std::int64_t> counts;
  for (const std::string& label : table.labels) ++counts[label];
  std::vector<std::pair<std::string, std::int64_t>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string shares;
  for (std::size_t i = 0; i < std::min(by_count.size(), most_shown); ++i)
    shares += fmt::format("{}{} {}", i == 0 ? "" : ", ", by_count[i].first, by_count[i].second);
  if (by_count.size() > most_shown) shares += fmt::format(" and {} more", by_count.size() - most_shown);
  std::vector<std::string> lines = {"  rows of each class: " + shares};
  for (std::size_t i = 0; i < std::min<std::size_t>(3, table.texts.size()); ++i)
    lines.push_back(fmt::format("  line {}: {} | {}", table.lines[i], table.labels[i], beginning_of(table.texts[i], longest)));
  const auto alone = std::find_if(by_count.begin(), by_count.end(), [](const auto& c) { return c.second == 1; });
  if (const auto others = by_count.end() - alone - 1; others >= 0)  // sorted by descending count
    lines.push_back(fmt::format("  warning: {} has one row{}; is that a class?", in_quotes(alone->first),
                                others == 0   ? ""
                                : others == 1 ? ", and so does another label"
                                              : fmt::format(", and so do {} other labels", others)));
  return lines;
}

std::vector<Article> as_articles(const LabelledTable& table, const std::vector<std::string>& classes) {
  std::unordered_map<std::string, std::int64_t> numbers;
  for (const std::string& name : classes) numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
  std::vector<Article> articles;
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const auto found = numbers.find(table.labels[i]);
    require(found != numbers.end(), "data", "{}, line {}: the label {} was not seen in training", table.path, table.lines[i],
            in_quotes(table.labels[i]));
    articles.push_back({found->second, "", table.texts[i]});
  }
  return articles;
}

}  // namespace argand
