#pragma once
/// A function in another language, run as a program that answers requests: one JSON object per line, in both directions.
/// docs/external.md describes the program's side.

#include <string>
#include <vector>

#include "autograd/check/function/function_check.h"
#include "train/checks/child_process.h"

namespace argand {

/// The program's description of its function, requested once with {"ask": "function"}.
struct ExternalDescription {
  struct Input {
    std::string name;
    AnyTensor point;  ///< the point at which to check the gradient
  };
  std::string name;
  std::vector<Input> inputs;
  Convention convention = Convention::Conjugate;
};

/// Reads the answer to {"ask": "function"}. Throws Error, starting with `gradcheck` and naming `program`, if it is invalid.
ExternalDescription read_description(const std::string& program, const std::string& line);
/// Reads the answer to {"ask": "value", ...}. An {"error": ...} is thrown as ExternalRefusal.
AnyTensor read_value(const std::string& program, const std::string& line);
/// Reads the answer to {"ask": "gradient", ...} for inputs shaped like these.
std::vector<ComplexValues> read_gradient(const std::string& program, const std::string& line, const std::vector<AnyTensor>& inputs);

/// Thrown when the program reports that it has no value at a point.
class ExternalRefusal : public Error {
 public:
  using Error::Error;
};

class ExternalFunction {
 public:
  ExternalFunction(const std::string& command, double patience);

  const ExternalDescription& description() const { return description_; }
  std::vector<AnyTensor> point() const;
  /// The result refers to this object. If the program refuses to evaluate at a point other than the given one, the value is NaN.
  DifferentiableFunction differentiable();

 private:
  AnyTensor value(const std::vector<AnyTensor>& x);
  std::vector<ComplexValues> gradients(const std::vector<AnyTensor>& x, std::span<const std::complex<double>> weights);

  std::string command_;
  ChildProcess child_;
  ExternalDescription description_;
  std::optional<AnyTensor> first_;  // the value at the given point
};

}  // namespace argand
