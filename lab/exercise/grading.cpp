#include "lab/exercise/grading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/text_layout.h"
#include "lab/exercise/answer_file.h"
#include "lab/exercise/sheet.h"

namespace argand {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

GradedQuestion grade_question(const Question& question, const std::string& name, const AnswerFile& file,
                              const GradingRules& rules) {
  GradedQuestion graded{.name = name, .of = question.points, .given = {}, .right = question.right, .judgement = {}};
  if (const auto given = file.answers.find(name); given != file.answers.end())
    graded.given = given->second.text, graded.line = given->second.line;
  if (contains(file.twice, name)) {
    graded.judgement = {AnswerJudgement::Kind::Unreadable, "two different answers; neither counts"};
    return graded;
  }
  graded.judgement = judge(question, graded.given);
  if (graded.judgement.kind == AnswerJudgement::Kind::Right) graded.points = question.points;
  if (graded.judgement.kind == AnswerJudgement::Kind::Near && rules.partial && question.forgiving)
    graded.points = question.points / 2.0;
  return graded;
}

std::string half_points(double points) { return fmt::format("{:g}", points); }

/// A CSV field. A text that a spreadsheet would read as a formula gets a leading apostrophe.
std::string field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t").find(text[0]) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, "\"");
  return "\"" + text + "\"";
}

}  // namespace

double Grade::points() const {
  double sum = 0;
  for (const GradedQuestion& q : questions) sum += q.points;
  return sum;
}

int Grade::of() const {
  int sum = 0;
  for (const GradedQuestion& q : questions) sum += q.of;
  return sum;
}

Grade grade_file(const std::string& path, const GradingRules& rules) {
  Grade grade{.path = path, .student = {}, .failure = {}, .questions = {}, .notes = {}};
  try {
    const AnswerFile file = read_answers(path);
    grade.student = file.student;
    const Sheet sheet = make_sheet({.student = file.student, .seed = rules.seed, .problems = file.problems});
    require(sheet.mark == file.mark, "exercise",
            "{}: not the sheet of {} for this seed: the file's student, problems or sheet were changed, or the sheet was made with "
            "another seed or version of argand",
            path, file.student);
    std::vector<std::string> known;
    for (std::size_t p = 0; p < sheet.problems.size(); ++p)
      for (std::size_t q = 0; q < sheet.problems[p].questions.size(); ++q) {
        known.push_back(question_name(p, q));
        grade.questions.push_back(grade_question(sheet.problems[p].questions[q], known.back(), file, rules));
      }
    for (const auto& [name, given] : file.answers)
      if (!contains(known, name))
        grade.notes.push_back(fmt::format("line {}: unknown question {}; the sheet has 1a to {}", given.line, name, known.back()));
  } catch (const Error& error) {
    grade.failure = error.what();
  }
  return grade;
}

void note_doubles(std::vector<Grade>& grades) {
  for (Grade& grade : grades)
    for (const Grade& other : grades)
      if (&grade != &other && grade.failure.empty() && other.failure.empty() && grade.student == other.student)
        grade.notes.push_back(fmt::format("{} is by the same student", other.path));
}

std::string grade_text(const Grade& grade, bool answers) {
  if (!grade.failure.empty()) return fmt::format("not graded: {}\n", grade.failure);
  std::string text = fmt::format("{}: {} of {}\n", grade.student, half_points(grade.points()), counted(grade.of(), "point"));
  for (const GradedQuestion& q : grade.questions) {
    const bool missing = q.judgement.kind == AnswerJudgement::Kind::Missing;
    std::string why = missing ? "no answer" : q.judgement.why;
    if (q.judgement.kind == AnswerJudgement::Kind::Unreadable) why = fmt::format("line {}: {}", q.line, why);
    text += fmt::format("  {:<4}{:>3}/{}  {}{}\n", q.name, half_points(q.points), q.of, why,
                        answers ? fmt::format("; the right answer is {}", q.right) : "");
  }
  for (const std::string& note : grade.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string grades_table(const std::vector<Grade>& grades) {
  std::size_t width = 7;
  for (const Grade& grade : grades) width = std::max(width, display_width(grade.failure.empty() ? grade.student : grade.path));
  std::string text = padded("student", width) + "  points    of\n";
  for (const Grade& grade : grades)
    text += grade.failure.empty()
                ? fmt::format("{}  {:>6}  {:>4}\n", padded(grade.student, width), half_points(grade.points()), grade.of())
                : fmt::format("{}  not graded\n", padded(grade.path, width));
  return text;
}

std::string grades_csv(const std::vector<Grade>& grades) {
  std::vector<std::string> names;
  for (const Grade& grade : grades)
    for (const GradedQuestion& q : grade.questions)
      if (!contains(names, q.name)) names.push_back(q.name);
  std::string text = "student,file,points,of,problem";
  for (const std::string& name : names) text += "," + name;
  text += "\n";
  for (const Grade& grade : grades) {
    const bool failed = !grade.failure.empty();
    text += fmt::format("{},{},{},{},{}", field(grade.student), field(grade.path), failed ? "" : half_points(grade.points()),
                        failed ? "" : std::to_string(grade.of()),
                        field(failed ? grade.failure : fmt::format("{}", fmt::join(grade.notes, "; "))));
    for (const std::string& name : names) {
      const auto found =
          std::find_if(grade.questions.begin(), grade.questions.end(), [&](const GradedQuestion& q) { return q.name == name; });
      text += "," + (found == grade.questions.end() ? "" : half_points(found->points));
    }
    text += "\n";
  }
  return text;
}

}  // namespace argand
