#pragma once
/// What a student hands in: the form of sheet.h, filled in.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace argand {

struct GivenAnswer {
  std::string text;
  std::int64_t line = 0;  ///< counted from 1
};

struct AnswerFile {
  std::string path, student, mark;
  std::vector<std::string> problems;
  std::map<std::string, GivenAnswer> answers;  ///< by question_name()
  std::vector<std::string> twice;              ///< questions answered differently at two places: none of the answers counts
};

/// Lines `key = answer` or `key: answer`, in any order; "1 a)" and "1A" are 1a; empty lines and those that begin with # are passed
/// over, line ends are \n or \r\n. Throws Error with file and line for a line that is none of these, for a file that is longer than
/// a megabyte, and for one without student, problems or sheet.
AnswerFile read_answers(const std::string& path);

}  // namespace argand
