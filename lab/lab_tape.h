#pragma once
/// The tape of an expression, step by step: every op with its value, then every vector-Jacobian product with its cotangents.

#include <string>
#include <vector>

#include "autograd/op.h"
#include "lab/expression/expression.h"

namespace argand {

struct TapeStep {
  std::string name;                    ///< such as "v3"
  const Op* op = nullptr;              ///< the op that produced it
  std::string call;                    ///< such as "mul(v1, v2)"
  std::complex<double> value = 0;      ///< value of the output
  std::complex<double> cotangent = 0;  ///< ∂L/∂x + i ∂L/∂y of the output, complete when its vjp runs
  bool is_complex = true;
  bool reached = false;  ///< whether the backward pass reached it, which means that L depends on it
  /// The vjp's contribution to an input, and the input's gradient so far.
  struct Share {
    std::string name;
    std::complex<double> added = 0, total = 0;
    bool first = true, is_complex = true;
  };
  std::vector<Share> shares;
};

/// Goes forward and backward through L = Re f (or f if real), differentiating with respect to every variable. Steps are in the
/// tape's order.
std::vector<TapeStep> walk_tape(const Expression& f, const std::vector<std::complex<double>>& at);

/// The steps as text with at most 100 columns.
std::string tape_text(const Expression& f, const std::vector<TapeStep>& steps);

}  // namespace argand
