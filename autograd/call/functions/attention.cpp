/// Registers the ops of autograd/ops/attention, and those of autograd/ops/rows that models use, to be called by name.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "autograd/call/functions/random_of.h"
#include "autograd/call/op_function.h"
#include "autograd/ops/attention/angular_attention.h"
#include "autograd/ops/attention/attention.h"
#include "autograd/ops/attention/magnitude_attention.h"
#include "autograd/ops/attention/selected_attention.h"
#include "autograd/ops/rows/magnitude_activation.h"
#include "autograd/ops/rows/magnitude_norm.h"
#include "autograd/ops/rows/norm.h"
#include "autograd/ops/rows/whitening.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// The default scale is 1/√d_k, where a head of q has d_k elements. Keys that the mask marks false are padding.
AttentionOptions attention_options(const Shape& q, std::int64_t parts, std::int64_t n_heads, std::optional<double> scale,
                                   bool causal, const std::optional<Mask>& visible_keys, double dropout,
                                   std::optional<std::int64_t> seed) {
  AttentionOptions options{.n_heads = n_heads, .causal = causal, .dropout = dropout, .random = random_of(seed)};
  const std::int64_t numbers = q.rank() > 0 && n_heads > 0 ? q.back() / (n_heads * parts) : 1;
  options.scale = scale.value_or(1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, numbers))));
  if (visible_keys)
    options.visible_keys =
        std::make_shared<const std::vector<std::uint8_t>>(visible_keys->data(), visible_keys->data() + visible_keys->size());
  return options;
}

template <RealScalar R>
Measure<R> measure_of(int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
  require(parts == 2 || parts == 4, "magnitude", "parts must be 2 (QIC) or 4 (quaternions), got {}", parts);
  Measure<R> measure{.parts = parts, .kind = magnitude_named(kind)};
  if (theta) measure.theta = *theta;
  return measure;
}

/// The number of elements in the trailing axes that a norm normalises together. Throws unless `normalized` matches those axes of x.
std::int64_t size_behind(std::string_view op, const Shape& x, const std::vector<std::int64_t>& normalized) {
  const auto n = static_cast<int>(normalized.size());
  bool fits = 1 <= n && n <= x.rank();
  std::int64_t size = 1;
  for (int k = 0; fits && k < n; ++k) {
    fits = x[k - n] == normalized[static_cast<std::size_t>(k)];
    size *= x[k - n];
  }
  require(fits, op, "normalized_shape [{}] does not match the last axes of {}", fmt::join(normalized, ", "), x);
  return size;
}

template <Scalar T>
Var<T> as_row(std::string_view op, const std::optional<Var<T>>& x, const Shape& like, int axes, std::int64_t size, T otherwise) {
  if (!x) {
    Tensor<T> row(Shape{size});
    row.fill(otherwise);
    return Var<T>(row);
  }
  const Shape expected{std::span(like.end() - axes, like.end())};
  require(x->shape() == expected, op, "weight or bias of shape {} does not match normalized_shape {}", x->shape(), expected);
  return reshape(*x, Shape{size});
}

}  // namespace

static const OpFunction norm_functions[] = {
    {"layer_norm",
     {"input", "normalized_shape", {"weight", none}, {"bias", none}, {"eps", 1e-5}},
     []<Scalar T>(const Var<T>& x, const std::vector<std::int64_t>& normalized, const std::optional<Var<RealOf<T>>>& weight,
                  const std::optional<Var<T>>& bias, double eps) {
       const std::int64_t D = size_behind("layer_norm", x.shape(), normalized);
       const auto axes = static_cast<int>(normalized.size());
       const Var<RealOf<T>> gain = as_row<RealOf<T>>("layer_norm", weight, x.shape(), axes, D, 1);
       const Var<T> b = as_row<T>("layer_norm", bias, x.shape(), axes, D, T(0));
       if (axes == 1) return layer_norm(x, gain, b, eps);
       return reshape(layer_norm(reshape(x, Shape{x.size() / std::max<std::int64_t>(1, D), D}), gain, b, eps), x.shape());
     }},
    {"rms_norm",
     {"input", "normalized_shape", {"weight", none}, {"eps", 1e-6}},
     []<Scalar T>(const Var<T>& x, const std::vector<std::int64_t>& normalized, const std::optional<Var<RealOf<T>>>& weight,
                  double eps) {
       const std::int64_t D = size_behind("rms_norm", x.shape(), normalized);
       const auto axes = static_cast<int>(normalized.size());
       const Var<RealOf<T>> gain = as_row<RealOf<T>>("rms_norm", weight, x.shape(), axes, D, 1);
       if (axes == 1) return rms_norm(x, gain, eps);
       return reshape(rms_norm(reshape(x, Shape{x.size() / std::max<std::int64_t>(1, D), D}), gain, eps), x.shape());
     }},
    {"whiten", {"input", {"eps", 1e-5}}, []<RealScalar R>(const Var<std::complex<R>>& x, double eps) { return whiten(x, eps); }},
    {"magnitude_layer_norm",
     {"input", "weight", {"parts", 2}, {"magnitude", "euclidean"}, {"theta", none}},
     []<RealScalar R>(const Var<R>& x, const Var<R>& gain, int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
       return magnitude_layer_norm(x, gain, measure_of(parts, kind, theta));
     }},
    {"magnitude_rms_norm",
     {"input", "weight", {"parts", 2}, {"magnitude", "euclidean"}, {"theta", none}},
     []<RealScalar R>(const Var<R>& x, const Var<R>& gain, int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
       return magnitude_rms_norm(x, gain, measure_of(parts, kind, theta));
     }},
    {"magnitude_gelu",
     {"input", {"parts", 2}, {"magnitude", "euclidean"}, {"theta", none}},
     []<RealScalar R>(const Var<R>& x, int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
       return magnitude_gelu(x, measure_of(parts, kind, theta));
     }},
    {"magnitude_relu",
     {"input", {"parts", 2}, {"magnitude", "euclidean"}, {"theta", none}},
     []<RealScalar R>(const Var<R>& x, int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
       return magnitude_relu(x, measure_of(parts, kind, theta));
     }},
    {"magnitude_modrelu",
     {"input", "bias", {"parts", 2}, {"magnitude", "euclidean"}, {"theta", none}},
     []<RealScalar R>(const Var<R>& x, const Var<R>& c, int parts, const std::string& kind, const std::optional<Var<R>>& theta) {
       return magnitude_modrelu(x, c, measure_of(parts, kind, theta));
     }},
};

static const OpFunction attention_functions[] = {
    {"attention",
     {"query",
      "key",
      "value",
      {"n_heads", 1},
      {"scale", none},
      {"is_causal", false},
      {"visible_keys", none},
      {"dropout_p", 0.0},
      {"seed", none}},
     []<RealScalar R>(const Var<R>& q, const Var<R>& k, const Var<R>& v, std::int64_t n_heads, std::optional<double> scale,
                      bool is_causal, const std::optional<Mask>& visible_keys, double dropout, std::optional<std::int64_t> seed) {
       return attention(q, k, v, attention_options(q.shape(), 1, n_heads, scale, is_causal, visible_keys, dropout, seed));
     }},
    {"angular_attention",
     {"query",
      "key",
      "value",
      {"n_heads", 1},
      {"scale", none},
      {"is_causal", false},
      {"visible_keys", none},
      {"dropout_p", 0.0},
      {"seed", none}},
     []<RealScalar R>(const Var<std::complex<R>>& q, const Var<std::complex<R>>& k, const Var<std::complex<R>>& v,
                      std::int64_t n_heads, std::optional<double> scale, bool is_causal, const std::optional<Mask>& visible_keys,
                      double dropout, std::optional<std::int64_t> seed) {
       return angular_attention(q, k, v, attention_options(q.shape(), 1, n_heads, scale, is_causal, visible_keys, dropout, seed));
     }},
    {"magnitude_attention",
     {"query",
      "key",
      "value",
      {"n_heads", 1},
      {"scale", none},
      {"is_causal", false},
      {"visible_keys", none},
      {"dropout_p", 0.0},
      {"seed", none},
      {"parts", 2},
      {"magnitude", "euclidean"},
      {"theta", none},
      {"conjugate_keys", false}},
     []<RealScalar R>(const Var<R>& q, const Var<R>& k, const Var<R>& v, std::int64_t n_heads, std::optional<double> scale,
                      bool is_causal, const std::optional<Mask>& visible_keys, double dropout, std::optional<std::int64_t> seed,
                      int parts, const std::string& kind, const std::optional<Var<R>>& theta, bool conjugate_keys) {
       return magnitude_attention(
           q, k, v, measure_of(parts, kind, theta), conjugate_keys,
           attention_options(q.shape(), std::max(1, parts), n_heads, scale, is_causal, visible_keys, dropout, seed));
     }},
    {"selected_attention",
     {"query", "memory", "selected", {"scale", none}},
     []<RealScalar R>(const Var<R>& q, const Var<R>& memory, const Ids& selected, std::optional<double> scale) {
       const std::int64_t r = q.rank() > 0 ? std::max<std::int64_t>(1, q.dim(-1)) : 1;
       return selected_attention(q, memory, selected, scale.value_or(1 / std::sqrt(static_cast<double>(r))));
     }},
};

}  // namespace argand
