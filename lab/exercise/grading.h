#pragma once
/// Grades answer files, with a report for each student and a table of all of them.

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
  std::int64_t line = 0;  ///< line in the answer file; 0 if the question is not answered
};

struct Grade {
  std::string path, student;
  std::string failure = {};  ///< the reason if nothing was graded
  std::vector<GradedQuestion> questions = {};
  std::vector<std::string> notes = {};

  double points() const;
  int of() const;
};

struct GradingRules {
  std::string seed;
  bool partial = false;  ///< gives half the points for an answer that is correct up to a conjugate, a sign, a factor, ...
};

/// Recreates the sheet from the student's name, the seed and the problems; the mark in the file shows whether it is the sheet that
/// was handed out. Never throws: any problem with a file becomes its `failure`.
Grade grade_file(const std::string& path, const GradingRules& rules);
/// Notes files by the same student, of which only one can count.
void note_doubles(std::vector<Grade>& grades);

std::string grade_text(const Grade& grade, bool answers);
/// A table with one line per student.
std::string grades_table(const std::vector<Grade>& grades);
/// A CSV table with one column per question, even if the sheets differ.
std::string grades_csv(const std::vector<Grade>& grades);

}  // namespace argand
