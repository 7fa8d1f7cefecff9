/// `argand exercise`: draws problem sheets for students and grades them.

#include <fmt/format.h>

#include <set>

#include "core/error.h"
#include "lab/exercise/answer_file.h"
#include "lab/exercise/grading.h"
#include "lab/exercise/sheet.h"
#include "tests/apps/program.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(exercise)

namespace {

std::vector<std::string> all_problems() {
  std::vector<std::string> names;
  for (const ProblemFamily& family : problem_families()) names.push_back(family.name);
  return names;
}

std::string verdict(const Question& question, const std::string& answer) { return judge(question, answer).why; }

/// Whether the verdict on the answer is `why` or one of the question's named mistakes.
bool is_told(const Question& question, const std::string& answer, const std::string& why) {
  const std::string told = verdict(question, answer);
  return told == why || std::any_of(question.mistakes.begin(), question.mistakes.end(),
                                    [&](const NamedFormula& mistake) { return mistake.what == told; });
}

Question about(const std::string& f, DerivativeKind asked, const std::string& right) { return ask_formula("", 2, f, asked, right); }

/// The answer form of a sheet, filled in with `answer` applied to each correct answer.
template <class F>
std::string filled(const Sheet& sheet, const F& answer) {
  std::string form = answer_form(sheet);
  for (std::size_t p = 0; p < sheet.problems.size(); ++p)
    for (std::size_t q = 0; q < sheet.problems[p].questions.size(); ++q) {
      const std::string empty = "\n" + question_name(p, q) + " =";
      form.insert(form.find(empty) + empty.size(), " " + answer(sheet.problems[p].questions[q]));
    }
  return form;
}

struct Submission {
  TemporaryDirectory scratch;
  Sheet sheet = make_sheet({.student = "Ada Lovelace", .seed = "1", .problems = {"wirtinger", "mistake", "step"}});
  Grade graded(const std::string& text, const std::string& seed = "1", bool partial = false) const {
    std::ofstream(scratch / "a.txt", std::ios::binary) << text;
    return grade_file(scratch / "a.txt", {.seed = seed, .partial = partial});
  }
  std::string right() const {
    return filled(sheet, [](const Question& q) { return q.right; });
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_problem_accepts_its_right_answers_and_rejects_others) {
  for (int n = 0; n < (sanitized ? 2 : 25); ++n) {
    const Sheet sheet = make_sheet({.student = fmt::format("Student {}", n), .seed = "x", .problems = all_problems()});
    for (const Problem& problem : sheet.problems)
      for (const Question& question : problem.questions)
        BOOST_TEST_CONTEXT(problem.text << " / " << question.text << " / " << question.right) {
          BOOST_TEST(verdict(question, question.right) == "right");
          BOOST_TEST(verdict(question, question.right + " ") == "right");
          switch (question.kind) {
            case Question::Kind::Word:
              for (const std::string& word : question.words)
                BOOST_TEST((verdict(question, word) == "right") == (word == question.right));
              break;
            case Question::Kind::Number:
              BOOST_TEST(verdict(question, "1.004*(" + question.right + ")") == "close; give four digits");
              BOOST_TEST(verdict(question, "1.0004*(" + question.right + ")") == "right");
              BOOST_TEST(verdict(question, "3*(" + question.right + ")") != "right");
              BOOST_TEST((judge(question, "-(" + question.right + ")").kind == AnswerJudgement::Kind::Near));
              break;
            case Question::Kind::Formula:
              BOOST_TEST(is_told(question, "2*(" + question.right + ")", "right except for a constant factor"));
              BOOST_TEST(is_told(question, "-(" + question.right + ")", "the sign is wrong"));
              BOOST_TEST(verdict(question, question.right + " + 1") == "off by a constant");
          }
        }
  }
}

BOOST_AUTO_TEST_CASE(a_conjugated_gradient_is_never_right) {
  for (int n = 0; n < (sanitized ? 2 : 40); ++n) {
    const Sheet sheet = make_sheet({.student = fmt::format("S{}", n),
                                    .seed = "1",
                                    .problems = {"gradient", "convention", "chain", "network", "descent", "backward"}});
    for (const Problem& problem : sheet.problems)
      for (const Question& question : problem.questions)
        if (question.text.find("gradient") != std::string::npos && question.kind != Question::Kind::Word)
          BOOST_TEST(verdict(question, "conj(" + question.right + ")").starts_with("conjugated"), question.text);
  }
}

BOOST_AUTO_TEST_CASE(half_points_are_for_one_mistake_and_not_for_what_is_asked) {
  using Kind = AnswerJudgement::Kind;
  for (int n = 0; n < (sanitized ? 2 : 20); ++n) {
    const Sheet sheet =
        make_sheet({.student = fmt::format("S{}", n), .seed = "1", .problems = {"gradient", "mistake", "convention"}});
    const std::vector<Question>&gradient = sheet.problems[0].questions, &mistake = sheet.problems[1].questions;
    // 6*z̄^2*(z^3 + c) with z in place of z̄: the factor f' is not conjugated.
    const AnswerJudgement forgotten = judge(gradient[0], replaced(gradient[0].right, "z̄", "z"));
    BOOST_TEST((forgotten.kind == Kind::Near));
    BOOST_TEST(forgotten.why == "the derivative is not conjugated");
    BOOST_TEST((judge(gradient[0], "2*conj(" + gradient[0].right + ")").kind == Kind::Wrong));
    BOOST_TEST((judge(gradient[0], "2*(" + replaced(gradient[0].right, "z̄", "z") + ")").kind == Kind::Wrong));
    // Copying the wrong gradient from the sheet earns no points.
    const std::string& text = sheet.problems[1].text;
    const std::size_t row = text.find(fmt::format("({})", mistake[0].right)), begin = text.find("gradient `", row) + 10;
    const AnswerJudgement copied = judge(mistake[1], text.substr(begin, text.find('`', begin) - begin));
    BOOST_TEST((copied.kind == Kind::Wrong));
    BOOST_TEST(copied.why == "this is the wrong one on the sheet");
    for (const Question& question : sheet.problems[2].questions) BOOST_TEST(!question.forgiving);
  }
  const Sheet sheet = make_sheet({.student = "Ada", .seed = "1", .problems = {"convention"}});
  const TemporaryDirectory scratch;
  std::ofstream(scratch / "a.txt") << filled(sheet, [](const Question& q) { return "conj(" + q.right + ")"; });
  const Grade grade = grade_file(scratch / "a.txt", {.seed = "1", .partial = true});
  BOOST_TEST(grade.points() == 0);
  BOOST_TEST(grade.questions[0].judgement.why == "conjugated");
}

BOOST_AUTO_TEST_CASE(no_derivative_by_hand_is_its_own_conjugate) {
  for (int n = 0; n < (sanitized ? 5 : 60); ++n) {
    const Sheet sheet = make_sheet({.student = fmt::format("S{}", n), .seed = "1", .problems = {"wirtinger"}});
    for (const Question& question : sheet.problems[0].questions)
      BOOST_TEST(verdict(question, "conj(" + question.right + ")") == "conjugated", sheet.problems[0].text);
  }
}

BOOST_AUTO_TEST_CASE(name_and_seed_determine_the_sheet) {
  const SheetPlan plan{.student = student_name("Ada Lovelace"), .seed = "1", .problems = problem_names(1)};
  const Sheet sheet = make_sheet(plan);
  BOOST_TEST(sheet_text(make_sheet(plan), true) == sheet_text(sheet, true));
  BOOST_TEST(student_name("  Ada \t Lovelace ") == "Ada Lovelace");
  std::set<std::string> marks = {sheet.mark};
  for (const char* name : {"ada lovelace", "Ada Lovelac", "Grace Hopper", "李雷", "Ada Lovelace 2"})
    BOOST_TEST(marks.insert(make_sheet({.student = name, .seed = "1", .problems = plan.problems}).mark).second, name);
  BOOST_TEST(marks.insert(make_sheet({.student = plan.student, .seed = "2", .problems = plan.problems}).mark).second);
  // A problem is the same at every position on a sheet.
  BOOST_TEST(make_sheet({.student = plan.student, .seed = "1", .problems = {"step"}}).problems[0].text ==
             sheet.problems.back().text);
  // Neither the sheet nor the form reveals the seed or an answer.
  const Sheet secret = make_sheet({.student = "Ada", .seed = "autumn leaf", .problems = {"wirtinger"}});
  for (const std::string& text : {sheet_text(secret, false), answer_form(secret)}) {
    BOOST_TEST(text.find("autumn") == std::string::npos);
    BOOST_TEST(text.find(secret.problems[0].questions[0].right) == std::string::npos);
  }
  BOOST_TEST(sheet_text(secret, true).find(secret.problems[0].questions[0].right) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_of_all_kinds) {
  for (const char* name : {"O'Brien \"Bo\" = Ng", "Zoë Müller-Lüdenscheidt", "李雷", "../../etc/passwd", "#1", "a: b",
                           "=HYPERLINK(\"x\")", "*bold* [x](y)"}) {
    BOOST_TEST_CONTEXT(name) {
      const TemporaryDirectory scratch;
      const Sheet sheet = make_sheet({.student = student_name(name), .seed = "1", .problems = {"gradient"}});
      const std::string path = scratch / (file_name(name) + ".answers.txt");
      std::ofstream(path) << answer_form(sheet);
      BOOST_TEST(read_answers(path).student == name);
      const Grade grade = grade_file(path, {.seed = "1"});
      BOOST_TEST(grade.failure == "");
      BOOST_TEST(grade.of() == 4);
      BOOST_TEST(file_name(name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    }
  }
  BOOST_TEST(file_name("李雷") != file_name("韩梅梅"));
  BOOST_TEST(file_name("A B") != file_name("a b"));
  // Names lose their accents but keep their letters, whether an accented letter is one character or two.
  for (const auto& [name, plain] :
       std::vector<std::pair<std::string, std::string>>{{"Zoë Müller-Lüdenscheidt", "zoe-muller-ludenscheidt-"},
                                                        {"Zoe\u0308 Mu\u0308ller", "zoe-muller-"},
                                                        {"Łukasz Żółć", "lukasz-zolc-"},
                                                        {"Søren Ångström", "soren-angstrom-"},
                                                        {"Nguyễn Thị Ánh Đào", "nguyen-thi-anh-dao-"},
                                                        {"Æþelstan Weiß", "aethelstan-weiss-"},
                                                        {"Ștefan × İpek", "stefan-ipek-"},
                                                        {"李 Wei", "wei-"}})
    BOOST_TEST(file_name(name).substr(0, plain.size()) == plain);
  BOOST_TEST(file_name("José") != file_name("Jose"));
  BOOST_TEST(file_name(std::string(100, 'x')).size() < 80);
  const std::string long_name(101, 'x');
  for (const std::string& bad :
       {std::string(), std::string("  \t"), long_name, std::string("Ada\nseed = 2"), std::string("A\x1b[31m"),
        std::string("\xff\xfe"), std::string("A\0B", 3), std::string("Ada\u2028x")})
    BOOST_CHECK_THROW(student_name(bad), Error);
  std::string accents;
  for (int n = 0; n < 100; ++n) accents += "é";
  BOOST_TEST(student_name(accents) == accents);
  BOOST_TEST(grades_csv({Grade{.path = "f", .student = "=HYPERLINK(\"x\"), y"}}).find("\"'=HYPERLINK(\"\"x\"\"), y\",f,0,0,") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_as_people_type_them) {
  const Question gradient = about("|z|^2", DerivativeKind::Gradient, "2*z");
  for (const char* answer : {"2z", " 2*z ", "2x + 2i*y", "2(x+iy)", "2·z", "2×z", "`2*z`", "\"2*z\"", "$2 z$", "2z²/z", "2z**1",
                             "z − (−z)", "g(z) = 2z"})
    BOOST_TEST(verdict(gradient, answer) == "right", answer);
  BOOST_TEST(verdict(gradient, "2z̄") == "conjugated");
  BOOST_TEST(verdict(gradient, "2x - 2i*y") == "conjugated");
  BOOST_TEST(verdict(gradient, "z") == "right except for a constant factor");
  BOOST_TEST(verdict(gradient, "z̄") == "the other derivative: ∂/∂z and ∂/∂z̄ are swapped");
  BOOST_TEST(verdict(gradient, "x") == "wrong");
  BOOST_TEST(verdict(gradient, "1/0") == "wrong");
  for (const char* nothing : {"", "  ", "?", "-", "\t", "\"\""})
    BOOST_TEST((judge(gradient, nothing).kind == AnswerJudgement::Kind::Missing), nothing);
  for (const std::string& bad :
       std::vector<std::string>{"2w", "2*z +", "((((", "f(z, w) = z", "np.conj(z)", "z = 2", "relu(z)", "don't know", "\x01",
                                "z;rm", std::string(1500, '('), std::string(3000, 'z')}) {
    const AnswerJudgement judgement = judge(gradient, bad);
    BOOST_TEST((judgement.kind == AnswerJudgement::Kind::Unreadable), bad);
    BOOST_TEST((!judgement.why.empty() && judgement.why.find('\n') == std::string::npos), bad);
  }
  const Question number = ask_number("", 1, {1.5, -2});
  for (const char* answer : {"1.5-2i", "1.5 - 2j", "3/2 - 2*i", "1.4995-2.0005i", "2.5*(3-4i)/5", "−2i + 1.5"})
    BOOST_TEST(verdict(number, answer) == "right", answer);
  BOOST_TEST(verdict(number, "1.5+2i") == "conjugated");
  BOOST_TEST(verdict(number, "0.75-1i") == "right except for a factor");
  BOOST_TEST(verdict(number, "1,5-2i") == "use a decimal point, as in 1.5-2i, not a comma");
  BOOST_TEST(verdict(number, "1/0") == "this is not finite");
  for (const char* bad : {"z", "2x", "(1.5, -2)", "1.5 2i", "1.5i-"})
    BOOST_TEST((judge(number, bad).kind == AnswerJudgement::Kind::Unreadable), bad);
  const Question word = ask_word("", 1, {"yes", "point", "no"}, "yes");
  for (const char* answer : {"yes", "Yes", "YES.", " yes ", "'yes'", "(yes)"}) BOOST_TEST(verdict(word, answer) == "right", answer);
  BOOST_TEST(verdict(word, "no") == "wrong");
  BOOST_TEST(verdict(word, "perhaps") == "must be one of these words: yes, point, no");
}

BOOST_FIXTURE_TEST_CASE(a_form_is_graded, Submission) {
  const Grade all = graded(right());
  BOOST_TEST(all.failure == "");
  BOOST_TEST(all.points() == sheet.points());
  BOOST_TEST(graded(answer_form(sheet)).points() == 0);
  const std::string text = grade_text(graded(answer_form(sheet)), false);
  BOOST_TEST(text.find("no answer") != std::string::npos);
  BOOST_TEST(grade_text(graded(answer_form(sheet)), true).find("the right answer is " + sheet.problems[0].questions[0].right) !=
             std::string::npos);
  for (const Problem& problem : sheet.problems)
    for (const Question& q : problem.questions)
      if (q.kind != Question::Kind::Word) BOOST_TEST(text.find(q.right) == std::string::npos);
  // If requested, recognised mistakes are worth half the points.
  const std::string twice =
      filled(sheet, [](const Question& q) { return q.kind == Question::Kind::Word ? "" : "2*(" + q.right + ")"; });
  BOOST_TEST(graded(twice).points() == 0);
  BOOST_TEST(graded(twice, "1", true).points() == (sheet.points() - 1) / 2.0);
  // An unreadable answer is reported with its line and loses only its own points.
  const std::string one = graded(replaced(right(), "1a = ", "1a = 2*q + ")).questions[0].judgement.why;
  BOOST_TEST(one.find('q') != std::string::npos);
  BOOST_TEST(grade_text(graded(replaced(right(), "1a = ", "1a = 2*q + ")), false).find("line 8: expression: ") !=
             std::string::npos);
  BOOST_TEST(graded(replaced(right(), "1a = ", "1a = 2*q + ")).points() == sheet.points() - sheet.problems[0].questions[0].points);
  // Byte order marks and line endings that some editors write are accepted.
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : right()) windows += c == '\n' ? "\r\n" : std::string(1, c);
  BOOST_TEST(graded(windows).points() == sheet.points());
  BOOST_TEST(graded(replaced(replaced(right(), "1a =", "1 A):"), "1b =", "\t1.b. =")).points() == sheet.points());
}

BOOST_FIXTURE_TEST_CASE(changes_are_noticed, Submission) {
  const std::string changed = "not the sheet of";
  BOOST_TEST(graded(replaced(right(), "Ada Lovelace", "Grace Hopper")).failure.find(changed + " Grace Hopper") !=
             std::string::npos);
  BOOST_TEST(graded(replaced(right(), "wirtinger,mistake,step", "mistake,wirtinger,step")).failure.find(changed) !=
             std::string::npos);
  BOOST_TEST(graded(replaced(right(), "wirtinger,mistake,step", "step")).failure.find(changed) != std::string::npos);
  BOOST_TEST(graded(replaced(right(), "sheet = ", "sheet = f")).failure.find(changed) != std::string::npos);
  BOOST_TEST(graded(right(), "2").failure.find(changed) != std::string::npos);
  BOOST_TEST(graded(replaced(right(), "wirtinger,", "wirtingr,")).failure.find("did you mean") != std::string::npos);
  BOOST_TEST(graded(replaced(right(), "student = Ada Lovelace", "")).failure.find("missing line \"student = ...\"") !=
             std::string::npos);
  BOOST_TEST(graded(replaced(right(), "sheet = ", "# ")).failure.find("missing line \"sheet = ...\"") != std::string::npos);
  BOOST_TEST(graded(right() + "student = Grace\n").failure.find("already names a student") != std::string::npos);
  BOOST_TEST(graded(right() + "I give up\n").failure.find("expected a line such as") != std::string::npos);
  BOOST_TEST(graded(right() + "= 2\n").failure.find("does not answer any question") != std::string::npos);
  BOOST_TEST(graded("").failure != "");
  BOOST_TEST(graded(std::string("student = A\0", 12)).failure != "");
  BOOST_TEST(graded(right() + std::string(2 << 20, '#')).failure.find("one megabyte") != std::string::npos);
  BOOST_TEST(grade_file(scratch / "none", {.seed = "1"}).failure != "");
  const Grade more = graded(right() + "9z = 3\n");
  BOOST_TEST(more.points() == sheet.points());
  BOOST_TEST_REQUIRE(more.notes.size() == 1);
  BOOST_TEST(more.notes[0].find("unknown question 9z; the sheet has 1a to 3b") != std::string::npos);
  const Grade two = graded(right() + "1a = 3*z\n");
  BOOST_TEST(two.points() == sheet.points() - 2);
  BOOST_TEST(two.questions[0].judgement.why == "two different answers; neither counts");
  std::vector<Grade> both = {graded(right()), graded(right())};
  note_doubles(both);
  BOOST_TEST(both[0].notes.size() == 1);
}

BOOST_AUTO_TEST_CASE(the_program_makes_sheets_for_a_class_and_grades_them) {
  const TemporaryDirectory scratch;
  const std::string folder = scratch / "homework";
  std::ofstream(scratch / "class.txt") << "# the class\nAda Lovelace\r\n李雷\n\nO'Brien \"Bo\"\n";
  const std::string make =
      "exercise make --students " + (scratch / "class.txt") + " --seed leaf --problems gradient,chain --out " + folder;
  const Finished made = run_argand(scratch, make + " --teacher");
  BOOST_TEST(made.code == 0, made.err);
  std::string files;
  for (const char* name : {"Ada Lovelace", "李雷", "O'Brien \"Bo\""}) {
    const std::string path = folder + "/" + file_name(name);
    files += " " + path + ".answers.txt";
    BOOST_TEST(contents_of(path + ".md").find("# Problems for") == 0);
    BOOST_TEST(contents_of(path + ".teacher.md").find("\n> `") != std::string::npos);
  }
  const Sheet sheet = make_sheet({.student = "Ada Lovelace", .seed = "leaf", .problems = {"gradient", "chain"}});
  const std::string ada = folder + "/" + file_name("Ada Lovelace") + ".answers.txt";
  std::ofstream(ada) << filled(sheet, [](const Question& q) { return q.right; });
  const Finished text = run_argand(scratch, "exercise grade --seed leaf" + files);
  BOOST_TEST(text.code == 0, text.err);
  BOOST_TEST(text.out.find("Ada Lovelace: 9 of 9 points\n") == 0);
  BOOST_TEST(text.out.find("\n李雷: 0 of 9 points\n") != std::string::npos);
  BOOST_TEST(text.out.find("student       points    of\nAda Lovelace       9     9\n") != std::string::npos, text.out);
  const Finished csv = run_argand(scratch, "exercise grade --csv --seed leaf" + files);
  BOOST_TEST(csv.out.find("student,file,points,of,problem,1a,1b,2a,2b,2c\nAda Lovelace,") == 0);
  BOOST_TEST(csv.out.find(",9,9,,3,1,1,1,3\n") != std::string::npos);
  BOOST_TEST(csv.out.find("\n\"O'Brien \"\"Bo\"\"\",") != std::string::npos);
  // With another seed nothing is graded, and work already started is not overwritten.
  BOOST_TEST(run_argand(scratch, "exercise grade" + files).code == 1);
  const Finished again = run_argand(scratch, make);
  BOOST_TEST(again.code == 1);
  BOOST_TEST(again.err.find("already exists") != std::string::npos);
  BOOST_TEST(contents_of(ada).find("1a = 4") + contents_of(ada).find("1a = 6") != 2 * std::string::npos);
  const Finished list = run_argand(scratch, "exercise list");
  BOOST_TEST(list.out.find("level 1  wirtinger") == 0);
  for (const auto& [arguments, says] : std::vector<std::pair<std::string, std::string>>{
           {"exercise", "choose a command: list, make, grade"},
           {"exercise make --out x", "missing --student NAME"},
           {"exercise make --student A", "--out"},
           {"exercise make --student A --student A --out x", "A is listed twice"},
           {"exercise make --student A --level 4 --out x", "--level"},
           {"exercise make --student A --problems chian --out x", "did you mean chain"},
           {"exercise make --student A --problems chain,chain --out x", "is given twice"},
           {"exercise grade", "FILE"},
           {"exercise grade --csv --answers x", "--csv"}}) {
    const Finished wrong = run_argand(scratch, arguments);
    BOOST_TEST(wrong.code == 2, arguments);
    BOOST_TEST(wrong.err.find(says) != std::string::npos, arguments << ": " << wrong.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()
