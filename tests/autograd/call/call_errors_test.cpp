/// Errors for calls by name with arguments that do not fit, and for functions registered incorrectly.

#include <boost/test/unit_test.hpp>

#include "autograd/call/op_function.h"
#include "autograd/ops/elementwise/exponential.h"
#include "tests/autograd/call/calls.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(call_errors)

namespace {

using List = std::vector<std::int64_t>;
constexpr std::int64_t huge = std::int64_t{1} << 40;

std::string error(const char* name, const std::vector<Argument>& arguments, const calls::Named& named = {}) {
  return error_of([&] { calls::by_name(name, arguments, named); });
}

struct Tensors {
  Argument x = calls::tensor<double>({2, 3}), z = calls::tensor<std::complex<double>>({2, 3}), x32 = calls::tensor<float>({2, 3}),
           z32 = calls::tensor<std::complex<float>>({2, 3}), image = calls::tensor<double>({1, 1, 4, 4}),
           window = calls::tensor<double>({1, 1, 2, 2});
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(names_and_counts, Tensors) {
  BOOST_TEST(error("sum", {x}, {{"axes", 0L}}) == "sum: has no parameter 'axes'; its parameters are input, dim, keepdim");
  BOOST_TEST(error("sum", {x, 0L}, {{"dim", 0L}}) == "sum: 'dim' is given twice");
  BOOST_TEST(error("sum", {x}, {{"dim", 0L}, {"dim", 0L}}) == "sum: 'dim' is given twice");
  BOOST_TEST(error("sum", {}) == "sum: argument 1 ('input') is missing");
  BOOST_TEST(error("cumsum", {x}) == "cumsum: argument 2 ('dim') is missing");
  BOOST_TEST(error("sum", {x, 0L, true, 1L}) == "sum: takes 3 arguments, got 4; its parameters are input, dim, keepdim");
}

BOOST_FIXTURE_TEST_CASE(kinds, Tensors) {
  BOOST_TEST(error("sum", {x, 0.5}) == "sum: argument 2 ('dim') must be an int or a list of ints or None, not a float");
  BOOST_TEST(error("sum", {x, true}) == "sum: argument 2 ('dim') must be an int or a list of ints or None, not a bool");
  BOOST_TEST(error("sum", {x, none, 1L}) == "sum: argument 3 ('keepdim') must be a bool, not an int");
  BOOST_TEST(error("matmul", {x, 2L}) == "matmul: argument 2 ('other') must be a tensor, not an int");
  BOOST_TEST(error("matmul", {x, none}) == "matmul: argument 2 ('other') must be a tensor, not None");
  BOOST_TEST(error("exp", {std::vector<DynamicVar>{}}) == "exp: argument 1 ('input') must be a tensor, not a list of tensors");
  BOOST_TEST(error("scale", {x, z}) == "scale: argument 2 ('factor') must be a float, not a tensor");
  BOOST_TEST(error("embedding", {x, x}) == "embedding: argument 1 ('input') must be indices or a list of ints, not a tensor");
  BOOST_TEST(error("where", {x, x, x}) == "where: argument 1 ('condition') must be a mask, not a tensor");
  BOOST_TEST(error("atan2", {x, std::complex<double>(0, 1)}) ==
             "atan2: argument 2 ('other') must be a tensor or a float, not a complex number");
}

BOOST_FIXTURE_TEST_CASE(scalars, Tensors) {
  BOOST_TEST(error("matmul", {x32, x}) == "matmul: cannot mix float32 and float64; convert one of them");
  BOOST_TEST(error("mul", {z32, x}) == "mul: cannot mix float32 and float64; convert one of them");
  BOOST_TEST(error("linear", {x, x, x32}) == "linear: cannot mix float32 and float64; convert one of them");
  BOOST_TEST(error("concatenate", {std::vector{std::get<DynamicVar>(x32), std::get<DynamicVar>(z)}}) ==
             "concatenate: cannot mix float32 and float64; convert one of them");
  BOOST_TEST(error("add", {2L, 3.0}) == "add: needs at least one tensor argument; convert a number to a tensor first");
  BOOST_TEST(error("stack", {std::vector<DynamicVar>{}}) ==
             "stack: needs at least one tensor argument; convert a number to a tensor first");
  BOOST_TEST(error("relu", {z}) == "relu: argument 1 ('input') must be real, not a complex128 tensor");
  BOOST_TEST(error("relu", {z32}) == "relu: argument 1 ('input') must be real, not a complex64 tensor");
  BOOST_TEST(error("imag", {x}) == "imag: argument 1 ('input') must be complex, not a float64 tensor");
  BOOST_TEST(error("atan2", {x, z}) == "atan2: argument 2 ('other') must be real, not a complex128 tensor");
  BOOST_TEST(error("layer_norm", {x, List{3}, z}) == "layer_norm: argument 3 ('weight') must be real, not a complex128 tensor");
  const OpFunction mixed(
      "mixed", {"a", "b", {"c", 0}}, []<RealScalar R>(const Var<R>& a, const Var<std::complex<R>>&, int) { return a; },
      []<RealScalar R>(const Var<std::complex<R>>& a, const Var<R>&, int) { return a; });
  BOOST_TEST(error("mixed", {x, z}) == "");
  BOOST_TEST(error("mixed", {x, x}) == "mixed: does not accept this combination of arguments: a float64 tensor, a float64 tensor");
}

BOOST_FIXTURE_TEST_CASE(numbers, Tensors) {
  BOOST_TEST(error("sum", {x, huge}) == "sum: 1099511627776 for 'dim' is out of range for an index");
  BOOST_TEST(error("sum", {x, List{0, -huge}}) == "sum: -1099511627776 for 'dim' is out of range for an index");
  BOOST_TEST(error("embedding", {List{0, huge}, x}) == "embedding: 1099511627776 for 'input' is out of range for an index");
  BOOST_TEST(error("sum", {x, 2L}) == "sum: axis 2 is out of range for [2, 3]");
  BOOST_TEST(error("sum", {x, List{0, 2}}) == "sum: axis 2 is out of range for [2, 3]");
  BOOST_TEST(error("sum", {x, List{1, -1}}) == "sum: axis 1 is repeated");
  BOOST_TEST(error("amax", {x, 2L}) == "amax: axis 2 is out of range for [2, 3]");
  BOOST_TEST(error("softmax", {x, 2L}) == "softmax: axis 2 is out of range for [2, 3]");
  BOOST_TEST(error("reshape", {x, List{4, -1}}) == "reshape: cannot reshape 6 elements to [4, -1]");
  BOOST_TEST(error("reshape", {x, List{-2, 3}}) == "reshape: sizes cannot be negative, got -2");
  BOOST_TEST(error("expand", {x, List{-1, 2, 3}}) == "expand: sizes cannot be negative, got -1");
  BOOST_TEST(error("expand", {x, List{5, -1, -1}}) == "");
  BOOST_TEST(error("index_select", {x, 0L, Ids({1, 1}, {0})}) == "index_select: index must be a vector, got shape [1, 1]");
  BOOST_TEST(error("var", {calls::tensor<double>({0, 3}), 1L}) == "");
  BOOST_TEST(error("var", {calls::tensor<double>({1})}) == "var: correction must be less than the number of elements, got 1 for 1");
  BOOST_TEST(error("conv2d", {image, window, none, List{1, 1, 1}}) == "conv2d: 'stride' has 3 values; expected 1 or 2");
  BOOST_TEST(error("conv2d", {image, window, calls::tensor<double>({2})}) == "conv2d: bias of shape [2] does not match 1 channels");
  BOOST_TEST(error("magnitude_gelu", {x, 0L}) == "magnitude: parts must be 2 (QIC) or 4 (quaternions), got 0");
  BOOST_TEST(error("attention", {x, x, x}, {{"n_heads", 0L}}).starts_with("attention: "));
  BOOST_TEST(error("fft", {x}, {{"norm", std::string("unitary")}}) ==
             "fft: unknown norm 'unitary'; use backward, ortho or forward");
  BOOST_TEST(error("layer_norm", {x, List{2}}) == "layer_norm: normalized_shape [2] does not match the last axes of [2, 3]");
  BOOST_TEST(error("projection", {x, x}) == "projection: 'weight' must not require gradients; detach it");
}

BOOST_FIXTURE_TEST_CASE(a_function_that_is_registered_wrongly_says_so_when_it_is_called, Tensors) {
  const auto f = []<Scalar T>(const Var<T>& v, int) { return exp(v); };
  const auto fault_of = [&](const OpFunction& function) { return error_of([&] { function.call(std::vector<Argument>{x, 0L}); }); };
  const std::size_t before = OpFunction::all().size();
  BOOST_TEST(fault_of({"mine", {"input", "dim"}, f}) == "");
  BOOST_TEST(fault_of({"exp", {"input", "dim"}, f}) == "exp: is already registered; choose another name");
  BOOST_TEST(fault_of({"mine", {"input"}, f}) == "mine: the C++ function takes 2 parameters, but 1 names were given");
  BOOST_TEST(fault_of({"mine", {"input", "input"}, f}) == "mine: duplicate parameter 'input'");
  BOOST_TEST(fault_of({"mine", {"input", {"dim", 0.5}}, f}) == "mine: the default of 'dim' is not an int");
  BOOST_TEST(fault_of({"mine", {{"dim", 0}, "input"}, []<Scalar T>(int, const Var<T>& v) { return exp(v); }}) ==
             "mine: 'input' needs a default because the parameter before it has one");
  BOOST_TEST(fault_of({"mine", {"input", "dim"}, Results{"a"}, []<Scalar T>(const Var<T>& v, int) { return std::tuple(v, v); }}) ==
             "mine: the C++ function returns 2 results, but 1 names were given");
  BOOST_TEST(OpFunction::all().size() == before);
}

BOOST_AUTO_TEST_SUITE_END()
