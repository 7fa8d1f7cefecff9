#include "data/corpora/wikitext.h"

#include <array>
#include <filesystem>

#include "core/error.h"
#include "data/files/text_file.h"

namespace argand {
namespace {

Ids read_part(const std::string& path, Vocabulary& vocabulary) {
  const std::string text = read_text_file("wikitext", path);
  std::vector<Ids::value_type> ids;
  ids.reserve(text.size() / 5);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_line(rest);
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) ids.push_back(vocabulary.add(word));
    ids.push_back(vocabulary.add("<eos>"));
  }
  const Shape shape{static_cast<std::int64_t>(ids.size())};
  return Ids(shape, std::move(ids));
}

}  // namespace

Corpus load_wikitext(const std::string& directory) {
  require(std::filesystem::is_directory(directory), "wikitext", "{} is not a directory", directory);
  const bool is_txt = std::filesystem::exists(directory + "/train.txt");
  require(is_txt || std::filesystem::exists(directory + "/wiki.train.tokens"), "wikitext",
          "neither train.txt nor wiki.train.tokens in {}", directory);
  const auto path = [&](const std::string& part) {
    return directory + (is_txt ? "/" + part + ".txt" : "/wiki." + part + ".tokens");
  };
  Corpus corpus;
  corpus.train = read_part(path("train"), corpus.vocabulary);
  corpus.valid = read_part(path("valid"), corpus.vocabulary);
  corpus.test = read_part(path("test"), corpus.vocabulary);
  return corpus;
}

}  // namespace argand
