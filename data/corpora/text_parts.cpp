#include "data/corpora/text_parts.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/machine/number.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

bool path_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

TextFiles find_in_folder(const std::string& folder) {
  const auto in = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  const auto if_there = [&](const std::string& path) {
    return path_exists(path) ? std::vector<std::string>{path} : std::vector<std::string>{};
  };
  for (const auto& around : {std::pair("", ".txt"), std::pair("wiki.", ".tokens")}) {
    const auto part = [&](const char* name) { return if_there(in(std::string(around.first) + name + around.second)); };
    if (TextFiles files{part("train"), part("valid"), part("test")}; !files.train.empty()) return files;
  }
  TextFiles files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".txt") files.train.push_back(it->path().string());
  require(!files.train.empty(), "data",
          "{} has neither train.txt nor any other *.txt; list the files themselves if they have another extension", folder);
  std::sort(files.train.begin(), files.train.end());
  return files;
}

/// Where to cut the text so that about this share of its bytes comes before the cut.
std::size_t cut_position(std::string_view text, double share) {
  const auto wanted = std::min(text.size(), static_cast<std::size_t>(share * static_cast<double>(text.size())));
  const std::size_t from = std::max<std::size_t>(wanted, 1) - 1;  // a line break or space may come right before it
  for (const char mark : {'\n', ' '})
    if (const std::size_t found = text.substr(from, text.size() / 100 + 1).find(mark); found != text.npos) return from + found + 1;
  std::size_t place = wanted;
  while (place < text.size() && (text[place] & '\xC0') == '\x80') ++place;
  return place;
}

}  // namespace

Split parse_split(std::string_view text) {
  std::vector<double> shares;
  double sum = 0;
  for (std::string_view rest = text;;) {
    const std::string_view number = rest.substr(0, rest.find('/'));
    double share = -1;
    const auto [end, error] = number_from(number.data(), number.data() + number.size(), share);
    require(error == std::errc() && end == number.data() + number.size() && share >= 0 && share <= 100, "split",
            "{} must have the form 90/5/5: percentages for training, validation and test", in_quotes(text));
    shares.push_back(share);
    sum += share;
    if (number.size() == rest.size()) break;
    rest.remove_prefix(number.size() + 1);
  }
  require(shares.size() == 2 || shares.size() == 3, "split",
          "{} must have the form 90/5/5: percentages for training, validation and test", in_quotes(text));
  require(sum > 99.999 && sum < 100.001, "split", "the parts of {} add up to {}, not 100", in_quotes(text), sum);
  require(shares[0] > 0 && shares[1] > 0, "split", "{} leaves nothing to {} on", in_quotes(text),
          shares[0] > 0 ? "validate" : "train");
  return {shares[0], shares[1], shares.size() == 3 ? shares[2] : 0};
}

std::vector<std::string> text_names(const std::string& data) {
  if (path_exists(data)) return {data};
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= data.size();) {
    const std::size_t next = std::min(data.find(',', at), data.size());
    std::size_t end = next;
    while (end < data.size() && !path_exists(data.substr(at, end - at))) end = std::min(data.find(',', end + 1), data.size());
    if (!path_exists(data.substr(at, end - at))) end = next;  // no such file: the first name is reported as missing
    names.push_back(data.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

TextFiles find_text(const std::string& data) {
  TextFiles files;
  const std::vector<std::string> names = text_names(data);
  for (const std::string& name : names) {
    std::error_code ignored;
    require(path_exists(name), "data",
            "{} does not exist; `data` takes one or more texts, or a folder with train.txt or other texts",
            name.empty() ? "file without a name" : name);
    if (!fs::is_directory(name, ignored)) {
      files.train.push_back(name);
      continue;
    }
    require(names.size() == 1, "data", "{} is a folder; pass it alone, or list its files", name);
    return find_in_folder(name);
  }
  return files;
}

std::string clean_text(std::string text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  require(!text.empty(), "data", "{} is empty", name);
  require_text("data", text, name);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
  text.resize(kept);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string read_text(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += clean_text(read_bytes("data", file), file);
  return text;
}

TextParts cut(const std::string& text, const Split& split) {
  const std::size_t first = cut_position(text, split.train / 100);
  const std::size_t second = split.test > 0 ? std::max(first, cut_position(text, (split.train + split.valid) / 100)) : text.size();
  return {text.substr(0, first), text.substr(first, second - first), text.substr(second)};
}

TextParts read_parts(const TextFiles& files, const Split& split) {
  if (!files.has_parts()) return cut(read_text(files.train), split);
  TextParts parts;
  if (files.valid.empty())
    parts = cut(read_text(files.train), {.train = 100 - split.valid, .valid = split.valid, .test = 0});
  else
    parts = {read_text(files.train), read_text(files.valid), ""};
  parts.test = read_text(files.test);
  return parts;
}

std::string description(const TextFiles& files, const Split& split, const TextParts& parts) {
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  std::string text = name(files.train.front());
  if (files.train.size() > 1) text = fmt::format("{} files, {} to {}", files.train.size(), text, name(files.train.back()));
  if (files.has_all_parts())
    text += fmt::format(", {} and {}", name(files.valid.front()), name(files.test.front()));
  else if (!files.valid.empty())
    text += fmt::format(" and {}", name(files.valid.front()));
  else if (!files.test.empty())
    text += fmt::format(" and {}, {} % cut off to validate on", name(files.test.front()), split.valid);
  else
    text += split.test > 0 ? fmt::format(", cut {}/{}/{}", split.train, split.valid, split.test)
                           : fmt::format(", cut {}/{}", split.train, split.valid);
  text += fmt::format(": {} bytes to train on, {} to validate on", parts.train.size(), parts.valid.size());
  return text + (parts.test.empty() ? ", none to test on" : fmt::format(", {} to test on", parts.test.size()));
}

}  // namespace argand
