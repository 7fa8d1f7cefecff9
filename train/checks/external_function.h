#pragma once
/// A function in another language, in a program that answers questions: one JSON object a line, in both directions.
/// docs/external.md tells its side of it.

#include <string>
#include <vector>

#include "autograd/check/function/function_check.h"
#include "train/checks/child_process.h"

namespace argand {

/// What the program says of its function, once, asked {"ask": "function"}.
struct ExternalDescription {
  struct Input {
    std::string name;
    AnyTensor point;  ///< where the gradient is to be checked
  };
  std::string name;
  std::vector<Input> inputs;
  Convention convention = Convention::Conjugate;
};

/// Reads that answer. Throws Error, `gradcheck` first, for what is not a description; `program` is its name in there.
ExternalDescription read_description(const std::string& program, const std::string& line);
/// Reads the answer to {"ask": "value", ...}. An {"error": ...} is thrown as ExternalRefusal.
AnyTensor read_value(const std::string& program, const std::string& line);
/// Reads the answer to {"ask": "gradient", ...} for inputs like these.
std::vector<ComplexValues> read_gradient(const std::string& program, const std::string& line, const std::vector<AnyTensor>& inputs);

/// The program has no value there, and says why.
class ExternalRefusal : public Error {
 public:
  using Error::Error;
};

class ExternalFunction {
 public:
  ExternalFunction(const std::string& command, double patience);

  const ExternalDescription& description() const { return description_; }
  std::vector<AnyTensor> point() const;
  /// Refers to this. Where the program refuses beside the point, the value is NaN.
  DifferentiableFunction differentiable();

 private:
  AnyTensor value(const std::vector<AnyTensor>& x);
  std::vector<ComplexValues> gradients(const std::vector<AnyTensor>& x, std::span<const std::complex<double>> weights);

  std::string command_;
  ChildProcess child_;
  ExternalDescription description_;
  std::optional<AnyTensor> first_;  // the value at the point
};

}  // namespace argand
