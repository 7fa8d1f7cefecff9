#pragma once
/// Approximate search by hnswlib: hierarchical navigable small worlds (Malkov, Yashunin, "Efficient and robust approximate nearest
/// neighbor search using HNSW graphs", IEEE TPAMI 42 (2020), 824).

#include <memory>

#include "core/nearest.h"

namespace argand {

/// Whether argand was built with hnswlib.
bool have_hnsw();

/// A graph over the rows of a matrix [P, r], to find the largest dot products. The same rows give the same graph and results, for
/// any number of threads.
class HnswIndex final : public RowIndex {
 public:
  /// Throws Error when argand was built without hnswlib.
  explicit HnswIndex(Tensor<float> rows);
  ~HnswIndex() override;

  /// Searches the graph for k rows plus as many as are excluded, so that k remain. Falls back to exact search if the graph finds
  /// fewer, or if very many are excluded.
  Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const override;
  /// Recall@k: the share of the exact search's results for these queries that nearest() also finds.
  double recall(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const;

  const Tensor<float>& rows() const { return rows_; }

 private:
  struct Graph;
  Tensor<float> rows_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace argand
