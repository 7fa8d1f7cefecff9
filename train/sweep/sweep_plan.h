#pragma once
/// Which runs a sweep needs: a function of the grid and of how the runs before have ended, and of nothing else, so that a sweep
/// that was stopped anywhere continues as if it had not been.

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "train/sweep/grid.h"

namespace argand {

struct SweepRequest {
  Grid grid;
  /// A third of the length for every configuration; the best third of them, rounded up, then trains in full.
  bool halving = false;
  /// Goes on beyond the end of the grid at which the best lies, for keys that are fractions, until the best has worse ones on both
  /// sides. With halving both sides are trained in full, too.
  bool widen = false;
  /// Configurations are compared with so many of the seeds; the best one alone then trains with the others. 0: with all.
  std::size_t search_seeds = 0;
};

struct SweepRun {
  std::size_t configuration = 0;
  bool third = false;  ///< of the length
  std::int64_t seed = 0;
};

/// Less is better; the second decides ties. Infinite: the run has no result.
using SweepScore = std::array<double, 2>;
inline constexpr SweepScore no_score = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
/// Of the runs that have ended, by name.
using SweepScores = std::map<std::string, SweepScore>;

/// The best configuration has none beyond it.
struct GridEdge {
  std::string key, value;
  bool upper = false;
};

class SweepPlan {
 public:
  static constexpr std::size_t most_configurations = 10'000, most_added = 8;

  /// `resolve`: the configuration of a run with these settings on top of what all have alike. Throws ConfigError when one cannot
  /// be, when two are the same, and when there are too many.
  SweepPlan(SweepRequest request, std::function<RunConfig(const Settings&)> resolve);

  /// The runs to train next, given these results; none when the sweep has ended. All that follows is as of the last call.
  std::vector<SweepRun> next(const SweepScores& scores);

  /// The grid's configurations, and those that were added.
  std::size_t size() const { return points_.size(); }
  /// "lr=0.001,dropout=0.1", or "all" where there is no axis.
  std::string name(std::size_t configuration) const;
  /// A relative path: "lr=0.001/seed-0", "third/lr=0.001/seed-0".
  std::string name(const SweepRun& run) const;
  /// On top of what all have alike, without its length.
  Settings settings(std::size_t configuration) const;
  Settings settings(const SweepRun& run) const;

  const SweepRequest& request() const { return request_; }
  /// Of a third or of the whole length: configurations that were to be trained so, the best first.
  const std::vector<std::size_t>& ranking(bool third) const { return third ? ranking_third_ : ranking_full_; }
  /// Of the configurations that were trained in full; nothing before they have been, or when none has numbers.
  std::optional<std::size_t> best() const { return best_; }
  const std::vector<GridEdge>& edges() const { return edges_; }

 private:
  using Point = std::vector<std::string>;  ///< a value for each axis

  RunConfig resolved(const Point& point) const;
  std::string point_name(const Point& point) const;
  Settings point_settings(const Point& point) const;
  std::vector<std::int64_t> search_seeds() const;
  std::vector<SweepRun> missing(const std::vector<std::size_t>& configurations, bool third, const SweepScores& scores) const;
  SweepScore mean_score(std::size_t configuration, bool third, const SweepScores& scores) const;
  std::vector<std::size_t> ranked(std::vector<std::size_t> configurations, bool third, const SweepScores& scores) const;
  /// The next configuration along an axis that has all other values alike; nothing at the edge.
  std::optional<std::size_t> neighbour(std::size_t configuration, std::size_t axis, bool upper) const;
  /// Whether more could follow on that side.
  bool is_edge(std::size_t configuration, std::size_t axis, bool upper) const;
  /// Makes that neighbour; nothing where it cannot be or enough have been made.
  std::optional<std::size_t> add_beyond(std::size_t configuration, std::size_t axis, bool upper);
  /// Makes the neighbours of the best that are missing; with `full` its neighbours are to be trained in full.
  std::vector<std::size_t> widened(std::size_t best, const std::vector<std::size_t>* full);
  void find_edges();

  SweepRequest request_;
  std::function<RunConfig(const Settings&)> resolve_;
  std::vector<KeyKind> kinds_;  ///< of the axes
  std::vector<Point> grid_, points_;
  std::vector<std::size_t> ranking_third_, ranking_full_;
  std::optional<std::size_t> best_;
  std::vector<GridEdge> edges_;
};

}  // namespace argand
