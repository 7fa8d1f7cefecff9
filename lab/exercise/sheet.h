#pragma once
/// A sheet for one student: problems and parameters depend only on the student's name, the seed and the names of the problems, so
/// these suffice to make the same sheet again.

#include <string>
#include <vector>

#include "lab/exercise/problem.h"

namespace argand {

struct SheetPlan {
  std::string student;                ///< the student's name as student_name() returns it
  std::string seed;                   ///< a number or any other text
  std::vector<std::string> problems;  ///< names of families
};

struct Sheet {
  SheetPlan plan;
  std::vector<Problem> problems;
  std::string mark;  ///< eight digits that depend on the entire text of the problems

  int points() const;
};

/// The name trimmed and with single spaces inside. Throws an InputError for a name that is empty, longer than 100 characters, or
/// contains control characters or bytes that are not UTF-8.
std::string student_name(const std::string& given);
/// Parses "wirtinger,chain", or returns all families of a level. Throws an InputError for an unknown name.
std::vector<std::string> problem_names(const std::string& list);
std::vector<std::string> problem_names(int level);

Sheet make_sheet(const SheetPlan& plan);

/// "3b": the second question of the third problem.
std::string question_name(std::size_t problem, std::size_t question);

/// The problems in Markdown, with answers for the teacher if requested.
std::string sheet_text(const Sheet& sheet, bool answers);
/// The form to be filled in, which answer_file.h reads.
std::string answer_form(const Sheet& sheet);
/// "ada-lovelace-3f29", "zoe-muller-8c10": uses only characters that every file system accepts and letters without accents, and is
/// different for every name.
std::string file_name(const std::string& student);

}  // namespace argand
