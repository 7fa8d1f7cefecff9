#pragma once
/// Answer files judged, and what is said of them: to each student, and of all in a table.

#include <string>
#include <vector>

#include "lab/exercise/problem.h"

namespace argand {

struct GradedQuestion {
  std::string name;
  double points = 0;
  int of = 0;
  std::string given, right;
  AnswerJudgement judgement;
  std::int64_t line = 0;  ///< of the answer file; 0 where it has none
};

struct Grade {
  std::string path, student;
  std::string failure = {};  ///< why nothing was graded
  std::vector<GradedQuestion> questions = {};
  std::vector<std::string> notes = {};

  double points() const;
  int of() const;
};

struct GradingRules {
  std::string seed;
  bool partial = false;  ///< half of the points for an answer that is right but for a conjugate, a sign, a factor, ...
};

/// The sheet is made again from the student's name, the seed and the problems; that it is the one that was handed out is seen by
/// its mark. Throws nothing: what is wrong with a file is its `failure`.
Grade grade_file(const std::string& path, const GradingRules& rules);
/// Says of files for one student, of which only one can count.
void note_doubles(std::vector<Grade>& grades);

std::string grade_text(const Grade& grade, bool answers);
/// A line a student.
std::string grades_table(const std::vector<Grade>& grades);
/// With a column a question; for a table of one sheet or of several.
std::string grades_csv(const std::vector<Grade>& grades);

}  // namespace argand
