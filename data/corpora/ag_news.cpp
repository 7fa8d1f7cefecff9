#include "data/corpora/ag_news.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "data/files/csv.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

bool has_words(std::string_view text) { return !take_word(text).empty(); }

/// Parses a number from 1 to `most`; returns 0 for anything else.
std::int64_t number_up_to(std::int64_t most, std::string_view text) {
  std::int64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || n > most) return 0;
    n = 10 * n + (c - '0');
  }
  return n <= most ? n : 0;
}

}  // namespace

std::vector<std::string> load_classes(std::string_view op, const std::string& path) {
  const std::string text = read_text_file(op, path);
  std::vector<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_line(rest);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string name(line);
    require(has_words(name), op, "{}, line {}: the name is empty", path, names.size() + 1);
    require(name.find('\t') == name.npos, op, "{}, line {}: the name contains a tab", path, names.size() + 1);
    // Control characters include the carriage return, which would vanish from the end of a line when names are saved and reloaded.
    require(std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }), op,
            "{}, line {}: the name contains a control character", path, names.size() + 1);
    const auto known = std::find(names.begin(), names.end(), name);
    require(known == names.end(), op, "{}, line {}: {} is also on line {}", path, names.size() + 1, in_quotes(name),
            known - names.begin() + 1);
    names.push_back(name);
  }
  require(names.size() >= 2, op, "{}: only one class; classification needs at least two", path);
  return names;
}

std::string classes_text(const std::vector<std::string>& classes) {
  std::string text;
  for (const std::string& name : classes) (text += name) += '\n';
  return text;
}

void save_classes(const std::string& path, const std::vector<std::string>& classes) {
  write_file_atomically(path, classes_text(classes));
}

std::vector<Article> read_articles(const std::string& path, std::int64_t n_classes) {
  std::vector<Article> articles;
  for (CsvRecord& record : read_csv("ag_news", path)) {
    const std::size_t columns = record.fields.size();
    require(columns == 3, "ag_news", "{}, line {}: got {} column{}, expected \"class\",\"title\",\"description\"", path,
            record.line, columns, columns == 1 ? "" : "s");
    const std::int64_t number = number_up_to(n_classes, record.fields[0]);
    require(number > 0, "ag_news", "{}, line {}: class {} is not between 1 and {}", path, record.line, in_quotes(record.fields[0]),
            n_classes);
    Article article{number - 1, std::move(record.fields[1]), std::move(record.fields[2])};
    for (std::string* text : {&article.title, &article.description}) std::replace(text->begin(), text->end(), '\\', '\n');
    require(has_words(article.title) || has_words(article.description), "ag_news",
            "{}, line {}: title and description have no words", path, record.line);
    articles.push_back(std::move(article));
  }
  return articles;
}

ArticleSets load_ag_news(const std::string& directory) {
  namespace fs = std::filesystem;
  require(fs::is_directory(directory), "ag_news",
          "{} is not a folder; expected one with train.csv (or train_sample.csv), test.csv and classes.txt", directory);
  const bool whole = fs::exists(directory + "/train.csv");
  require(whole || fs::exists(directory + "/train_sample.csv"), "ag_news", "no train.csv or train_sample.csv in {}", directory);
  ArticleSets sets;
  sets.classes = load_classes("ag_news", directory + "/classes.txt");
  const auto n_classes = static_cast<std::int64_t>(sets.classes.size());
  sets.train = read_articles(directory + (whole ? "/train.csv" : "/train_sample.csv"), n_classes);
  sets.test = read_articles(directory + "/test.csv", n_classes);
  return sets;
}

}  // namespace argand
