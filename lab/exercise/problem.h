#pragma once
/// Exercises: families of problems with random parameters, and how answers are judged. The library derives everything when it makes
/// the sheet, and again when it grades it; no answers are stored.

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/exercise/draw.h"
#include "lab/lab_answer.h"

namespace argand {

/// A number and its meaning: the correct answer, or the result of a common mistake.
struct NamedNumber {
  std::complex<double> value;
  std::string what;  ///< a description such as "the conjugate of the right one"
  bool near = true;  ///< whether this is a single mistake, for which --partial gives half the points
};
/// The same for a formula.
struct NamedFormula {
  std::string formula, what;
  bool near = true;
};

struct Question {
  enum class Kind {
    Formula,  ///< an expression in the variables of f, x and y; judged by judge_answer()
    Number,   ///< judged by comparison with `numbers`
    Word,     ///< one of `words`
  };
  std::string text;  ///< in Markdown
  int points = 1;
  Kind kind = Kind::Number;

  std::string f = {};  ///< the function whose derivative a formula answer gives
  std::vector<std::complex<double>> at = {};
  DerivativeKind asked = DerivativeKind::Gradient;
  std::vector<NamedFormula> mistakes = {};

  std::vector<NamedNumber> numbers = {};  ///< the correct answer comes first
  std::vector<std::string> words = {};
  bool forgiving = true;   ///< false if the question is about the usual mistake, which then gets no half points
  std::string right = {};  ///< a correct answer as a teacher would write it: the word, the number, or a formula derived by hand
};

struct Problem {
  std::string title, text;  ///< in Markdown
  std::vector<Question> questions;

  int points() const;
};

struct ProblemFamily {
  std::string name, title;
  int level;  ///< 1: by hand, 2: with the lab, 3: with a program
  Problem (*make)(Draw& draw);
};

/// All families, of all levels, in the order used on sheets.
const std::vector<ProblemFamily>& problem_families();
const ProblemFamily* find_problem_family(const std::string& name);

/// How one answer was judged.
struct AnswerJudgement {
  enum class Kind { Right, Near, Wrong, Missing, Unreadable };
  Kind kind = Kind::Missing;
  std::string why = {};  ///< one line that does not reveal the correct answer
};
/// Judges `answer`, the text as typed. Never throws.
AnswerJudgement judge(const Question& question, const std::string& answer);

// Building blocks of the families. Each throws Redraw if the parameters do not make a good question; the caller then draws new
// ones.

struct Redraw {};

/// ∂f/∂z, ∂f/∂z̄ and f at a point, where z is one of the variables of f.
struct Slopes {
  std::complex<double> dz, dzbar, value;
  /// The gradient of L = Re f.
  std::complex<double> gradient() const { return std::conj(dz) + dzbar; }
};
/// Computed by the tape; throws Redraw if differences disagree with it.
Slopes slopes_at(const std::string& f, const std::vector<std::complex<double>>& at, std::size_t variable = 0);

/// Asks for a formula; `right`, derived by the family, must match what the tape finds. Besides a conjugate, a sign, a factor and
/// the other derivative, the mistakes in `mistakes` are recognised.
Question ask_formula(std::string text, int points, const std::string& f, DerivativeKind asked, const std::string& right,
                     std::vector<NamedFormula> mistakes = {}, const std::vector<std::complex<double>>& at = {{1, 2}});
/// Asks for a number; its conjugate, half, double and negative, and the numbers in `mistakes`, are recognised as mistakes.
Question ask_number(std::string text, int points, std::complex<double> right, std::vector<NamedNumber> mistakes = {});
/// Asks for a gradient that is neither real nor imaginary, so that a conjugation mistake shows.
Question ask_gradient(std::string text, int points, std::complex<double> right, std::vector<NamedNumber> mistakes = {});
Question ask_word(std::string text, int points, std::vector<std::string> words, const std::string& right);

}  // namespace argand
