/// Functions called by name document their parameters and give the same bits as the C++ functions.

#include "autograd/call/op_function.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "autograd/op.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tests/autograd/call/calls.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;
using calls::by_name;

BOOST_AUTO_TEST_SUITE(op_function)

BOOST_AUTO_TEST_CASE(every_function_is_usable_and_documents_its_parameters) {
  BOOST_TEST(OpFunction::all().size() > 100u);
  std::string previous;
  for (const OpFunction* f : OpFunction::all()) {
    BOOST_TEST_CONTEXT(f->name()) {
      BOOST_TEST(error_of([&] { f->require_usable(); }) == "");
      BOOST_TEST((previous < f->name()), previous);
      previous = f->name();
      BOOST_TEST(OpFunction::find(f->name()) == f);
#ifndef ARGAND_PLAIN_BLAS
      BOOST_TEST(f->about() != "an op that is not in this build");
#endif
      std::set<std::string> names;
      for (const CallParameter& p : f->parameters()) {
        BOOST_TEST(!p.name.empty());
        BOOST_TEST(names.insert(p.name).second, p.name);
        BOOST_TEST(!p.type_text().empty());
        BOOST_TEST(p.default_text().empty() == !p.default_value.has_value());
        BOOST_TEST((!p.default_value || p.type.takes(kind_of(*p.default_value))), p.name);
      }
    }
  }
  BOOST_TEST(OpFunction::find("no_such_function") == nullptr);
}

BOOST_AUTO_TEST_CASE(signatures) {
  const auto signature = [](const char* name) { return OpFunction::find(name)->signature(); };
  BOOST_TEST(signature("exp") == "exp(input: Tensor) -> Tensor");
  BOOST_TEST(signature("sum") == "sum(input: Tensor, dim: int | list[int] | None = None, keepdim: bool = False) -> Tensor");
  BOOST_TEST(signature("add") == "add(input: Tensor | complex, other: Tensor | complex) -> Tensor");
  BOOST_TEST(signature("svd") == "svd(A: Tensor, broadening: float = 0.0) -> tuple[Tensor, Tensor, Tensor]");
  BOOST_TEST(signature("max") ==
             "max(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | tuple[Tensor, Indices]");
  BOOST_TEST(signature("split") == "split(tensor: Tensor, split_size_or_sections: int | list[int], dim: int = 0) -> list[Tensor]");
  BOOST_TEST(signature("fft2") ==
             "fft2(input: Tensor, s: int | list[int] | None = None, dim: int | list[int] = (-2, -1), "
             "norm: str = 'backward') -> Tensor");
  BOOST_TEST(signature("where") == "where(condition: Mask, input: Tensor | complex, other: Tensor | complex) -> Tensor");
  BOOST_TEST((OpFunction::find("svd")->results() == std::vector<std::string>{"U", "S", "Vh"}));
  BOOST_TEST(OpFunction::find("exp")->about() == Op::find("exp")->text().equation);
  BOOST_TEST(OpFunction::find("exp")->op() == Op::find("exp"));
  BOOST_TEST(OpFunction::find("var")->op() == nullptr);
}

namespace {

/// Checks that a call by name and the C++ function return the same value, and that backward leaves the same gradients at the
/// leaves.
template <class F, Scalar... Leaf>
void compare(const char* name, const std::vector<Argument>& arguments, const calls::Named& named, const F& in_cpp,
             Var<Leaf>... leaves) {
  BOOST_TEST_CONTEXT(name) {
    const auto value_and_gradients = [&](const auto& w) {
      (leaves.zero_grad(), ...);
      backward(sum(abs2(w)));
      return std::tuple(w.value(), leaves.grad().clone()...);
    };
    const auto expected = value_and_gradients(in_cpp());
    const CallResult called = by_name(name, arguments, named);
    BOOST_TEST(!called.is_tuple);
    BOOST_REQUIRE(called.values.size() == 1u);
    const auto got = value_and_gradients(std::get<decltype(in_cpp())>(std::get<DynamicVar>(called.values.front())));
    [&]<std::size_t... I>(std::index_sequence<I...>) { (same(std::get<I>(got), std::get<I>(expected)), ...); }
    (std::make_index_sequence<1 + sizeof...(Leaf)>());
  }
}

template <RealScalar R>
void compare_with_cpp() {
  using C = std::complex<R>;
  using List = std::vector<std::int64_t>;
  const auto d = [](const auto& v) { return DynamicVar(v); };
  const Var<R> x = calls::leaf<R>({2, 3}), y = calls::leaf<R>({3, 2}), signal = calls::leaf<R>({1, 2, 5, 4});
  const Var<C> z = calls::leaf<C>({2, 3}), A = calls::leaf<C>({3, 3}), window = calls::leaf<C>({2, 1, 2, 2});
  const Ids ids({2, 2}, {1, 0, 1, 1});
  const Mask mask({3}, {1, 0, 1});
  const auto i = std::complex<double>(0, 1);
  compare(
      "exp", {d(z)}, {}, [&] { return exp(z); }, z);
  compare(
      "mul", {d(x), d(z)}, {}, [&] { return mul(x, z); }, x, z);
  compare(
      "mul", {2L, d(z)}, {}, [&] { return R(2) * z; }, z);
  compare(
      "sub", {1L, d(x)}, {}, [&] { return R(1) - x; }, x);
  compare(
      "add", {d(x), i}, {}, [&] { return x + C(0, 1); }, x);
  compare(
      "pow", {d(z), 3L}, {}, [&] { return pow(z, R(3)); }, z);
  compare(
      "pow", {d(z), d(x)}, {}, [&] { return pow(z, x); }, z, x);
  compare(
      "sum", {d(z)}, {{"keepdim", true}, {"dim", -1L}}, [&] { return sum(z, -1, true); }, z);
  compare(
      "mean", {d(z)}, {}, [&] { return mean(z); }, z);
  compare(
      "matmul", {d(x)}, {{"other", d(A)}}, [&] { return matmul(x, A); }, x, A);
  compare(
      "linear", {d(z)}, {{"weight", d(A)}}, [&] { return linear(z, A); }, z, A);
  compare(
      "conv2d", {d(signal), d(window)}, {{"groups", 2L}, {"stride", List{2, 1}}},
      [&] {
        return conv2d(signal, window, {.stride = {2, 1}, .groups = 2});
      },
      signal, window);
  compare(
      "embedding", {ids, d(x)}, {}, [&] { return embedding(x, ids); }, x);
  compare(
      "cross_entropy", {d(y), List{0, 1, 1}}, {{"label_smoothing", 0.1}},
      [&] {
        return cross_entropy(y, Ids({3}, {0, 1, 1}), {.label_smoothing = 0.1});
      },
      y);
  compare(
      "where", {mask, d(x), 0L}, {}, [&] { return where(mask, x, number<R>(0)); }, x);
  compare(
      "fft", {d(x)}, {{"norm", std::string("ortho")}, {"n", 4L}}, [&] { return fft(x, 4, -1, FourierNorm::Ortho); }, x);
  compare(
      "concatenate", {std::vector{d(x), d(z)}, 1L}, {},
      [&] {
        return concatenate(std::vector{to_complex(x), z}, 1);
      },
      x, z);
  compare(
      "einsum", {std::string("ij,jk,kl->il"), std::vector{d(x), d(y), d(x)}}, {}, [&] { return einsum("ij,jk,kl->il", x, y, x); },
      x, y);
  compare(
      "masked_fill", {d(x), mask, i}, {}, [&] { return masked_fill(to_complex(x), mask, C(0, 1)); }, x);
  // A vector counts as a row on the left and as a column on the right.
  const Var<R> v = calls::leaf<R>({3}), u = calls::leaf<R>({3}, 1);
  compare(
      "matmul", {d(x), d(v)}, {},
      [&] {
        return reshape(matmul(x, reshape(v, Shape{3, 1})), Shape{2});
      },
      x, v);
  compare(
      "matmul", {d(v), d(A)}, {},
      [&] {
        return reshape(matmul(reshape(v, Shape{1, 3}), A), Shape{3});
      },
      v, A);
  compare(
      "matmul", {d(v), d(u)}, {},
      [&] {
        return reshape(matmul(reshape(v, Shape{1, 3}), reshape(u, Shape{3, 1})), Shape{});
      },
      v, u);
  // Several axes are reduced together, and the variance is the sample variance, as in PyTorch.
  compare(
      "mean", {d(signal), List{-1, 2}}, {},
      [&] {
        return mean(reshape(signal, Shape{1, 2, 20}), -1);
      },
      signal);
  compare(
      "sum", {d(signal), List{2, 3}, true}, {},
      [&] {
        return reshape(sum(reshape(signal, Shape{1, 2, 20}), -1), Shape{1, 2, 1, 1});
      },
      signal);
  compare(
      "var", {d(x), -1L}, {}, [&] { return R(1.5) * variance(x, -1); }, x);
  compare(
      "softmax", {d(x)}, {{"dim", 0L}}, [&] { return transpose(softmax(transpose(x))); }, x);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_call_by_name_is_the_call_in_cpp) {
  compare_with_cpp<double>();
  compare_with_cpp<float>();
}

BOOST_AUTO_TEST_CASE(several_results) {
  const Var<double> x(Tensor<double>({2, 3}, {3, 1, 3, 2, 5, 4}));
  const CallResult max = by_name("max", {DynamicVar(x), 1L});
  BOOST_TEST(max.is_tuple);
  BOOST_REQUIRE(max.values.size() == 2u);
  same(std::get<Var<double>>(std::get<DynamicVar>(max.values[0])).value(), Tensor<double>({2}, {3, 5}));
  BOOST_TEST((std::get<Ids>(max.values[1])[0] == 0 && std::get<Ids>(max.values[1])[1] == 1));
  const CallResult median = by_name("median", {DynamicVar(x), 1L, true});
  BOOST_TEST(std::get<Ids>(median.values[1]).shape() == (Shape{2, 1}));
  BOOST_TEST(std::get<Ids>(median.values[1])[1] == 2);
  const CallResult parts = by_name("split", {DynamicVar(x), std::vector<std::int64_t>{1, 2}, 1L});
  BOOST_TEST(parts.is_tuple);
  BOOST_TEST(parts.values.size() == 2u);
  BOOST_TEST(by_name("split", {DynamicVar(x), 2L}).values.size() == 1u);
  BOOST_TEST(by_name("split", {DynamicVar(x), 2L}).is_tuple);
}

BOOST_AUTO_TEST_CASE(a_seed_is_a_mask_and_without_one_every_call_has_its_own) {
  const Argument x = DynamicVar(Var<double>(Tensor<double>::ones({64})));
  const auto dropped = [&](const calls::Named& named) {
    return to_string(std::get<Var<double>>(std::get<DynamicVar>(by_name("dropout", {x}, named).values[0])).value());
  };
  BOOST_TEST(dropped({{"seed", 7L}}) == dropped({{"seed", 7L}}));
  BOOST_TEST(dropped({{"seed", 7L}}) != dropped({{"seed", 8L}}));
  BOOST_TEST(dropped({}) != dropped({}));
}

BOOST_AUTO_TEST_SUITE_END()
