#include "autograd/ops/products/matmul.h"

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/tape.h"
#include "core/gemm.h"
#include "core/kernels/elementwise.h"
#include "core/parallel.h"

namespace argand {
namespace {

Transpose make(bool transposed, bool conjugated) {
  return transposed ? (conjugated ? Transpose::Conjugate : Transpose::Yes) : conjugated ? Transpose::ConjugateNo : Transpose::No;
}
/// The composition of two operations: two transposes cancel, and so do two conjugates.
Transpose then(Transpose a, Transpose b) { return make(transposes(a) != transposes(b), conjugates(a) != conjugates(b)); }

/// `batch` products C_i = op(A_i) op(B_i) (+ C_i); a stride of 0 repeats one matrix. Many small products are divided among the
/// threads; for a few large ones each product is parallel.
template <Scalar T>
void batched_gemm(std::int64_t batch, Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, const T* A,
                  std::int64_t a_step, const T* B, std::int64_t b_step, T beta, T* C, std::int64_t c_step) {
  const std::int64_t lda = transposes(a_is) ? M : K, ldb = transposes(b_is) ? K : N;
  const auto product = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      gemm<T>(a_is, b_is, M, N, K, T(1), A + i * a_step, lda, B + i * b_step, ldb, beta, C + i * c_step, N);
  };
  if (batch > 1 && M * N * K < (1 << 22))
    parallel_for(batch, 1, product);
  else
    product(0, batch);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ matmul

static const Op matmul_op(
    {.name = "matmul",
     .kind = Kind::General,
     .equation = "C = op(A) op(B), op one of X, Xᵀ, Xᴴ, batched",
     .dz = "∂C_mn/∂A_mk = B_kn, ∂C_mn/∂B_kn = A_mk (op = X or Xᵀ)",
     .dzbar = "0 (op = X or Xᵀ); with Xᴴ the map is antiholomorphic in X",
     .vjp = "d(op A) = dC op(B)ᴴ, d(op B) = op(A)ᴴ dC; dA and dB undo op",
     .jvp = "Ċ = op(Ȧ) op(B) + op(A) op(Ḃ)",
     .derivation = "The plain product is holomorphic in both factors, and so are products of holomorphic functions; the op is "
                   "general only because of Xᴴ. From C_mn = Σ_k A_mk B_kn, dA_mk = Σ_n conj(B_kn) dC_mn = (dC Bᴴ)_mk and likewise "
                   "dB = Aᴴ dC. With op(A) = Aᵀ, dA = (dC op(B)ᴴ)ᵀ = conj(op(B)) dCᵀ; with op(A) = Aᴴ, where A enters through its "
                   "conjugate, the gradient is conjugated again: dA = (dC op(B)ᴴ)ᴴ = op(B) dCᴴ. Each is again one GEMM with "
                   "transposes. op is real-linear, so the tangent follows the product rule.",
     .singular = "none",
     .source = "Hjørungnes, Complex-Valued Matrix Derivatives, table 3.4"},
    [](OpCheck& check) {
      const auto N = Transpose::No, T = Transpose::Yes, H = Transpose::Conjugate;
      const auto f = [](Transpose a, Transpose b) { return [a, b](auto A, auto B) { return matmul(A, B, a, b); }; };
      check.function("real", f(N, N), check.real({3, 2}), check.real({2, 3}));
      check.function("real, transposed", f(T, T), check.real({2, 3}), check.real({4, 2}));
      check.function("real batch", f(N, T), check.real({2, 3, 2}), check.real({2, 4, 2}));
      check.function("real batch, one matrix", f(N, N), check.real({2, 3, 2}), check.real({2, 4}));
      check.function("complex", f(N, N), check.complex({3, 3}), check.complex({3, 3}));
      check.function("complex, transposed", f(T, N), check.complex({2, 3}), check.complex({2, 4}));
      check.function("complex, conjugated", f(N, H), check.complex({3, 2}), check.complex({4, 2}));
      check.function("complex, both conjugated", f(H, H), check.complex({2, 3}), check.complex({4, 2}));
      check.function("complex batch, one matrix", f(N, H), check.complex({2, 3, 2}), check.complex({4, 2}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("real, columns", f(N, N), at.real({3, 2}), at.real({2, n}));
        at.function("real, rows", f(T, T), at.real({2, n}), at.real({3, 2}));
        at.function("real, batch", f(N, T), at.real({n, 2, 3}), at.real({n, 2, 3}));
        at.function("complex, columns", f(N, H), at.complex({3, 2}), at.complex({n, 2}));
        at.function("complex, rows", f(H, N), at.complex({2, n}), at.complex({2, 3}));
        at.function("complex, batch, one matrix", f(N, T), at.complex({n, 2, 3}), at.complex({2, 3}));
      });
      check.sizes("inner size", [=](OpCheck& at, std::int64_t n) {
        at.function("real", f(N, N), at.real({3, n}), at.real({n, 2}));
        at.function("complex", f(N, H), at.complex({3, n}), at.complex({2, n}));
      });
      check.sizes(
          "real, square",
          [=](OpCheck& at, std::int64_t n) {
            at.function("", f(N, T), at.real({n, n}), at.real({n, n}));
          },
          67);
      check.sizes(
          "complex, square",
          [=](OpCheck& at, std::int64_t n) {
            at.function("", f(N, H), at.complex({n, n}), at.complex({n, n}));
          },
          67);
    });

template <Scalar T>
Var<T> matmul(const Var<T>& A, const Var<T>& B, Transpose a_is, Transpose b_is) {
  require(A.rank() >= 2 && B.rank() >= 2, "matmul", "expects matrices, got {} and {}", A.shape(), B.shape());
  const std::int64_t M = A.dim(transposes(a_is) ? -1 : -2), K = A.dim(transposes(a_is) ? -2 : -1);
  const std::int64_t N = B.dim(transposes(b_is) ? -2 : -1), inner = B.dim(transposes(b_is) ? -1 : -2);
  require(K == inner, "matmul", "inner dimensions do not match: {} and {}", A.shape(), B.shape());
  const auto without_matrix = [](Shape shape) {
    shape.erase(-1);
    shape.erase(-1);
    return shape;
  };
  const auto with_matrix = [](Shape leading, const Shape& matrix) {
    leading.push_back(matrix[-2]);
    leading.push_back(matrix[-1]);
    return leading;
  };
  const Shape leading = without_matrix(A.shape()), b_leading = without_matrix(B.shape());
  const bool shared = B.rank() == 2 && A.rank() > 2;
  if (!shared && leading != b_leading) {
    const Shape both = broadcast("matmul", leading, b_leading);
    return matmul(expand(A, with_matrix(both, A.shape())), expand(B, with_matrix(both, B.shape())), a_is, b_is);
  }
  const std::int64_t batch = leading.size(), b_step = shared ? 0 : K * N;
  Shape shape = leading;
  shape.push_back(M);
  shape.push_back(N);

  Tensor<T> C(shape);
  if (shared && !transposes(a_is))  // one tall product instead of many small ones
    batched_gemm<T>(1, a_is, b_is, batch * M, N, K, A.value().data(), 0, B.value().data(), 0, T(0), C.data(), 0);
  else
    batched_gemm<T>(batch, a_is, b_is, M, N, K, A.value().data(), M * K, B.value().data(), b_step, T(0), C.data(), M * N);

  return record(
      matmul_op, C,
      [=, a = A.value(), b = B.value(), dA = accumulator(A), dB = accumulator(B)](const Tensor<T>& dC) {
        dA.accumulate([&](T* out, bool add) {
          const T beta = add ? T(1) : T(0);
          // dA = dC op(B)ᴴ, with op undone on the result by transposing the product and conjugating both factors.
          const Transpose undo = conjugates(a_is) ? Transpose::ConjugateNo : Transpose::No;
          if (!transposes(a_is))
            batched_gemm<T>(batch, undo, then(then(b_is, Transpose::Conjugate), undo), M, K, N, dC.data(), M * N, b.data(), b_step,
                            beta, out, M * K);
          else
            batched_gemm<T>(batch, then(then(b_is, Transpose::ConjugateNo), undo), then(Transpose::Yes, undo), K, M, N, b.data(),
                            b_step, dC.data(), M * N, beta, out, M * K);
        });
        dB.accumulate([&](T* out, bool add) {
          const Transpose undo = conjugates(b_is) ? Transpose::ConjugateNo : Transpose::No;
          if (shared && batch == 0 && !add) std::fill_n(out, K * N, T(0));
          // If the whole batch shares B, the products add into one gradient matrix, in order.
          for (std::int64_t i = 0; i < (shared ? batch : 1); ++i) {
            const T beta = add || i > 0 ? T(1) : T(0);
            const std::int64_t n = shared ? 1 : batch, at = i * M;
            if (!transposes(b_is))
              batched_gemm<T>(n, then(then(a_is, Transpose::Conjugate), undo), undo, K, N, M, a.data() + at * K, M * K,
                              dC.data() + at * N, M * N, beta, out, K * N);
            else
              batched_gemm<T>(n, then(Transpose::Yes, undo), then(then(a_is, Transpose::ConjugateNo), undo), N, K, M,
                              dC.data() + at * N, M * N, a.data() + at * K, M * K, beta, out, K * N);
          }
        });
      },
      [&](const auto&) { return matmul(tangent(A), B, a_is, b_is) + matmul(A, tangent(B), a_is, b_is); }, A, B);
}

// ------------------------------------------------------------------------------------------------ linear

static const Op linear_op(
    {.name = "linear",
     .kind = Kind::Holomorphic,
     .equation = "y_n = W x_n + b, row by row: Y = X Wᵀ + 1 bᵀ",
     .dz = "∂y_no/∂x_ni = W_oi, ∂y_no/∂W_oi = x_ni, ∂y_no/∂b_o = 1",
     .dzbar = "0",
     .vjp = "dX = dY conj(W), dW = dYᵀ conj(X), db = Σ_n dy_n",
     .jvp = "Ẏ = Ẋ Wᵀ + X Ẇᵀ + 1 ḃᵀ",
     .derivation = "y_no = Σ_i W_oi x_ni + b_o is linear in each of x, W, b, so holomorphic: dx_ni = Σ_o conj(W_oi) dy_no, dW_oi = "
                   "Σ_n conj(x_ni) dy_no, db_o = Σ_n dy_no. Tangent: the product rule, as X Wᵀ is bilinear.",
     .singular = "none",
     .source = "Hjørungnes, Complex-Valued Matrix Derivatives, section 3.3"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto W, auto b) { return linear(x, W, b); };
      check.function("real", f, check.real({2, 3, 4}), check.real({5, 4}), check.real({5}));
      check.function("complex", f, check.complex({2, 3, 4}), check.complex({4, 4}), check.complex({4}));
      check.function(
          "complex, no bias", [](auto x, auto W) { return linear(x, W); }, check.complex({3, 2}), check.complex({3, 2}));
      check.sizes("inputs", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, at.real({3, n}), at.real({2, n}), at.real({2}));
        at.function("complex", f, at.complex({3, n}), at.complex({2, n}), at.complex({2}));
      });
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("real, outputs", f, at.real({3, 2}), at.real({n, 2}), at.real({n}));
        at.function("real, rows", f, at.real({n, 3}), at.real({2, 3}), at.real({2}));
        at.function("complex, outputs", f, at.complex({3, 2}), at.complex({n, 2}), at.complex({n}));
        at.function("complex, rows", f, at.complex({n, 3}), at.complex({2, 3}), at.complex({2}));
        at.function(
            "complex, no bias", [](auto x, auto W) { return linear(x, W); }, at.complex({n, 2}), at.complex({3, 2}));
      });
    });

namespace {

template <Scalar T>
Var<T> linear_with(const Var<T>& x, const Var<T>& W, const Var<T>* b) {
  require(W.rank() == 2 && x.rank() >= 1 && x.shape().back() == W.dim(1), "linear",
          "weight [out, in] = {} does not match x of shape {}", W.shape(), x.shape());
  const std::int64_t out = W.dim(0), in = W.dim(1), N = x.shape().rows();
  require(b == nullptr || b->shape() == Shape({out}), "linear", "bias of shape {} does not match {} outputs",
          b ? b->shape() : Shape{}, out);
  Shape shape = x.shape();
  shape[-1] = out;

  Tensor<T> y(shape);
  const T *const A = x.value().data(), *const B = W.value().data();
  if (b != nullptr)
    gemm_with_bias<T>(Transpose::No, Transpose::Yes, N, out, in, A, in, B, in, b->value().data(), y.data(), out);
  else
    gemm<T>(Transpose::No, Transpose::Yes, N, out, in, T(1), A, in, B, in, T(0), y.data(), out);

  const Var<T> bias = b != nullptr ? *b : Var<T>();
  return record(
      linear_op, y,
      [=, a = wants_grad(W) ? x.value() : Tensor<T>(), w = wants_grad(x) ? W.value() : Tensor<T>(), dx = accumulator(x),
       dW = accumulator(W), db = accumulator(bias)](const Tensor<T>& dy) {
        dx.accumulate([&](T* to, bool add) {
          gemm<T>(Transpose::No, Transpose::ConjugateNo, N, in, out, T(1), dy.data(), out, w.data(), in, add ? T(1) : T(0), to, in);
        });
        dW.accumulate([&](T* to, bool add) {
          gemm<T>(Transpose::Yes, Transpose::ConjugateNo, out, in, N, T(1), dy.data(), out, a.data(), in, add ? T(1) : T(0), to,
                  in);
        });
        if (db) db.add(sum_to(dy, Shape{out}));
      },
      [&](const auto&) {
        const Var<T> by_weight = linear(x, tangent(W));
        return by_weight + (b != nullptr ? linear(tangent(x), W, tangent(*b)) : linear(tangent(x), W));
      },
      x, W, bias);
}

}  // namespace

template <Scalar T>
Var<T> linear(const Var<T>& x, const Var<T>& W, const Var<T>& b) {
  return linear_with(x, W, &b);
}
template <Scalar T>
Var<T> linear(const Var<T>& x, const Var<T>& W) {
  return linear_with<T>(x, W, nullptr);
}

#define ARGAND_MATMUL(T)                                                      \
  template Var<T> matmul(const Var<T>&, const Var<T>&, Transpose, Transpose); \
  template Var<T> linear(const Var<T>&, const Var<T>&, const Var<T>&);        \
  template Var<T> linear(const Var<T>&, const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_MATMUL)

}  // namespace argand
