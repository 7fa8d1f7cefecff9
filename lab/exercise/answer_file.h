#pragma once
/// A student's answer file: the form of sheet.h, filled in.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace argand {

struct GivenAnswer {
  std::string text;
  std::int64_t line = 0;  ///< line number, counted from 1
};

struct AnswerFile {
  std::string path, student, mark;
  std::vector<std::string> problems;
  std::map<std::string, GivenAnswer> answers;  ///< the answers, keyed by question_name()
  std::vector<std::string> twice;              ///< questions answered twice with different answers, neither of which counts
};

/// Reads lines `key = answer` or `key: answer`, in any order; "1 a)" and "1A" mean 1a; empty lines and those that begin with # are
/// skipped; lines end in LF or CRLF. Throws Error with file and line for any other line, for a file longer than a megabyte, and
/// for one without student, problems or sheet.
AnswerFile read_answers(const std::string& path);

}  // namespace argand
