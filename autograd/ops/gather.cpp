#include "autograd/ops/gather.h"

#include <algorithm>
#include <vector>

#include "autograd/op_check.h"
#include "autograd/tape.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// out[i] = table[ids[i]], for rows of D elements.
template <Scalar T>
void gather_rows(const T* table, const Ids& ids, std::int64_t D, T* out) {
  parallel_for(ids.size(), row_grain(D), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) std::copy_n(table + ids[i] * D, D, out + i * D);
  });
}

/// out[ids[i]] += rows[i / repeat]. Columns are split among threads in whole cache lines: each element is written by one thread,
/// which adds in the order of the ids. That needs no atomics and gives the same bits for any number of threads. (Splitting the rows
/// would divide the work unevenly: a few tokens make up most of a text.)
template <Scalar T>
void scatter_rows(const T* rows, const Ids& ids, std::int64_t D, T* out, std::int64_t repeat = 1) {
  const std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t grain = ids.size() * D <= elementwise_grain ? D : line;
  parallel_for(D, std::max<std::int64_t>(1, grain), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      const T* in = rows + i / repeat * D;
      T* to = out + ids[i] * D;
      for (std::int64_t c = begin; c < end; ++c) to[c] += in[c];
    }
  });
}

/// Random ids below V, for the checks.
Ids ids_below(std::int64_t V, const Shape& shape) {
  std::vector<Ids::value_type> ids(static_cast<std::size_t>(shape.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<Ids::value_type>((7 * k + k / 3) % static_cast<std::size_t>(V));
  return Ids(shape, std::move(ids));
}

template <Scalar T>
void zero_fill(T* out, std::int64_t n) {
  parallel_for(n, elementwise_grain, [&](std::int64_t begin, std::int64_t end) { std::fill(out + begin, out + end, T(0)); });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ embedding

static const Op embedding_op({.name = "embedding",
                              .kind = Kind::Holomorphic,
                              .equation = "y[i] = E[ids[i]]",
                              .dz = "∂y[i]/∂E[v] = 1 if ids[i] = v, else 0",
                              .dzbar = "0",
                              .vjp = "dE[v] = Σ dy[i] over the i with ids[i] = v",
                              .jvp = "ẏ[i] = Ė[ids[i]]",
                              .derivation = "Linear: a product with a 0-1 matrix, whose transpose sums.",
                              .singular = "none",
                              .source = "Bengio et al., JMLR 3 (2003), 1137"},
                             [](OpCheck& check) {
                               const auto f = [](auto E) { return embedding(E, Ids({2, 3}, {1, 0, 4, 1, 1, 3})); };
                               check.function("real", f, check.real({5, 3}));
                               check.function("complex", f, check.complex({5, 3}));
                               check.sizes("", [f](OpCheck& at, std::int64_t n) {
                                 const auto of_many = [n](auto E) { return embedding(E, ids_below(5, {n})); };
                                 at.function("columns, real", f, at.real({5, n}));
                                 at.function("columns, complex", f, at.complex({5, n}));
                                 at.function("ids, real", of_many, at.real({5, 3}));
                                 at.function("ids, complex", of_many, at.complex({5, 3}));
                               });
                             });

template <Scalar T>
Var<T> embedding(const Var<T>& table, const Ids& ids) {
  require(table.rank() == 2, "embedding", "the table must be a matrix [V, D], got {}", table.shape());
  ids.check_below(table.dim(0), "embedding");
  const std::int64_t D = table.dim(1);
  Shape shape = ids.shape();
  shape.push_back(D);
  Tensor<T> y(shape);
  gather_rows(table.value().data(), ids, D, y.data());
  return record(
      embedding_op, std::move(y),
      [ids, D, size = table.size(), dtable = accumulator(table)](const Tensor<T>& dy) {
        dtable.accumulate([&](T* out, bool add) {
          if (!add) zero_fill(out, size);
          scatter_rows(dy.data(), ids, D, out);
        });
      },
      [&](const auto&) { return embedding(tangent(table), ids); }, table);
}

// ------------------------------------------------------------------------------------------------ embedding_mean

namespace {

/// out[p] = mean of table[ids[p L]], ..., table[ids[p L + L - 1]].
template <Scalar T>
void mean_rows(const T* table, const Ids& ids, std::int64_t L, std::int64_t D, T* out) {
  const RealOf<T> share = 1 / static_cast<RealOf<T>>(L);
  parallel_for(ids.size() / L, row_grain(L * D), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      T* __restrict sum = out + p * D;
      std::fill_n(sum, D, T(0));
      for (std::int64_t l = 0; l < L; ++l) {
        const T* __restrict row = table + ids[p * L + l] * D;
        for (std::int64_t c = 0; c < D; ++c) sum[c] += row[c];
      }
      for (std::int64_t c = 0; c < D; ++c) sum[c] *= share;
    }
  });
}

}  // namespace

static const Op embedding_mean_op(
    {.name = "embedding_mean",
     .kind = Kind::Holomorphic,
     .equation = "y[p] = 1/L Σ_l E[ids[p, l]]",
     .dz = "∂y[p]/∂E[v] = 1/L · the number of times v occurs in ids[p]",
     .dzbar = "0",
     .vjp = "dE[v] = 1/L Σ dy[p] over the (p, l) with ids[p, l] = v",
     .jvp = "ẏ[p] = 1/L Σ_l Ė[ids[p, l]]",
     .derivation = "embedding followed by a mean: the mean passes 1/L dy[p] to every l, and embedding's transpose sums.",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) {
      const auto f = [](auto E) { return embedding_mean(E, Ids({2, 3}, {1, 0, 4, 1, 1, 3})); };
      check.function("real", f, check.real({5, 3}));
      check.function("complex", f, check.complex({5, 3}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        const auto of_many = [n](auto E) { return embedding_mean(E, ids_below(5, {n, 2})); };
        at.function("columns, real", f, at.real({5, n}));
        at.function("columns, complex", f, at.complex({5, n}));
        at.function("ids, real", of_many, at.real({5, 3}));
        at.function("ids, complex", of_many, at.complex({5, 3}));
      });
    });

template <Scalar T>
Var<T> embedding_mean(const Var<T>& table, const Ids& ids) {
  require(table.rank() == 2, "embedding_mean", "the table must be a matrix [V, D], got {}", table.shape());
  require(ids.shape().rank() >= 1 && ids.shape().back() > 0, "embedding_mean",
          "needs at least one row to average, got ids of shape {}", ids.shape());
  ids.check_below(table.dim(0), "embedding_mean");
  const std::int64_t D = table.dim(1), L = ids.shape().back();
  Shape shape = ids.shape();
  shape[-1] = D;
  Tensor<T> y(shape);
  mean_rows(table.value().data(), ids, L, D, y.data());
  return record(
      embedding_mean_op, std::move(y),
      [ids, D, L, size = table.size(), dtable = accumulator(table)](const Tensor<T>& dy) {
        std::vector<Ids::value_type> words;
        std::vector<T> shares;
        for (std::int64_t p = 0; p < ids.size() / L; ++p) {
          const T* g = dy.data() + p * D;
          if (std::all_of(g, g + D, [](T x) { return x == T(0); })) continue;
          words.insert(words.end(), ids.data() + p * L, ids.data() + (p + 1) * L);
          for (std::int64_t c = 0; c < D; ++c) shares.push_back(g[c] / static_cast<RealOf<T>>(L));
        }
        const Shape count{static_cast<std::int64_t>(words.size())};
        const Ids read(count, std::move(words));
        dtable.accumulate([&](T* out, bool add) {
          if (!add) zero_fill(out, size);
          scatter_rows(shares.data(), read, D, out, L);
        });
      },
      [&](const auto&) { return embedding_mean(tangent(table), ids); }, table);
}

// ------------------------------------------------------------------------------------------------ scatter_add

static const Op scatter_add_op({.name = "scatter_add",
                                .kind = Kind::Holomorphic,
                                .equation = "y[v] = Σ x[i] over the i with ids[i] = v",
                                .dz = "∂y[v]/∂x[i] = 1 if ids[i] = v, else 0",
                                .dzbar = "0",
                                .vjp = "dx[i] = dy[ids[i]]",
                                .jvp = "ẏ[v] = Σ ẋ[i] over the i with ids[i] = v",
                                .derivation = "Linear: the matrix is the transpose of embedding's, so the gradient looks up rows "
                                              "of dy.",
                                .singular = "none",
                                .source = "definition"},
                               [](OpCheck& check) {
                                 const auto f = [](auto x) { return scatter_add(x, Ids({4}, {1, 0, 3, 1}), 5); };
                                 check.function("real", f, check.real({4, 3}));
                                 check.function("complex", f, check.complex({4, 3}));
                                 check.sizes("", [f](OpCheck& at, std::int64_t n) {
                                   const auto of_many = [n](auto x) { return scatter_add(x, ids_below(5, {n}), 5); };
                                   at.function("columns, real", f, at.real({4, n}));
                                   at.function("columns, complex", f, at.complex({4, n}));
                                   at.function("ids, real", of_many, at.real({n, 3}));
                                   at.function("ids, complex", of_many, at.complex({n, 3}));
                                 });
                               });

template <Scalar T>
Var<T> scatter_add(const Var<T>& rows, const Ids& ids, std::int64_t V) {
  const std::int64_t D = rows.rank() > 0 ? rows.shape().back() : 0;
  Shape expected = ids.shape();
  expected.push_back(D);
  require(rows.shape() == expected, "scatter_add", "needs one row per id, got {} for ids of shape {}", rows.shape(), ids.shape());
  ids.check_below(V, "scatter_add");
  Tensor<T> y = Tensor<T>::zeros({V, D});
  scatter_rows(rows.value().data(), ids, D, y.data());
  return record(
      scatter_add_op, std::move(y),
      [ids, D, shape = rows.shape(), drows = accumulator(rows)](const Tensor<T>& dy) {
        if (!drows) return;
        Tensor<T> dx(shape);
        gather_rows(dy.data(), ids, D, dx.data());
        drows.add(std::move(dx));
      },
      [&](const auto&) { return scatter_add(tangent(rows), ids, V); }, rows);
}

#define ARGAND_GATHER(T)                                     \
  template Var<T> embedding(const Var<T>&, const Ids&);      \
  template Var<T> embedding_mean(const Var<T>&, const Ids&); \
  template Var<T> scatter_add(const Var<T>&, const Ids&, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_GATHER)

}  // namespace argand
