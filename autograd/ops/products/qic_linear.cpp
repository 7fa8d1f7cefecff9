#include "autograd/ops/products/qic_linear.h"

#include <algorithm>
#include <numbers>
#include <vector>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/qic_angle.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/gemm.h"
#include "core/kernels/pack.h"
#include "core/kernels/reduce.h"
#include "core/parallel.h"
#include "core/qic_algebra.h"

namespace argand {

static const Op qic_linear_op(
    {.name = "qic_linear",
     .kind = Kind::General,
     .equation = "y_a = W_a x_a + κ W_b x_b + b_a, y_b = W_a x_b + W_b x_a + b_b, κ = -1 + sin 2θ, one θ per group of rows",
     .dz = "∂y/∂x = W - (i/2) sin 2θ W_b, ∂y/∂W likewise with x_b (z = a + ib for the pair)",
     .dzbar = "∂y/∂x̄ = (i/2) sin 2θ W_b, ∂y/∂W̄ likewise with x_b: holomorphic where sin 2θ = 0",
     .vjp = "with G = dy:  dx_a = W_aᵀ G_a + W_bᵀ G_b, dx_b = W_bᵀ (κ G_a) + W_aᵀ G_b;  dW_a = G_aᵀ x_a + G_bᵀ x_b, dW_b = κ G_aᵀ "
            "x_b + G_bᵀ x_a;  db = Σ G;  dθ = 2 cos 2θ Σ G_a · (W_b x_b)",
     .jvp = "ẏ = W ẋ + Ẇ x + ḃ, plus κ̇ W_b x_b in ẏ_a, κ̇ = 2 cos 2θ θ̇",
     .derivation =
         "All parts are real, so each gradient is the real transpose. Gauss: Σ G·y is a trilinear form of rank three, W_a x_a (G_a "
         "- G_b) + W_b x_b (κ G_a - G_b) + (W_a + W_b)(x_a + x_b) G_b. Dropping G gives y from three products, y_a = P1 + κ P2, "
         "y_b = P3 - P1 - P2; dropping x gives dx from three, with a separate κ for each row. dW and dθ together need the four "
         "products G_aᵀ x_a, G_aᵀ x_b, G_bᵀ x_a, G_bᵀ x_b (dθ needs only W_b · (G_aᵀ x_b)): one real product of the pairs as "
         "stored. Forward: the algebra's product is bilinear over the reals, and κ appears only in y_a.",
     .singular = "none; at θ = π/4, dκ/dθ = 0, so θ gets gradient 0 regardless of the data",
     .source = "QIC's linear layer; the three products of Gauss's complex multiplication"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto W, auto b, auto theta) { return qic_linear(x, W, b, theta); };
      constexpr double pi = std::numbers::pi;
      const auto at = [&](std::string label, Tensor<double> theta) {
        check.function(std::move(label), f, check.complex({2, 3}), check.complex({4, 3}), check.complex({4}), theta);
      };
      at("angles of two heads", Tensor<double>({2}, {0.3, -0.9}));
      at("θ = 0, the complex numbers", Tensor<double>({1}, {0.0}));
      at("θ = π/4, the dual numbers", Tensor<double>({1}, {pi / 4}));
      at("θ = π/2", Tensor<double>({1}, {pi / 2}));
      check.function(
          "no bias", [](auto x, auto W, auto theta) { return qic_linear(x, W, theta); }, check.complex({2, 2, 3}),
          check.complex({2, 3}), Tensor<double>({1}, {pi / 6}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        const Tensor<double> theta({2}, {0.3, -0.9});
        at.function("inputs", f, at.complex({2, n}), at.complex({4, n}), at.complex({4}), theta);
        at.function("outputs", f, at.complex({2, 3}), at.complex({2 * n, 3}), at.complex({2 * n}), theta);
        at.function("rows", f, at.complex({n, 3}), at.complex({2, 3}), at.complex({2}), theta);
        at.function(
            "no bias", [](auto x, auto W, auto t) { return qic_linear(x, W, t); }, at.complex({n, 2}), at.complex({2, 2}), theta);
      });
    });

namespace {

/// Rows per tile, few enough for the planes of their pairs to stay in the cache.
constexpr std::int64_t tile_rows = 128;

/// Splits n pairs z into a, b and a + b.
template <RealScalar R>
void split_parts(std::int64_t n, const std::complex<R>* z, R* a, R* b, R* both) {
  for_packs<R>(0, n, [=](auto at) {
    const ComplexPack<R> parts = at.load(z);
    at.store(a, parts.re);
    at.store(b, parts.im);
    at.store(both, parts.re + parts.im);
  });
}

/// The three planes W_a, W_b, W_a + W_b, each [out, in].
template <RealScalar R>
Tensor<R> weight_planes(const Tensor<std::complex<R>>& W) {
  Tensor<R> planes(Shape{3, W.dim(0), W.dim(1)});
  const std::int64_t n = W.size();
  parallel_for(n, elementwise_grain, [&, to = planes.data()](std::int64_t begin, std::int64_t end) {
    split_parts(end - begin, W.data() + begin, to + begin, to + n + begin, to + 2 * n + begin);
  });
  return planes;
}

/// Gauss's three products for `rows` rows, tile by tile: `split(row, three planes of K)` fills the factors from one row, which are
/// multiplied by the three planes of the weight, [N, K] or its transpose; `join(row, three planes of N)` receives the products.
template <RealScalar R, class Split, class Join>
void three_products(std::int64_t rows, std::int64_t K, std::int64_t N, Transpose w_is, const R* weight, const Split& split,
                    const Join& join) {
  parallel_for((rows + tile_rows - 1) / tile_rows, 1, [&](std::int64_t first, std::int64_t last) {
    Tensor<R> factors(Shape{3, tile_rows, K}), products(Shape{3, tile_rows, N});
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t from = tile * tile_rows, count = std::min(tile_rows, rows - from);
      R* f = factors.data();
      R* p = products.data();
      for (std::int64_t i = 0; i < count; ++i) split(from + i, f + i * K, f + (tile_rows + i) * K, f + (2 * tile_rows + i) * K);
      for (std::int64_t plane = 0; plane < 3; ++plane)
        gemm<R>(Transpose::No, w_is, count, N, K, 1, f + plane * tile_rows * K, K, weight + plane * K * N,
                w_is == Transpose::Yes ? K : N, 0, p + plane * tile_rows * N, N);
      for (std::int64_t i = 0; i < count; ++i) join(from + i, p + i * N, p + (tile_rows + i) * N, p + (2 * tile_rows + i) * N);
    }
  });
}

template <RealScalar R>
struct QicProduct {
  using C = std::complex<R>;
  std::int64_t rows, in, out;
  Tensor<R> theta;   ///< [H]
  Tensor<R> kappas;  ///< for each row of W, [out]

  QicProduct(const Shape& x, const Shape& W, const Tensor<R>& angles)
      : rows(x.rows()), in(W[1]), out(W[0]), theta(angles), kappas(Shape{out}) {
    for (std::int64_t o = 0; o < out; ++o) kappas.data()[o] = kappa(angles.data()[group(o)]);
  }
  std::int64_t group(std::int64_t row_of_W) const { return row_of_W / (out / theta.size()); }

  void forward(const Tensor<C>& x, const Tensor<C>& W, const C* bias, Tensor<C>& y) const {
    const Tensor<R> planes = weight_planes(W);
    const auto split = [in = in, &x](std::int64_t row, R* a, R* b, R* both) { split_parts(in, x.data() + row * in, a, b, both); };
    const Tensor<C> zero = bias == nullptr ? Tensor<C>::zeros({out}) : Tensor<C>();
    const auto join = [out = out, k = kappas.data(), c = bias ? bias : zero.data(), &y](std::int64_t row, const R* p1, const R* p2,
                                                                                        const R* p3) {
      for_packs<R>(0, out, [=, z = y.data() + row * out](auto at) {
        const Pack<R> q1 = at.load(p1), q2 = at.load(p2);
        at.store(z, ComplexPack<R>(q1 + at.load(k) * q2, at.load(p3) - q1 - q2) + at.load(c));
      });
    };
    three_products(rows, in, out, Transpose::Yes, planes.data(), split, join);
  }

  void input_gradient(const Tensor<C>& dy, const Tensor<C>& W, C* dx, bool add) const {
    const Tensor<R> planes = weight_planes(W);
    const auto split = [out = out, k = kappas.data(), &dy](std::int64_t row, R* u1, R* u2, R* u3) {
      for_packs<R>(0, out, [=, g = dy.data() + row * out](auto at) {
        const ComplexPack<R> parts = at.load(g);
        at.store(u1, parts.re - parts.im);
        at.store(u2, at.load(k) * parts.re - parts.im);
        at.store(u3, parts.im);
      });
    };
    const auto join = [in = in, dx, add](std::int64_t row, const R* p1, const R* p2, const R* p3) {
      for_packs<R>(0, in, [=, z = dx + row * in](auto at) {
        const Pack<R> q3 = at.load(p3);
        const ComplexPack<R> d(at.load(p1) + q3, at.load(p2) + q3);
        at.put(z, d, add);
      });
    };
    three_products(rows, out, in, Transpose::No, planes.data(), split, join);
  }

  void parameter_gradients(const Tensor<C>& x, const Tensor<C>& W, const Tensor<C>& dy, const GradientAccumulator<C>& dW,
                           const GradientAccumulator<R>& dtheta) const {
    // [2 out, 2 in]: row 2o holds g_a of output o times each x_a and x_b, row 2o + 1 the same for g_b.
    Tensor<R> products(Shape{2 * out, 2 * in});
    gemm<R>(Transpose::Yes, Transpose::No, 2 * out, 2 * in, rows, 1, reinterpret_cast<const R*>(dy.data()), 2 * out,
            reinterpret_cast<const R*>(x.data()), 2 * in, 0, products.data(), 2 * in);
    const auto of_output = [from = products.data(), in = in](std::int64_t o) {
      return reinterpret_cast<const C*>(from + 2 * o * 2 * in);
    };
    dW.accumulate([&](C* to, bool add) {
      parallel_for(out, row_grain(in), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o)
          for_packs<R>(0, in, [=, k = kappas.data()[o], ga = of_output(o), gb = of_output(o) + in, w = to + o * in](auto at) {
            const ComplexPack<R> of_a = at.load(ga), of_b = at.load(gb);
            const ComplexPack<R> d(of_a.re + of_b.im, of_a.im * k + of_b.re);
            at.put(w, d, add);
          });
      });
    });
    if (!dtheta) return;
    // This sum over a whole layer nearly cancels, so it is computed in double, as in the other ops with θ.
    std::vector<double> of_rows(static_cast<std::size_t>(out)), sums(static_cast<std::size_t>(theta.size()));
    parallel_for(out, row_grain(in), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o)
        of_rows[static_cast<std::size_t>(o)] =
            pack_sum<double>(0, in, [ga = of_output(o), w = W.data() + o * in](auto at) { return at.load(ga).im * at.load(w).im; });
    });
    for (std::int64_t o = 0; o < out; ++o) sums[static_cast<std::size_t>(group(o))] += of_rows[static_cast<std::size_t>(o)];
    Tensor<R> g(theta.shape());
    for (std::int64_t h = 0; h < theta.size(); ++h)
      g.data()[h] = kappa_derivative(theta.data()[h]) * static_cast<R>(sums[static_cast<std::size_t>(h)]);
    dtheta.add(std::move(g));
  }
};

/// The part of y's tangent due to W and θ. κ multiplies only W_b x_b; the rest is a product of dual numbers (κ = 0).
template <RealScalar R>
Var<std::complex<R>> along_weight(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<R>& theta) {
  const Var<R> dual = constant(Tensor<R>::full({1}, std::numbers::pi_v<R> / 4)), k = kappa(theta);
  const auto row_by_row = [&](const Var<R>& of_groups, const Var<R>& part) {
    const std::int64_t H = theta.size();
    return reshape(reshape(of_groups, {H, 1}) * reshape(part, {H, part.size() / H}), part.shape());
  };
  const Var<R> moved = row_by_row(k, imag(tangent(W))) + row_by_row(tangent(k), imag(W));
  return qic_linear(x, tangent(W), dual) + linear(imag(x), moved);
}

template <RealScalar R>
Var<std::complex<R>> qic_linear_with(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<std::complex<R>>* b,
                                     const Var<R>& theta) {
  using C = std::complex<R>;
  require(W.rank() == 2 && x.rank() >= 1 && x.shape().back() == W.dim(1), "qic_linear",
          "weight [out, in] = {} does not match x of shape {}", W.shape(), x.shape());
  const std::int64_t out = W.dim(0);
  require(b == nullptr || b->shape() == Shape({out}), "qic_linear", "bias of shape {} does not match {} outputs",
          b ? b->shape() : Shape{}, out);
  require(theta.rank() == 1 && theta.size() > 0 && out % theta.size() == 0, "qic_linear",
          "angles of shape {} do not divide {} outputs into equal groups", theta.shape(), out);
  const QicProduct<R> product(x.shape(), W.shape(), theta.value());
  Shape shape = x.shape();
  shape[-1] = out;
  Tensor<C> y(shape);
  product.forward(x.value(), W.value(), b != nullptr ? b->value().data() : nullptr, y);
  const Var<C> bias = b != nullptr ? *b : Var<C>();
  return record(
      qic_linear_op, std::move(y),
      [product, out, xv = wants_grad(W, theta) ? x.value() : Tensor<C>(), w = W.value(), dx = accumulator(x), dW = accumulator(W),
       db = accumulator(bias), dtheta = accumulator(theta)](const Tensor<C>& dy) {
        dx.accumulate([&](C* to, bool add) { product.input_gradient(dy, w, to, add); });
        if (dW || dtheta) product.parameter_gradients(xv, w, dy, dW, dtheta);
        if (db) db.add(sum_to(dy, Shape{out}));
      },
      [&](const auto&) {
        const Var<C> by_x = b != nullptr ? qic_linear(tangent(x), W, tangent(*b), theta) : qic_linear(tangent(x), W, theta);
        return by_x + along_weight(x, W, theta);
      },
      x, W, bias, theta);
}

}  // namespace

template <RealScalar R>
Var<std::complex<R>> qic_linear(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<std::complex<R>>& b,
                                const Var<R>& theta) {
  return qic_linear_with<R>(x, W, &b, theta);
}
template <RealScalar R>
Var<std::complex<R>> qic_linear(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<R>& theta) {
  return qic_linear_with<R>(x, W, nullptr, theta);
}

// ------------------------------------------------------------------------------------------------ qic_dual

static const Op qic_dual_op(
    {.name = "qic_dual",
     .kind = Kind::General,
     .equation = "y_a = x_a, y_b = κ x_b, κ = -1 + sin 2θ",
     .dz = "(1 + κ)/2",
     .dzbar = "(1 - κ)/2",
     .vjp = "with G = dy:  dx_a = G_a, dx_b = κ G_b, dθ = 2 cos 2θ Σ G_b x_b",
     .jvp = "ẏ_a = ẋ_a, ẏ_b = κ ẋ_b + κ̇ x_b, κ̇ = 2 cos 2θ θ̇",
     .derivation = "Diagonal in the parts; x_b = (x - x̄)/(2i) gives ∂/∂x = (1 + κ)/2 and ∂/∂x̄ = (1 - κ)/2. Tangent: the product "
                   "rule for κ x_b.",
     .singular = "none; at θ = π/4, θ gets gradient 0",
     .source = "QIC's output layer: W_a x_a + κ W_b x_b = ⟨(W_a, W_b), (x_a, κ x_b)⟩"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto theta) { return qic_dual(x, theta); };
      for (const double theta : {0.0, 0.4, std::numbers::pi / 4, std::numbers::pi / 2})
        check.function(fmt::format("θ = {:.2f}", theta), f, check.complex({2, 3}), Tensor<double>({1}, {theta}));
      check.sizes("numbers", [f](OpCheck& at, std::int64_t n) {
        at.function("", f, at.complex({2, n}), Tensor<double>({1}, {0.4}));
      });
    });

template <RealScalar R>
Var<std::complex<R>> qic_dual(const Var<std::complex<R>>& x, const Var<R>& theta) {
  using C = std::complex<R>;
  require(theta.size() == 1, "qic_dual", "takes one angle, got {}", theta.shape());
  const R angle = theta.value().data()[0], k = kappa(angle);
  const auto f = [k](C z) { return C(z.real(), k * z.imag()); };
  return record(
      qic_dual_op, map(f, x.value()),
      [f, angle, shape = theta.shape(), xv = save_if_needed(accumulator(theta), x.value()), dx = accumulator(x),
       dtheta = accumulator(theta)](const Tensor<C>& dy) {
        accumulate_map(dx, f, dy);
        if (!dtheta) return;
        const double sum = block_sum<double>(
            dy.size(), [&](std::int64_t i) { return static_cast<double>(dy.data()[i].imag()) * xv.data()[i].imag(); });
        dtheta.add(Tensor<R>::full(shape, kappa_derivative(angle) * static_cast<R>(sum)));
      },
      [&](const auto&) {
        const Var<R> slope = reshape(tangent(kappa(theta)), Shape{});
        return qic_dual(tangent(x), theta) + C(0, 1) * (slope * imag(x));
      },
      x, theta);
}

#define ARGAND_QIC_LINEAR(R)                                                                                                      \
  template Var<std::complex<R>> qic_linear(const Var<std::complex<R>>&, const Var<std::complex<R>>&, const Var<std::complex<R>>&, \
                                           const Var<R>&);                                                                        \
  template Var<std::complex<R>> qic_linear(const Var<std::complex<R>>&, const Var<std::complex<R>>&, const Var<R>&);              \
  template Var<std::complex<R>> qic_dual(const Var<std::complex<R>>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_QIC_LINEAR)

}  // namespace argand
