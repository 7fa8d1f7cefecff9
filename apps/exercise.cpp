/// argand exercise: problem sheets with individual parameters for each student, graded by the library.

#include <filesystem>
#include <set>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "lab/exercise/grading.h"
#include "lab/exercise/sheet.h"

namespace argand {
namespace {

struct ExerciseOptions {
  std::vector<std::string> students, files;
  std::string list, seed = "1", problems, out;
  int level = 1;
  bool teacher = false, answers = false, csv = false, partial = false;
};

void list_problems() {
  for (const ProblemFamily& family : problem_families())
    fmt::print("level {}  {:<12}{}\n", family.level, family.name, family.title);
}

/// The students listed by --student and --students, one name per line.
std::vector<std::string> students_of(const ExerciseOptions& options) {
  std::vector<std::string> given = options.students, names;
  if (!options.list.empty()) {
    const std::string text = read_text_file("exercise", options.list);
    for (std::string_view rest = text; !rest.empty();) {
      std::string line(take_line(rest));
      if (line.ends_with('\r')) line.pop_back();
      if (line.find_first_not_of(" \t") != std::string::npos && !line.starts_with('#')) given.push_back(line);
    }
  }
  if (given.empty()) input_fail("exercise make", "missing --student NAME, or --students FILE with one name per line");
  std::set<std::string> seen;
  for (const std::string& one : given) {
    names.push_back(student_name(one));
    if (!seen.insert(names.back()).second)
      input_fail("exercise make", "{} is listed twice; add a number to tell them apart", names.back());
  }
  return names;
}

/// Writes an answer form, but never over one that has been partly filled in.
void write_form(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && read_text_file("exercise", path) != text)
    fail("exercise", "{} already exists and has been filled in; choose another folder", path);
  write_file_atomically(path, text);
}

void make_sheets(const ExerciseOptions& options) {
  const std::vector<std::string> problems =
      options.problems.empty() ? problem_names(options.level) : problem_names(options.problems);
  const std::vector<std::string> students = students_of(options);
  std::error_code failed;
  std::filesystem::create_directories(options.out, failed);
  require(!failed, "exercise", "{}: {}", options.out, failed.message());
  for (const std::string& student : students) {
    const Sheet sheet = make_sheet({.student = student, .seed = options.seed, .problems = problems});
    const std::string path = (std::filesystem::path(options.out) / file_name(student)).string();
    write_form(path + ".answers.txt", answer_form(sheet));
    write_file_atomically(path + ".md", sheet_text(sheet, false));
    if (options.teacher) write_file_atomically(path + ".teacher.md", sheet_text(sheet, true));
    fmt::print("{}: {}.md, {}.answers.txt{}\n", student, path, file_name(student),
               options.teacher ? ", " + file_name(student) + ".teacher.md" : "");
  }
}

int grade_files(const ExerciseOptions& options) {
  std::vector<Grade> grades;
  for (const std::string& file : options.files)
    grades.push_back(grade_file(file, {.seed = options.seed, .partial = options.partial}));
  note_doubles(grades);
  if (options.csv)
    fmt::print("{}", grades_csv(grades));
  else
    for (const Grade& grade : grades) fmt::print("{}\n", grade_text(grade, options.answers));
  if (!options.csv && grades.size() > 1) fmt::print("{}", grades_table(grades));
  return std::all_of(grades.begin(), grades.end(), [](const Grade& g) { return g.failure.empty(); }) ? exit_success : exit_failure;
}

void add_make(CLI::App& command, const std::shared_ptr<ExerciseOptions>& options) {
  CLI::App* make = command.add_subcommand("make", "write a sheet and an answer form for each student");
  make->add_option("--student", options->students, "name of the student; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  make->add_option("--students", options->list, "file of names, one per line")->type_name("FILE");
  make->add_option("--seed", options->seed, "a number or a word, the same for the whole class (1)")->type_name("SEED");
  CLI::Option* level = make->add_option("--level", options->level, "1: by hand, 2: with the lab, 3: by writing a program")
                           ->check(CLI::Range(1, 3))
                           ->type_name("1|2|3");
  make->add_option("--problems", options->problems, "only these, instead of a whole level")
      ->excludes(level)
      ->type_name("NAME[,NAME...]");
  make->add_option("--out", options->out, "output folder")->required()->type_name("FOLDER");
  make->add_flag("--teacher", options->teacher, "also write a copy with the answers");
  make->footer(
      "Writes FOLDER/NAME.md, Markdown to print or show, and FOLDER/NAME.answers.txt, to fill in and hand in. Name, seed and\n"
      "problems determine all parameters, so nothing else needs to be kept. The sheet does not show the seed: choose one that\n"
      "students cannot guess, or they can make the teacher's copy themselves.\n"
      "\n"
      "Examples:\n"
      "  argand exercise make --student \"Ada Lovelace\" --out homework\n"
      "  argand exercise make --students class.txt --seed \"autumn leaf\" --level 2 --out homework --teacher\n"
      "  argand exercise make --student \"Ada Lovelace\" --problems chain,mistake,phase --out homework");
  make->callback([options] { make_sheets(*options); });
}

void add_grade(CLI::App& command, const std::shared_ptr<ExerciseOptions>& options) {
  CLI::App* grade = command.add_subcommand("grade", "grade answers");
  grade->add_option("FILE", options->files, "completed forms, NAME.answers.txt")->required()->type_name("");
  grade->add_option("--seed", options->seed, "the seed of the sheets (1)")->type_name("SEED");
  grade->add_flag("--partial", options->partial,
                  "half the points for a single mistake: a conjugate, a sign, a factor or a term of the chain rule");
  CLI::Option* answers = grade->add_flag("--answers", options->answers, "show the right answers");
  grade->add_flag("--csv", options->csv, "print CSV, one line per file, instead of text")->excludes(answers);
  grade->footer(
      "Rebuilds each sheet and judges formulas as `argand lab --expect-gradient` does, at nine points against the tape; numbers\n"
      "must be within a thousandth of the tape's. Prints one line per answer, without revealing the right one. A form whose\n"
      "student, problems or sheet was changed, or that belongs to another seed, is not graded. Exit code 0 if all files were\n"
      "graded, whatever the points, otherwise 1.\n"
      "\n"
      "Examples:\n"
      "  argand exercise grade homework/ada-lovelace-3f29.answers.txt\n"
      "  argand exercise grade homework/*.answers.txt --seed \"autumn leaf\" --partial --csv > points.csv");
  grade->callback([options] {
    if (const int code = grade_files(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace

void add_exercise(CLI::App* command) {
  const auto options = std::make_shared<ExerciseOptions>();
  command->require_subcommand(1);
  command->add_subcommand("list", "list the problems")->callback(list_problems);
  add_make(*command, options);
  add_grade(*command, options);
  command->footer(
      "Three levels: by hand, with the lab, by writing a program. Answers are judged as by `argand lab`.\n\n"
      "Examples:\n"
      "  argand exercise list\n"
      "  argand exercise make --student \"Ada Lovelace\" --out homework\n"
      "  argand exercise grade homework/*.answers.txt");
}

}  // namespace argand
