#include "autograd/ops/products/einsum.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/selection/arrange.h"
#include "autograd/ops/shape.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ one real factor

template <RealScalar R>
Var<std::complex<R>> matmul(const Var<R>& A, const Var<std::complex<R>>& B) {
  require_axis("matmul", B.shape(), -1);
  return view_as_complex(matmul(A, view_as_real(B)));  // the real and imaginary parts of B are just more columns
}
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<std::complex<R>>& A, const Var<R>& B) {
  require(A.rank() >= 2, "matmul", "expects matrices, got {} and {}", A.shape(), B.shape());
  const std::int64_t M = A.dim(-2);
  const Var<R> both = matmul(concatenate(std::vector{real(A), imag(A)}, -2), B);
  return make_complex(slice(both, -2, 0, M), slice(both, -2, M, 2 * M));
}

// ------------------------------------------------------------------------------------------------ the equation

namespace {

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

/// The labels of each operand and of the result. An ellipsis is a single character until the ranks are known.
constexpr char ellipsis = '.';
struct EinsumEquation {
  std::string_view text;
  std::vector<std::string> operands;
  std::string result;
};

EinsumEquation parse_einsum(std::string_view text, std::size_t operands) {
  EinsumEquation e{text, {""}, ""};
  bool behind = false, arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
      behind = arrow = true;
      ++i;
      continue;
    }
    if (c == ',' && !behind) {
      e.operands.emplace_back();
      continue;
    }
    std::string& labels = behind ? e.result : e.operands.back();
    if (text.substr(i, 3) == "...") {
      require(!has(labels, ellipsis), "einsum", "\"{}\": only one ellipsis is allowed per operand", text);
      i += 2;
    } else {
      require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), "einsum",
              "\"{}\": use one letter per axis, as in \"ij,jk->ik\", or ... for all the others, as in \"...ij,jk->...ik\"", text);
    }
    labels += c;
  }
  require(e.operands.size() == operands, "einsum", "\"{}\" names {} operand{}, got {}", text, e.operands.size(),
          e.operands.size() == 1 ? "" : "s", operands);
  std::map<char, int> times;
  for (const std::string& labels : e.operands)
    for (const char c : labels) ++times[c];
  for (const auto& [c, n] : times)
    if (!arrow && (n == 1 || c == ellipsis)) e.result += c;  // '.' sorts before all letters
  for (const char c : e.result) {
    require(times.contains(c), "einsum", "\"{}\": no operand has axis {} of the result", text,
            c == ellipsis ? "..." : std::string{c});
    require(std::count(e.result.begin(), e.result.end(), c) == 1, "einsum", "\"{}\": the result repeats axis {}", text, c);
  }
  return e;
}

/// The labels as the user wrote them.
std::string spelled(const std::string& labels) {
  const std::size_t at = labels.find(ellipsis);
  return at == std::string::npos ? labels : labels.substr(0, at) + "..." + labels.substr(at + 1);
}

/// Characters for the axes under an ellipsis, counted from the last axis, where broadcasting aligns them.
char under_ellipsis(std::size_t from_the_end) { return static_cast<char>('0' + from_the_end); }

/// The labels of one operand, its ellipsis expanded to match its rank.
std::string labels_for(const std::string& labels, const Shape& shape) {
  const std::size_t at = labels.find(ellipsis), rank = static_cast<std::size_t>(shape.rank());
  const std::size_t letters = labels.size() - (at == std::string::npos ? 0 : 1);
  require(at == std::string::npos ? letters == rank : letters <= rank, "einsum", "subscripts {} do not match {}, which has rank {}",
          spelled(labels), shape, rank);
  if (at == std::string::npos) return labels;
  std::string axes;
  for (std::size_t k = rank - letters; k-- > 0;) axes += under_ellipsis(k);
  return labels.substr(0, at) + axes + labels.substr(at + 1);
}

/// A tensor x with a letter for each axis.
template <Scalar T>
struct Labelled {
  Var<T> x;
  std::string labels;
};

/// Takes diagonals for repeated letters and sums over letters that occur nowhere else.
template <Scalar T>
Labelled<T> reduced_to(Labelled<T> a, const std::string& wanted) {
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    const std::size_t j = a.labels.find(a.labels[i], i + 1);
    if (j == std::string::npos) continue;
    const char c = a.labels[i];
    const int first = static_cast<int>(i), second = static_cast<int>(j);
    require(a.x.dim(first) == a.x.dim(second), "einsum", "the diagonal {} needs axes of equal size, got {}", std::string(2, c),
            a.x.shape());
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

/// Drops axes of size 1 under an ellipsis that are longer in another operand or absent from the result.
template <Scalar T>
Labelled<T> without_stretched(Labelled<T> a, const std::string& longer) {
  Shape shape;
  std::string kept;
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    const std::int64_t size = a.x.dim(static_cast<int>(i));
    if (size == 1 && has(longer, a.labels[i])) continue;
    shape.push_back(size);
    kept += a.labels[i];
  }
  return kept == a.labels ? a : Labelled<T>{reshape(a.x, shape), kept};
}

/// The labels of a shape's ellipsis axes whose size is not 1.
std::string non_unit_axes(const std::string& labels, const Shape& shape) {
  std::string found;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= '0' && labels[i] <= '9' && shape[static_cast<int>(i)] != 1) found += labels[i];
  return found;
}

/// The result's labels, with an ellipsis as long as the longest among the operands.
std::string result_labels(const EinsumEquation& e, const std::vector<std::string>& operands) {
  std::string axes;
  for (std::size_t k = 10; k-- > 0;)
    for (const std::string& labels : operands)
      if (has(labels, under_ellipsis(k)) && !has(axes, under_ellipsis(k))) axes += under_ellipsis(k);
  const std::size_t at = e.result.find(ellipsis);
  return at == std::string::npos ? e.result : e.result.substr(0, at) + axes + e.result.substr(at + 1);
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
  const std::string labels = labels_for(e.operands[0], a.shape()), result = result_labels(e, {labels});
  return ordered(reduced_to<A>({a, labels}, result), result);
}

template <Scalar A, Scalar B>
Var<Promote<A, B>> einsum(std::string_view equation, const Var<A>& left, const Var<B>& right) {
  const EinsumEquation e = parse_einsum(equation, 2);
  const std::string on_left = labels_for(e.operands[0], left.shape()), on_right = labels_for(e.operands[1], right.shape());
  const std::string result = result_labels(e, {on_left, on_right});
  const auto all_of_a = without_stretched<A>({left, on_left}, non_unit_axes(on_right, right.shape()));
  const auto all_of_b = without_stretched<B>({right, on_right}, non_unit_axes(on_left, left.shape()));
  const Labelled<A> a = reduced_to<A>(all_of_a, result + all_of_b.labels);
  const Labelled<B> b = reduced_to<B>(all_of_b, result + all_of_a.labels);
  for (const char c : a.labels) {
    const std::int64_t here = size_along(a, {c}), there = has(b.labels, c) ? size_along(b, {c}) : here;
    require(here == there, "einsum", "axis {} has size {} in one operand and {} in another",
            c >= '0' && c <= '9' ? fmt::format("{} from the end of ...", c - '0' + 1) : std::string{c}, here, there);
  }
  // Batch axes (in both and in the result), row and column axes (in one), summed axes (in both, not in the result).
  const std::string batch = letters(a.labels, [&](char c) { return has(b.labels, c) && has(result, c); });
  const std::string inner = letters(a.labels, [&](char c) { return has(b.labels, c) && !has(result, c); });
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
  return ordered(Labelled<T>{reshape(product(), shape), batch + rows + columns}, result);
}

detail::EinsumPair detail::first_pair_of(std::string_view equation, std::size_t operands) {
  const EinsumEquation e = parse_einsum(equation, operands);
  std::string others = e.result;
  for (std::size_t n = 2; n < operands; ++n) others += e.operands[n];
  std::string both;
  for (const char c : e.operands[0] + e.operands[1])
    if (has(others, c) && !has(both, c)) both += c;
  std::string rest;
  for (std::size_t n = 2; n < operands; ++n) rest += fmt::format(",{}", spelled(e.operands[n]));
  return {fmt::format("{},{}->{}", spelled(e.operands[0]), spelled(e.operands[1]), spelled(both)),
          fmt::format("{}{}->{}", spelled(both), rest, spelled(e.result))};
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
