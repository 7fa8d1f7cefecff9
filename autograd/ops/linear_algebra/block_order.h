#pragma once
/// Exact transformations of a square matrix A, without rounding, before a function of A is computed: P D⁻¹ A D Pᵀ, where P is a
/// permutation that makes A block triangular and D holds powers of two that bring its elements to similar sizes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/scalar.h"

namespace argand::matrices {

/// The order in which A [n, n], by rows, is block upper triangular with the smallest blocks: the strongly connected components of
/// the graph with an edge i -> j for every a_ij ≠ 0 (Tarjan, SIAM J. Comput. 1 (1972)). A matrix that is triangular up to the order
/// of its rows and columns has only blocks of size 1.
class BlockOrder {
 public:
  template <Scalar T>
  BlockOrder(std::int64_t n, const T* A) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<std::int64_t> found(size, -1), low(size), next(size, 0), open, path;
    std::vector<char> is_open(size, 0);
    std::vector<std::int64_t> reversed, ends;
    std::int64_t count = 0;
    const auto enter = [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at] = low[at] = count++;
      is_open[at] = 1;
      open.push_back(i);
      path.push_back(i);
    };
    // Starts from the end, because components found first come last: this way, a triangular matrix keeps its order.
    for (std::int64_t root = n; root-- > 0;) {
      if (found[static_cast<std::size_t>(root)] >= 0) continue;
      enter(root);
      while (!path.empty()) {
        const std::int64_t i = path.back();
        const auto at = static_cast<std::size_t>(i);
        if (next[at] < n) {
          const std::int64_t j = next[at]++;
          const auto to = static_cast<std::size_t>(j);
          if (j == i || A[i * n + j] == T(0)) continue;
          if (found[to] < 0)
            enter(j);
          else if (is_open[to])
            low[at] = std::min(low[at], found[to]);
          continue;
        }
        path.pop_back();
        if (!path.empty()) {
          std::int64_t& above = low[static_cast<std::size_t>(path.back())];
          above = std::min(above, low[at]);
        }
        if (low[at] != found[at]) continue;
        std::vector<std::int64_t> block;
        do {
          block.push_back(open.back());
          is_open[static_cast<std::size_t>(open.back())] = 0;
          open.pop_back();
        } while (block.back() != i);
        std::sort(block.rbegin(), block.rend());
        reversed.insert(reversed.end(), block.begin(), block.end());
        ends.push_back(static_cast<std::int64_t>(block.size()));
      }
    }
    order.assign(reversed.rbegin(), reversed.rend());
    begins.push_back(0);
    for (auto size_of = ends.rbegin(); size_of != ends.rend(); ++size_of) begins.push_back(begins.back() + *size_of);
  }

  bool is_triangular() const { return begins.size() == order.size() + 1; }

  std::vector<std::int64_t> order;   ///< row and column order[k] of A move to position k
  std::vector<std::int64_t> begins;  ///< the first position of each block, and n
};

/// The exponents d of D = diag(2^d) for which the off-diagonal elements b_ij = a_ij 2^(d_j - d_i) of an ordered A are of similar
/// size within a block (Osborne, J. ACM 7 (1960)), and at most 1/8 between two blocks. Rounding commutes with D in sums of products
/// and in triangular systems: D changes only the norm, which determines the degree of an approximant, and the choice of pivots in a
/// block.
template <Scalar T>
std::vector<int> balancing_exponents(std::int64_t n, const T* A, const BlockOrder& blocks) {
  std::vector<int> d(static_cast<std::size_t>(n), 0);
  constexpr int none = -100'000;
  std::vector<int> sizes(static_cast<std::size_t>(n * n), none);  // log₂ |a_ij|, rounded
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    auto size = std::abs(real_of(A[k]));
    if constexpr (ComplexScalar<T>) size = std::max(size, std::abs(A[k].imag()));
    if (size != 0) sizes[k] = std::ilogb(size);
  }
  const auto exponent = [&](std::int64_t i, std::int64_t j) {
    const int size = sizes[static_cast<std::size_t>(i * n + j)];
    return size == none ? none : size + d[static_cast<std::size_t>(j)] - d[static_cast<std::size_t>(i)];
  };
  for (std::size_t b = 0; b + 1 < blocks.begins.size(); ++b) {
    const std::int64_t begin = blocks.begins[b], end = blocks.begins[b + 1];
    bool moved = end - begin > 1;
    for (int sweep = 0; moved && sweep < 30; ++sweep) {
      moved = false;
      for (std::int64_t i = begin; i < end; ++i) {
        int row = none, column = none;
        for (std::int64_t j = begin; j < end; ++j)
          if (j != i) row = std::max(row, exponent(i, j)), column = std::max(column, exponent(j, i));
        const int by = (row - column) / 2;
        if (std::abs(by) < 2) continue;
        d[static_cast<std::size_t>(i)] += by;
        moved = true;
      }
    }
    int above = none;  // the largest element of this block's columns in earlier blocks
    for (std::int64_t i = 0; i < begin; ++i)
      for (std::int64_t j = begin; j < end; ++j) above = std::max(above, exponent(i, j));
    if (above != none)
      for (std::int64_t j = begin; j < end; ++j) d[static_cast<std::size_t>(j)] -= above + 4;
  }
  // A block without incoming edges can be placed after those that it points to.
  for (std::size_t b = blocks.begins.size() - 1; b-- > 0;) {
    const std::int64_t begin = blocks.begins[b], end = blocks.begins[b + 1];
    int to = none, from = none;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = end; j < n; ++j) to = std::max(to, exponent(i, j));
      for (std::int64_t j = 0; j < begin; ++j) from = std::max(from, exponent(j, i));
    }
    if (from == none && to != none)
      for (std::int64_t i = begin; i < end; ++i) d[static_cast<std::size_t>(i)] += to + 4;
  }
  return d;
}

}  // namespace argand::matrices
