#include "lab/exercise/answer_file.h"

#include <algorithm>

#include "core/error.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "lab/exercise/sheet.h"

namespace argand {
namespace {

std::string trimmed(std::string_view text) {
  const auto blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(blank);
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, text.find_last_not_of(blank) - begin + 1));
}

/// "1a" from "1 A)": keeps letters and digits, in lower case.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : text)
    if (const auto letter = static_cast<unsigned char>(c); std::isalnum(letter) != 0)
      key += static_cast<char>(std::tolower(letter));
  return key;
}

}  // namespace

AnswerFile read_answers(const std::string& path) {
  constexpr std::size_t longest = 1 << 20;
  const std::string whole = read_text_file("exercise", path);
  require(whole.size() <= longest, "exercise", "{}: an answer file must not exceed one megabyte", path);
  AnswerFile file{.path = path, .student = {}, .mark = {}, .problems = {}, .answers = {}, .twice = {}};
  std::string_view rest = whole;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string line = trimmed(take_line(rest));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t sign = line.find_first_of("=:");
    require(sign != std::string::npos, "exercise", "{}:{}: expected a line such as 1a = 2*z, got {}", path, number,
            in_quotes(line));
    const std::string key = key_of(line.substr(0, sign)), value = trimmed(std::string_view(line).substr(sign + 1));
    require(!key.empty(), "exercise", "{}:{}: {} does not answer any question", path, number, in_quotes(line));
    if (key == "student") {
      require(file.student.empty(), "exercise", "{}:{}: the file already names a student", path, number);
      file.student = student_name(value);
    } else if (key == "problems") {
      file.problems = problem_names(value);
    } else if (key == "sheet") {
      file.mark = value;
    } else if (const auto [at, fresh] = file.answers.try_emplace(key, GivenAnswer{value, number}); !fresh && !value.empty()) {
      if (!at->second.text.empty() && at->second.text != value) file.twice.push_back(key);
      at->second = {value, number};
    }
  }
  for (const auto& [missing, key] :
       {std::pair(file.student.empty(), "student"), {file.problems.empty(), "problems"}, {file.mark.empty(), "sheet"}})
    require(!missing, "exercise", "{}: missing line \"{} = ...\"; the sheet cannot be rebuilt without it", path, key);
  return file;
}

}  // namespace argand
