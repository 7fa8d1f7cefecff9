#pragma once
/// Feedback on answers: compares a derivative worked out by hand with the tape's and describes the difference.

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/expression/expression.h"
#include "lab/style.h"

namespace argand {

/// A derivative of f with respect to one of its variables, z = x + iy.
enum class DerivativeKind {
  Dz,        ///< ∂f/∂z
  Dzbar,     ///< ∂f/∂z̄
  Gradient,  ///< the gradient of L = Re f: ∂L/∂x + i ∂L/∂y
};

struct LabAnswer {
  enum class Kind {
    Right,
    Swapped,     ///< ∂f/∂z̄ instead of ∂f/∂z, or ∂f/∂z instead of ∂f/∂z̄ or the gradient
    Factor,      ///< `by` times the correct one: 2, ½, −1, i, ...
    Conjugated,  ///< `by` times the conjugate of the correct one
    Offset,      ///< `by` plus the correct one
    Wrong,       ///< none of these
    Unknown,     ///< fewer than three of the points have finite derivatives
  };
  DerivativeKind asked = DerivativeKind::Dz;
  std::string text;  ///< the answer as given
  Kind kind = Kind::Unknown;
  std::complex<double> by = 1;
  std::size_t points = 0;  ///< number of points compared
  /// The first point where the answer is wrong, and both values there.
  std::vector<std::complex<double>> at;
  std::complex<double> given = 0, right = 0;
  std::vector<std::complex<double>> asked_at = {};
  /// Why that point is special: the tape has a gap there, so differences were used or nothing could be decided; or the answer has
  /// no value.
  std::string note = {};

  bool is_right() const { return kind == Kind::Right; }
};

/// Compares `text`, an expression in f's variables and in x and y, the parts of the variable in question, with the derivative at
/// `at` and at eight more points, which are neither real nor imaginary and differ in modulus, so that conjugations and swaps do
/// not go unnoticed. The derivative is the tape's, or comes from differences where the tape has a gap (LabPoint::gaps); points
/// where neither exists do not count. Throws like Expression.
LabAnswer judge_answer(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable, DerivativeKind asked,
                       const std::string& text);

/// Whether two answers are the same function, judged by their values at the points that judge_answer uses.
bool same_answer(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable, const std::string& one,
                 const std::string& other);

/// The verdict in words: "right", "conjugated", "twice the right one", "off by the factor 0.5i", ...
std::string answer_verdict(const LabAnswer& answer);
/// One line per answer; for a wrong answer also both values at a point.
std::string answers_text(const Expression& f, std::size_t variable, const std::vector<LabAnswer>& answers, const Style& style);
nlohmann::json answer_json(const LabAnswer& answer);

}  // namespace argand
