#include "autograd/ops/products/einsum.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/selection/arrange.h"
#include "autograd/ops/shape.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ one factor real

template <RealScalar R>
Var<std::complex<R>> matmul(const Var<R>& A, const Var<std::complex<R>>& B) {
  return view_as_complex(matmul(A, view_as_real(B)));  // the parts of B's columns are columns
}
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<std::complex<R>>& A, const Var<R>& B) {
  require(A.rank() >= 2, "matmul", "needs matrices, got {} and {}", A.shape(), B.shape());
  const std::int64_t M = A.dim(-2);
  const Var<R> both = matmul(concatenate(std::vector{real(A), imag(A)}, -2), B);
  return make_complex(slice(both, -2, 0, M), slice(both, -2, M, 2 * M));
}

// ------------------------------------------------------------------------------------------------ the equation

namespace {

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

/// The letters of each operand and of the result.
struct EinsumEquation {
  std::vector<std::string> operands;
  std::string result;
};

EinsumEquation parse_einsum(std::string_view text, std::size_t operands) {
  EinsumEquation e{{""}, ""};
  bool behind = false, arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
      behind = arrow = true;
      ++i;
    } else if (c == ',' && !behind) {
      e.operands.emplace_back();
    } else {
      require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), "einsum", "\"{}\": a letter an axis, as in \"ij,jk->ik\"", text);
      (behind ? e.result : e.operands.back()) += c;
    }
  }
  require(e.operands.size() == operands, "einsum", "\"{}\" names {} operands, given {}", text, e.operands.size(), operands);
  std::map<char, int> times;
  for (const std::string& labels : e.operands)
    for (const char c : labels) ++times[c];
  for (const auto& [c, n] : times)
    if (!arrow && n == 1) e.result += c;
  for (const char c : e.result) {
    require(times.contains(c), "einsum", "\"{}\": no operand has the result's axis {}", text, c);
    require(std::count(e.result.begin(), e.result.end(), c) == 1, "einsum", "\"{}\": the result has axis {} twice", text, c);
  }
  return e;
}

/// x with a letter an axis.
template <Scalar T>
struct Labelled {
  Var<T> x;
  std::string labels;
};

/// Diagonals of letters that come twice, sums over those that nobody else has.
template <Scalar T>
Labelled<T> reduced_to(Labelled<T> a, const std::string& wanted) {
  require(static_cast<int>(a.labels.size()) == a.x.rank(), "einsum", "{} for {}, whose axes are {}", a.labels, a.x.shape(),
          a.x.rank());
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    const std::size_t j = a.labels.find(a.labels[i], i + 1);
    if (j == std::string::npos) continue;
    const char c = a.labels[i];
    const int first = static_cast<int>(i), second = static_cast<int>(j);
    require(a.x.dim(first) == a.x.dim(second), "einsum", "the diagonal {} of {}", std::string(2, c), a.x.shape());
    a.x = diagonal(a.x, 0, first, second);
    a.labels.erase(j, 1).erase(i, 1) += c;
    --i;
  }
  for (std::size_t i = a.labels.size(); i-- > 0;)
    if (!has(wanted, a.labels[i])) {
      a.x = sum(a.x, static_cast<int>(i));
      a.labels.erase(i, 1);
    }
  return a;
}

template <Scalar T>
Var<T> ordered(const Labelled<T>& a, const std::string& labels) {
  if (a.labels == labels) return a.x;
  std::vector<int> axes;
  for (const char c : labels) axes.push_back(static_cast<int>(a.labels.find(c)));
  return permute(a.x, axes);
}

/// The letters of `of` for which f holds, in order.
template <class F>
std::string letters(const std::string& of, const F& f) {
  std::string found;
  std::copy_if(of.begin(), of.end(), std::back_inserter(found), f);
  return found;
}

template <Scalar T>
std::int64_t size_along(const Labelled<T>& a, const std::string& labels) {
  std::int64_t size = 1;
  for (const char c : labels) size *= a.x.dim(static_cast<int>(a.labels.find(c)));
  return size;
}

}  // namespace

template <Scalar A>
Var<A> einsum(std::string_view equation, const Var<A>& a) {
  const EinsumEquation e = parse_einsum(equation, 1);
  return ordered(reduced_to<A>({a, e.operands[0]}, e.result), e.result);
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> einsum(std::string_view equation, const Var<A>& left, const Var<B>& right) {
  const EinsumEquation e = parse_einsum(equation, 2);
  const Labelled<A> a = reduced_to<A>({left, e.operands[0]}, e.result + e.operands[1]);
  const Labelled<B> b = reduced_to<B>({right, e.operands[1]}, e.result + e.operands[0]);
  for (const char c : a.labels) {
    const std::int64_t here = size_along(a, {c}), there = has(b.labels, c) ? size_along(b, {c}) : here;
    require(here == there, "einsum", "axis {} is {} in one operand and {} in another", c, here, there);
  }
  // Axes of the batch (in both and in the result), of the rows and the columns (in one), of the sum (in both, not in the result).
  const std::string batch = letters(a.labels, [&](char c) { return has(b.labels, c) && has(e.result, c); });
  const std::string inner = letters(a.labels, [&](char c) { return has(b.labels, c) && !has(e.result, c); });
  const std::string rows = letters(a.labels, [&](char c) { return !has(b.labels, c); });
  const std::string columns = letters(b.labels, [&](char c) { return !has(a.labels, c); });
  const std::int64_t N = size_along(a, batch), M = size_along(a, rows), K = size_along(a, inner), L = size_along(b, columns);
  using T = Promote<A, B>;
  Shape shape;
  for (const char c : batch + rows) shape.push_back(size_along(a, {c}));
  for (const char c : columns) shape.push_back(size_along(b, {c}));
  const auto product = [&]() -> Var<T> {
    const Var<A> x = ordered(a, batch + rows + inner);
    if (inner.empty()) return mul(reshape(x, Shape{N, M, 1}), reshape(ordered(b, batch + columns), Shape{N, 1, L}));
    if (M == 1 && L == 1) return sum(mul(reshape(x, Shape{N, K}), reshape(ordered(b, batch + inner), Shape{N, K})), -1);
    const Var<B> y = ordered(b, batch + inner + columns);
    if (N == 1) return matmul(reshape(x, Shape{M, K}), reshape(y, Shape{K, L}));
    return matmul(reshape(x, Shape{N, M, K}), reshape(y, Shape{N, K, L}));
  };
  return ordered(Labelled<T>{reshape(product(), shape), batch + rows + columns}, e.result);
}

detail::EinsumPair detail::first_pair_of(std::string_view equation, std::size_t operands) {
  const EinsumEquation e = parse_einsum(equation, operands);
  std::string others = e.result, rest;
  for (std::size_t k = 2; k < operands; ++k) {
    others += e.operands[k];
    rest += "," + e.operands[k];
  }
  std::string both;
  for (const char c : e.operands[0] + e.operands[1])
    if (has(others, c) && !has(both, c)) both += c;
  return {e.operands[0] + "," + e.operands[1] + "->" + both, both + rest + "->" + e.result};
}

#define ARGAND_EINSUM(R)                                                                              \
  template Var<std::complex<R>> matmul(const Var<R>&, const Var<std::complex<R>>&);                   \
  template Var<std::complex<R>> matmul(const Var<std::complex<R>>&, const Var<R>&);                   \
  template Var<R> einsum(std::string_view, const Var<R>&);                                            \
  template Var<std::complex<R>> einsum(std::string_view, const Var<std::complex<R>>&);                \
  template Var<R> einsum(std::string_view, const Var<R>&, const Var<R>&);                             \
  template Var<std::complex<R>> einsum(std::string_view, const Var<R>&, const Var<std::complex<R>>&); \
  template Var<std::complex<R>> einsum(std::string_view, const Var<std::complex<R>>&, const Var<R>&); \
  template Var<std::complex<R>> einsum(std::string_view, const Var<std::complex<R>>&, const Var<std::complex<R>>&);
ARGAND_FOR_REAL(ARGAND_EINSUM)

}  // namespace argand
