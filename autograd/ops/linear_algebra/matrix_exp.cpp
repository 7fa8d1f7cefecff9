#include "autograd/ops/linear_algebra/matrix_exp.h"

#include <array>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "core/gemm.h"

namespace argand {

static const Op matrix_exp_op(
    {.name = "matrix_exp",
     .kind = Kind::Holomorphic,
     .equation = "W = e^A = Σ_k A^k/k!, batched",
     .dz = "dW = ∫₀¹ e^{tA} (dA) e^{(1-t)A} dt in differentials",
     .dzbar = "0",
     .vjp = "dA = the upper right block of e^((Aᴴ, dW), (0, Aᴴ))",
     .jvp = "Ẇ = the upper right block of e^((A, Ȧ), (0, A))",
     .derivation =
         "A and Ȧ need not commute: along a direction (A^k)˙ = Σ_j A^j Ȧ A^{k-1-j}, which is what stands in the upper right of "
         "the k-th power of the block matrix B = ((A, Ȧ), (0, A)). So it is in every power series: e^B has W on its diagonal "
         "and Ẇ beside it. Backwards, Re tr(dWᴴ A^j Ȧ A^{k-1-j}) = Re tr(((Aᴴ)^j dW (Aᴴ)^{k-1-j})ᴴ Ȧ), the same sum with Aᴴ for "
         "A and dW for Ȧ.",
     .singular = "none; overflows where e^A does. A number that is not finite makes all NaN",
     .source =
         "Higham, SIAM J. Matrix Anal. Appl. 26 (2005), algorithm 2.3; Mathias, SIAM J. Matrix Anal. Appl. 17 (1996), theorem 2.1"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return matrix_exp(A); };
      check.function("real", f, check.real({3, 3}));
      check.function("complex", f, check.complex({2, 3, 3}));
      check.function("real, nilpotent", f, Tensor<double>({3, 3}, {0, 1, 2, 0, 0, 3, 0, 0, 0}));
      check.function("complex, scaled and squared", f, map([](auto a) { return 4.0 * a; }, check.complex({2, 2})));
      check.places_matter();
      check.grows("batch", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, at.real({n, 2, 2}));
        at.function("complex", f, at.complex({n, 2, 2}));
      });
      check.grows(
          "size",
          [f](OpCheck& at, std::int64_t n) {
            at.function("complex", f, matrices::regular(at.complex({n, n})));
          },
          33);
    });

namespace {

/// Coefficients of the numerator of the [13/13] Padé approximant of e^x; the denominator has them with alternating signs.
constexpr double pade[] = {64764752532480000,
                           32382376266240000,
                           7771770303897600,
                           1187353796428800,
                           129060195264000,
                           10559470521600,
                           670442572800,
                           33522128640,
                           1323241920,
                           40840800,
                           960960,
                           16380,
                           182,
                           1};
/// Up to this norm the approximant is e^A but for rounding in double precision.
constexpr double largest_norm = 5.371920351148152;

/// W <- e^A of one finite matrix.
template <Scalar T>
class OneExponential {
 public:
  OneExponential(std::int64_t n, const T* A) : n_(n), A_(A, A + n * n) {}

  void write(T* W) {
    const double size = norm();
    if (!std::isfinite(size)) return matrices::fill_with_nan(W, n_ * n_);  // a sum of finite numbers may overflow
    const int halvings = std::max(0, std::ilogb(size / largest_norm) + 1);
    for (T& a : A_) a *= static_cast<RealOf<T>>(std::ldexp(1.0, -halvings));
    const Matrix A2 = times(A_, A_), A4 = times(A2, A2), A6 = times(A2, A4);
    const auto even = [&](int k) {  // b_k I + b_{k+2} A² + b_{k+4} A⁴ + b_{k+6} A⁶
      return combined({pade[k], pade[k + 2], pade[k + 4], pade[k + 6]}, A2, A4, A6);
    };
    const auto high = [&](int k) { return times(A6, combined({0, pade[k], pade[k + 2], pade[k + 4]}, A2, A4, A6)); };
    const Matrix U = times(A_, sum(high(9), even(1), 1)), V = sum(high(8), even(0), 1);
    // (V - U)⁻¹ (V + U). All commute, so that rows in the place of LAPACK's columns, transposes, give the transpose of the same.
    Matrix below = sum(V, U, -1), X = sum(V, U, 1);
    std::vector<int> pivots;
    lapack_lu(n_, below.data(), pivots);
    lapack_solve(false, n_, n_, below.data(), pivots, X.data());
    for (int k = 0; k < halvings; ++k) X = times(X, X);
    std::copy(X.begin(), X.end(), W);
  }

 private:
  using Matrix = std::vector<T>;

  /// |A|₁, the largest sum of moduli of a column.
  double norm() const {
    double largest = 0;
    for (std::int64_t j = 0; j < n_; ++j) {
      double column = 0;
      for (std::int64_t i = 0; i < n_; ++i) column += std::abs(A_[static_cast<std::size_t>(i * n_ + j)]);
      largest = std::max(largest, column);
    }
    return largest;
  }
  Matrix times(const Matrix& A, const Matrix& B) const {
    Matrix C(A.size());
    gemm<T>(Transpose::No, Transpose::No, n_, n_, n_, T(1), A.data(), n_, B.data(), n_, T(0), C.data(), n_);
    return C;
  }
  static Matrix sum(Matrix A, const Matrix& B, double b) {
    for (std::size_t k = 0; k < A.size(); ++k) A[k] += T(static_cast<RealOf<T>>(b)) * B[k];
    return A;
  }
  Matrix combined(const std::array<double, 4>& c, const Matrix& A2, const Matrix& A4, const Matrix& A6) const {
    using R = RealOf<T>;
    Matrix C(A2.size());
    for (std::size_t k = 0; k < C.size(); ++k)
      C[k] = A2[k] * static_cast<R>(c[1]) + A4[k] * static_cast<R>(c[2]) + A6[k] * static_cast<R>(c[3]);
    for (std::int64_t i = 0; i < n_; ++i) C[static_cast<std::size_t>(i * n_ + i)] += static_cast<R>(c[0]);
    return C;
  }

  std::int64_t n_;
  Matrix A_;
};

template <Scalar T>
Tensor<T> exponentials(const Tensor<T>& A) {
  const matrices::Stack stack = matrices::square("matrix_exp", A.shape());
  const std::int64_t size = stack.n * stack.n;
  Tensor<T> W(A.shape());
  T* const out = W.data();
  matrices::each(stack, [&](std::int64_t i) {
    if (matrices::all_finite(A.data() + i * size, size))
      OneExponential<T>(stack.n, A.data() + i * size).write(out + i * size);
    else
      matrices::fill_with_nan(out + i * size, size);
  });
  return W;
}

/// The power of two that brings the largest number of x near 1; 1 where there is none. What is linear in x is computed of x times
/// that, so that it scales like x and takes no more squarings.
template <Scalar T>
RealOf<T> to_one(const T* x, std::int64_t size) {
  RealOf<T> largest = 0;
  for (std::int64_t k = 0; k < size; ++k) largest = std::max(largest, static_cast<RealOf<T>>(std::abs(x[k])));
  if (!std::isfinite(largest) || largest == 0) return 1;
  return std::ldexp(RealOf<T>(1), -std::clamp(std::ilogb(largest), -100, 100));
}

/// The blocks ((A, E), (0, A)) of variables.
template <Scalar T>
Var<T> blocks(const Var<T>& A, const Var<T>& E) {
  const Var<T> zeros(Tensor<T>::zeros(A.shape()));
  return concatenate(std::vector{concatenate(std::vector{A, E}, -1), concatenate(std::vector{zeros, A}, -1)}, -2);
}
template <Scalar T>
Var<T> upper_right(const Var<T>& W, std::int64_t n) {
  return slice(slice(W, -2, 0, n), -1, n, 2 * n);
}

}  // namespace

template <Scalar T>
Var<T> matrix_exp(const Var<T>& A) {
  const std::int64_t n = A.dim(-1);
  return record(
      matrix_exp_op, exponentials(A.value()),
      [n, adjoint = matrices::adjoint_of(A.value()), dA = sink(A)](const Tensor<T>& dW) {
        if (!dA) return;
        const NoGrad none;
        const NoForward still;
        const matrices::Stack stack("matrix_exp", dW.shape());
        std::vector<RealOf<T>> scales;
        for (std::int64_t i = 0; i < stack.count; ++i) scales.push_back(to_one(dW.data() + i * n * n, n * n));
        const auto scale_of = [&](std::int64_t i) { return scales[static_cast<std::size_t>(i)]; };
        const Tensor<T> E = matrices::map_places(dW, [&](std::int64_t at, auto, auto, T g) { return g * scale_of(at); });
        const Tensor<T> g = upper_right(Var<T>(exponentials(blocks(Var<T>(adjoint), Var<T>(E)).value())), n).value();
        dA.add(matrices::map_places(g, [&](std::int64_t at, auto, auto, T x) { return x / scale_of(at); }));
      },
      [&](const Var<T>&) {
        const Var<T> dot = tangent(A);
        const RealOf<T> c = to_one(dot.value().data(), dot.size());
        return scale(upper_right(matrix_exp(blocks(A, scale(dot, c))), n), 1 / c);
      },
      A);
}

#define ARGAND_MATRIX_EXP(T) template Var<T> matrix_exp(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_MATRIX_EXP)

}  // namespace argand
