#include "tests/autograd/properties/degrees.h"

#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/scans/scan.h"
#include "autograd/ops/selection/sort.h"
#include "autograd/ops/selection/where.h"

namespace argand {

const std::map<std::string, std::vector<Homogeneous>>& degrees() {
  const Homogeneous one{{1}, 1}, two{{1, 1}, 1};
  // Homogeneous in each factor, and in both together.
  const std::vector<Homogeneous> product = {{{1, 0}, 1}, {{0, 1}, 1}, {{1, 1}, 2}};
  const std::vector<Homogeneous> quotient = {{{1, 0}, 1}, {{0, 1}, -1}, {{1, 1}, 0}};
  const std::vector<Homogeneous> solution = {{{1, 0}, -1}, {{0, 1}, 1}, {{1, 1}, 0}};
  constexpr double lapack = 256;  // LAPACK rescales a matrix whose entries are far from 1
  constexpr int large = 40;       // eps, at most 1e-5, is negligible compared with squares of 2^80
  static const std::map<std::string, std::vector<Homogeneous>> table = {
      {"abs", {one}},
      {"abs2", {{{1}, 2}}},
      {"add", {two}},
      {"angle", {{{1}, 0}}},
      {"angular_attention", {{{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{0, 0, 1}, 1}}},
      {"atan2", {{{1, 1}, 0, {"real", "broadcast"}}}},
      {"attention", {{{0, 0, 1}, 1}, {{1, -1, 0}, 0}}},
      {"cardioid", {one}},
      {"cholesky", {{{2}, 1}}},
      {"concatenate", {two, {{1, 1, 1}, 1}}},
      {"conj", {one}},
      {"conv2d", product},
      {"conv3d", product},
      {"conv_transpose2d", product},
      {"crelu", {one}},
      {"cumsum", {one}},
      {"det", {{{1}, 3, {"real", "complex"}}, {{1}, 3, {"rank n - 1"}, 0, 1, lapack}, {{1}, 2, {"complex, rank n - 1"}}}},
      {"div", quotient},
      {"dropout", {one}},
      {"eigh",
       {{{1}, 1, {"real, values", "complex, values", "complex, (1 + i) λ"}},
        {{1}, 0, {"real, |V|²", "complex, |V|²"}, 0, 1, lapack}}},
      {"embedding", {one}},
      {"embedding_mean", {one}},
      {"expand", {one}},
      {"fft", {one}},
      {"fftn", {one}},
      {"hamilton_matrix", {one}},
      {"ifft", {one}},
      {"ifftn", {one}},
      {"imag", {one}},
      {"index_select", {one}},
      {"inv", {{{1}, -1}}},
      {"irfft", {one}},
      {"layer_norm", {{{1, 0, 0}, 0, {}, large}, {{0, 1, 1}, 1}}},
      {"linear", {{{1, 0, 1}, 1}, {{0, 1, 1}, 1}, {{1, 1}, 2}}},
      {"linear_recurrence", {{{0, 1}, 1}}},
      {"lstsq", {{{1, 0}, -1, {}, 0, 1, lapack}, {{0, 1}, 1}, {{1, 1}, 0, {}, 0, 1, lapack}, {{1}, -1, {}, 0, 1, lapack}}},
      {"magnitude_attention", {{{0, 0, 1, 0}, 1}}},
      {"magnitude_layer_norm", {{{1, 0, 0}, 0, {}, large}, {{0, 1, 0}, 1}}},
      {"magnitude_modrelu", {{{1, 1}, 1, {"c"}, large, 1, 64}}},
      {"magnitude_relu", {{{1, 0}, 1}}},
      {"magnitude_rms_norm", {{{1, 0, 0}, 0, {}, large}, {{0, 1, 0}, 1}}},
      {"make_complex", {two}},
      {"matmul", product},
      {"max", {one}},
      {"mean", {one}},
      {"median", {one}},
      {"min", {one}},
      {"modrelu", {two}},
      {"mse", {{{1, 1}, 2}}},
      {"mul", product},
      {"neg", {one}},
      {"permute", {one}},
      {"phase_rotation", {{{1, 0, 0}, 1}}},
      {"polar", {{{1, 0}, 1}}},
      {"pow",
       {{{1}, 2.5, {"real, p = 2.5", "complex, p = 2.5"}, 0, 2},
        {{1}, 3, {"real, p = 3, both signs"}},
        {{1}, -1.5, {"real, p = -1.5"}, 0, 2},
        {{1}, -1, {"complex, p = -1"}}}},
      {"projection", {one}},
      {"qic_dual", {{{1, 0}, 1}}},
      {"qic_linear", {{{1, 0, 1, 0}, 1}, {{0, 1, 1, 0}, 1}, {{1, 0, 0}, 1}, {{0, 1, 0}, 1}, {{1, 1, 0}, 2}}},
      {"qr", {{{1}, 0, {"real, Q", "complex, Q"}}, {{1}, 1, {"real, R", "complex, R"}}}},
      {"real", {one}},
      {"relu", {one}},
      {"reshape", {one}},
      {"rfft", {one}},
      {"rms_norm", {{{1, 0}, 0, {}, large}, {{0, 1}, 1}}},
      {"rotary", {one}},
      {"rotate", {{{1, 0}, 1}}},
      {"scale", {one}},
      {"scatter_add", {one}},
      {"slice", {one}},
      {"slogdet", {{{1}, 0, {"complex, sign"}}}},
      {"solve", solution},
      {"sqrt", {{{1}, 0.5, {}, 0, 2}}},
      {"square", {{{1}, 2}}},
      // The case far from 0 is only scaled up: the rounding error left over from the mean must stay a normal number.
      {"stddev", {{{1}, 1, {"all, real", "all, complex", "first axis", "last axis, kept"}}, {{1}, 1, {"far from 0"}, 1}}},
      {"sub", {two}},
      {"sum", {one}},
      {"svd",
       {{{1}, 1, {"real, S", "complex, S"}},
        {{1}, 0, {"real, |U|²", "complex, |U|²", "real, |V|²", "complex, |V|²", "complex, U Vᴴ"}, 0, 1, lapack}}},
      {"swiglu", {{{0, 1}, 1}}},
      {"to_complex", {one}},
      {"unfold", {one}},
      {"unit_phasor", {{{1}, 0}}},
      {"variance", {{{1}, 2}}},
      {"vector_norm", {one}},
      {"view_as_complex", {one}},
      {"view_as_real", {one}},
      {"where", {two}},
      {"whiten", {{{1}, 0, {}, large}}},
      {"zrelu", {one}},
  };
  return table;
}

const std::map<std::string, std::string>& not_homogeneous() {
  static const std::string exponential = "an exponential or a logarithm", bounded = "has a scale at which it bends";
  static const std::map<std::string, std::string> table = {
      {"acos", bounded},
      {"acosh", bounded},
      {"asin", bounded},
      {"asinh", bounded},
      {"atan", bounded},
      {"atanh", bounded},
      {"binary_cross_entropy", exponential},
      {"cgelu", bounded},
      {"cos", bounded},
      {"cosh", exponential},
      {"cross_entropy", exponential},
      {"cumprod", "y_k has degree k + 1; see prod below"},
      {"erf", bounded},
      {"erfc", bounded},
      {"erfinv", bounded},
      {"exp", exponential},
      {"expm1", exponential},
      {"gelu", bounded},
      {"huber", bounded},
      {"info_nce", exponential},
      {"lgamma", bounded},
      {"linear_cross_entropy", exponential},
      {"log", exponential},
      {"log1p", exponential},
      {"log_sigmoid", exponential},
      {"log_softmax", exponential},
      {"logaddexp", exponential},
      {"logcumsumexp", exponential},
      {"logm", exponential},
      {"logsumexp", exponential},
      {"magnitude_gelu", bounded},
      {"matrix_exp", exponential},
      {"polygamma", bounded},
      {"power", "b^z has degree z in b, which differs between elements"},
      {"selected_attention", exponential},
      {"sigmoid", bounded},
      {"silu", bounded},
      {"sin", bounded},
      {"sinc", bounded},
      {"sinh", exponential},
      {"sinusoid", bounded},
      {"softmax", exponential},
      {"softplus", exponential},
      {"tan", bounded},
      {"tanh", bounded},
  };
  return table;
}

const std::set<std::string>& not_measured() {
  static const std::set<std::string> names = {"eig", "matrix_power", "sqrtm"};
  return names;
}

const std::map<std::string, HomogeneousFunction>& homogeneous_functions() {
  static const std::map<std::string, HomogeneousFunction> functions = [] {
    std::map<std::string, HomogeneousFunction> all;
    const auto check_of = [&](const std::string& name, const Homogeneous& degree) -> OpCheck& {
      return all.emplace(name, HomogeneousFunction{{}, degree}).first->second.check;
    };
    const auto product = [](auto x) { return prod(x); };
    OpCheck& of_five = check_of("prod", {{1}, 5});
    of_five.function("real", product, of_five.real({5}, 0.5, 2));
    of_five.function("complex", product, of_five.complex({5}));
    OpCheck& sorted = check_of("sort", {{1}, 1});
    sorted.function(
        "real", [](auto x) { return sort(x).values; }, sorted.real({2, 5}));
    return all;
  }();
  return functions;
}

}  // namespace argand
