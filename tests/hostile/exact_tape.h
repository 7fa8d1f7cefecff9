#pragma once
/// A tape of 500-bit complex numbers, which gives the exact value of a function of a matrix and, by a backward pass, its gradient.
/// It is derived from the mathematics and does not use the library.

#include <functional>
#include <vector>

#include "tests/accuracy/exact.h"

namespace hostile {

using accuracy::N;
using accuracy::Z;

/// A number on the current thread's tape.
struct Exact {
  int at = -1;
  Exact() = default;
  Exact(const Z& constant);
  Exact(double constant) : Exact(Z(constant)) {}
  const Z& value() const;
};
Exact operator+(Exact a, Exact b);
Exact operator-(Exact a, Exact b);
Exact operator*(Exact a, Exact b);
Exact operator/(Exact a, Exact b);
Exact conj(Exact a);
Exact real(Exact a);
Exact sqrt(Exact a);
Exact exp(Exact a);
Exact log(Exact a);
Exact log1p(Exact a);  ///< log(1 + a)
Exact abs(Exact a);

/// A matrix of tape numbers in row-major order.
struct Matrix {
  int m = 0, n = 0;
  std::vector<Exact> numbers;
  Matrix() = default;
  Matrix(int rows, int columns) : m(rows), n(columns), numbers(static_cast<std::size_t>(rows * columns), Exact(0.0)) {}
  Exact& operator()(int i, int j) { return numbers[static_cast<std::size_t>(i * n + j)]; }
  Exact operator()(int i, int j) const { return numbers[static_cast<std::size_t>(i * n + j)]; }
  static Matrix identity(int n);
};
Matrix operator*(const Matrix& A, const Matrix& B);
Matrix operator+(const Matrix& A, const Matrix& B);
Matrix adjoint(const Matrix& A);
Matrix scaled(const Matrix& A, double by);
Matrix columns(const Matrix& A, int begin, int end);

/// Thrown if there is no value, because the matrix is singular or not positive definite.
struct NoValue {};

/// A⁻¹ B by elimination with the largest pivot, and det A by Laplace expansion. solved() throws NoValue if A is singular to 100
/// digits.
Matrix solved(Matrix A, Matrix B);
Exact determinant(Matrix A);

/// The value w, and the gradient of Re Σ conj(G) w.
struct Result {
  std::vector<Z> value, gradient;
};
/// The exact result for one matrix A [m, n]; `got` is the library's result, which settles free choices such as signs.
using Reference = std::function<Result(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got)>;
/// Makes a reference from a function of numbers on the tape.
Reference on_tape(std::function<std::vector<Exact>(const Matrix& A, const std::vector<Z>& got)> f);

}  // namespace hostile
