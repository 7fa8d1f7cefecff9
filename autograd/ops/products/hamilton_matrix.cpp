#include "autograd/ops/products/hamilton_matrix.h"

#include "autograd/op_check.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/quaternion.h"

namespace argand {

static const Op hamilton_matrix_op(
    {.name = "hamilton_matrix",
     .kind = Kind::Real,
     .equation = "each w = a + bi + cj + dk becomes [[a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a]]",
     .dz = "every entry of M is ± one part of one element of W",
     .dzbar = "no complex input; quaternions enter as their parts",
     .vjp = "da = dM_00 + dM_11 + dM_22 + dM_33, and likewise for the four signed entries of b, c and d",
     .jvp = "Ṁ: the matrix of Ẇ",
     .derivation = "Row c, column p of w's matrix is the coefficient of x_p in part c of w x. The matrix is linear in w, so the "
                   "gradient sums over the entries that hold each part, and the tangent is the matrix of the tangent.",
     .singular = "none",
     .source = "Hamilton (1843); Parcollet et al., Quaternion Recurrent Neural Networks (2019)"},
    [](OpCheck& check) {
      check.function(
          "real", [](auto W) { return hamilton_matrix(W); }, check.real({2, 3, 4}));
      check.sizes("columns", [](OpCheck& at, std::int64_t n) {
        at.function(
            "", [](auto W) { return hamilton_matrix(W); }, at.real({1, n, 4}));
      });
      check.sizes("rows", [](OpCheck& at, std::int64_t n) {
        at.function(
            "", [](auto W) { return hamilton_matrix(W); }, at.real({n, 2, 4}));
      });
    });

template <RealScalar R>
Var<R> hamilton_matrix(const Var<R>& W) {
  require(W.rank() == 3 && W.dim(2) == 4, "hamilton_matrix", "expects quaternions [out, in, 4], got {}", W.shape());
  const std::int64_t out = W.dim(0), in = W.dim(1);
  Tensor<R> M(Shape{4 * out, 4 * in});
  parallel_for(out, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o)
      for (std::int64_t c = 0; c < 4; ++c)
        for (std::int64_t i = 0; i < in; ++i)
          for (std::int64_t p = 0; p < 4; ++p) {
            const HamiltonTerm term = hamilton[c][p];
            M.data()[((4 * o + c) * in + i) * 4 + p] = static_cast<R>(term.sign) * W.value().data()[(o * in + i) * 4 + term.part];
          }
  });
  return record(
      hamilton_matrix_op, std::move(M),
      [out, in, dW = accumulator(W)](const Tensor<R>& dM) {
        Tensor<R> g = Tensor<R>::zeros(Shape{out, in, 4});
        parallel_for(out, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t o = begin; o < end; ++o)
            for (std::int64_t c = 0; c < 4; ++c)
              for (std::int64_t i = 0; i < in; ++i)
                for (std::int64_t p = 0; p < 4; ++p) {
                  const HamiltonTerm term = hamilton[c][p];
                  g.data()[(o * in + i) * 4 + term.part] += static_cast<R>(term.sign) * dM.data()[((4 * o + c) * in + i) * 4 + p];
                }
        });
        dW.add(std::move(g));
      },
      [&](const auto&) { return hamilton_matrix(tangent(W)); }, W);
}

template Var<float> hamilton_matrix(const Var<float>&);
template Var<double> hamilton_matrix(const Var<double>&);

}  // namespace argand
