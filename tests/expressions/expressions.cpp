/// Compares the lab with the truth on random expressions, at points where functions break down. If tape and truth differ by more
/// than the lab's printed tolerance, the lab must not report agreement; if the tape is correct, it must not report a difference;
/// and anything it calls holomorphic, a minimum or degenerate must be so.
///
///     expressions [COUNT [SEED]]

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "lab/expression/expression_point.h"
#include "lab/lab_hessian.h"
#include "lab/lab_point.h"
#include "tests/expressions/draw.h"
#include "tests/expressions/truth.h"
#include "tests/sanitized.h"

namespace reference {
namespace {

using namespace argand;
using C = std::complex<double>;

struct Finding {
  /// The fault, such as "false agreement"; empty if there is none.
  std::string what;
  std::string details = {};
};

double apart(C a, C b) { return std::abs(a - b); }
bool finite(C a) { return std::isfinite(a.real()) && std::isfinite(a.imag()); }

Finding judge_figure(const char* name, const LabPoint& p, const LabFigure& figure, const Truth& truth, C right) {
  const bool smooth = truth.kind == Truth::Kind::Smooth;
  const auto say = [&](const char* what) {
    return Finding{
        what, fmt::format("{}: tape {:.17g}{:+.17g}i, numerically {:.17g}{:+.17g}i ± {:.1e}, rounding {:.1e}, truth {}", name,
                          figure.tape.real(), figure.tape.imag(), figure.numerical.real(), figure.numerical.imag(), figure.error,
                          figure.rounding, smooth ? fmt::format("{:.17g}{:+.17g}i", right.real(), right.imag()) : "none")};
  };
  const double off = apart(figure.tape, right), unit = 1e-14 * std::abs(right) + 2 * truth.error;
  if (figure.verdict == Verdict::Pass) {
    if (!std::isfinite(figure.tolerance())) return say("agrees within an infinite tolerance");
    if (!smooth || !(off <= figure.tolerance() + unit)) return say("false agreement");
  }
  if (figure.verdict == Verdict::Fail && !p.gaps.empty()) return say("reports a difference although the tape has a gap");
  if (!smooth) return {};
  if (figure.verdict == Verdict::Fail) return say(off <= figure.tolerance() + unit ? "false difference" : "the tape is wrong");
  // The bounds on rounding must hold.
  if (p.gaps.empty() && std::isfinite(figure.rounding) && finite(right) && !(off <= figure.rounding + unit))
    return say("the rounding error exceeds its bound");
  if (p.has_numerical() && figure.error < 1e-3 * std::abs(right) &&
      !(apart(figure.numerical, right) <= 10 * figure.error + (p.gaps.empty() ? figure.rounding : 0) + unit + 1e-300))
    return say("the numerical error exceeds its bar");
  return {};
}

Finding judge_point(const LabPoint& p, const Truth& truth) {
  if (truth.kind == Truth::Kind::Unknown) return {};
  const C gradient = std::conj(truth.dz) + truth.dzbar;
  for (const auto& [name, figure, right] :
       {std::tuple("dz", p.dz, truth.dz), std::tuple("dzbar", p.dzbar, truth.dzbar), std::tuple("gradient", p.gradient, gradient)})
    if (Finding found = judge_figure(name, p, figure, truth, right); !found.what.empty()) return found;
  if (!p.conclusive()) return {};
  if (p.verdict == CauchyRiemann::Holomorphic &&
      std::abs(truth.dzbar) > p.dzbar.rounding + 1e-14 * std::abs(truth.dz) + truth.error)
    return {"wrongly called holomorphic", fmt::format("∂f/∂z̄ is {:.3g}", std::abs(truth.dzbar))};
  if (p.verdict == CauchyRiemann::General && truth.dzbar == 0.0 && truth.error < 1e-6 * std::abs(p.dzbar.tape))
    return {"wrongly called not holomorphic", ""};
  return {};
}

Finding judge_hessian(const Expression& f, C z, const Evaluator& exact) {
  const LabHessian h = lab_hessian(f, {z});
  const SecondTruth truth = second_truth_at(exact, z);
  if (!truth.smooth)
    return h.verdict() == Verdict::Pass && truth_at(exact, z).kind == Truth::Kind::Singular
               ? Finding{"second derivatives agree where there are no first ones", ""}
               : Finding{};
  const double right[2][2] = {{truth.xx, truth.xy}, {truth.xy, truth.yy}};
  double size = 0, off = 0;
  for (const std::size_t i : {0, 1})
    for (const std::size_t k : {0, 1}) {
      size = std::max(size, std::abs(right[i][k]));
      off = std::max(off, std::abs(h.real[i][k] - right[i][k]));
    }
  const std::string numbers =
      fmt::format("tape {:.6g} {:.6g} {:.6g}, numerically {:.6g} {:.6g} {:.6g} ± {:.1e}, truth {:.6g} {:.6g} {:.6g}, {}",
                  h.real[0][0], h.real[0][1], h.real[1][1], h.numerical[0][0], h.numerical[0][1], h.numerical[1][1], h.error[0][0],
                  truth.xx, truth.xy, truth.yy, h.kind());
  if (h.verdict() == Verdict::Pass && !(off <= h.tolerance())) return {"second derivatives: false agreement", numbers};
  if (h.verdict() == Verdict::Fail)
    return {off <= h.tolerance() ? "second derivatives: false difference" : "second derivatives: the tape is wrong", numbers};
  const double trace = (truth.xx + truth.yy) / 2, root = std::hypot((truth.xx - truth.yy) / 2, truth.xy), low = trace - root,
               high = trace + root;
  const std::string kind = h.kind();
  const bool wrong = (kind == "a minimum" && low < -1e-6 * size) || (kind == "a maximum" && high > 1e-6 * size) ||
                     (kind == "a saddle" && low * high > 1e-6 * size * size) ||
                     (kind == "degenerate" && std::min(std::abs(low), std::abs(high)) > h.tolerance());
  return wrong ? Finding{"wrong kind of critical point", numbers} : Finding{};
}

struct Judged {
  Finding finding;
  bool smooth = false, singular = false, agrees = false, gap = false;
};

Judged judged(const std::string& text, const std::string& point, bool hessian) {
  Judged result;
  const Expression f(text);
  const Evaluator exact(parse_expression(text, {"z"}));
  const C z = point_of(f, point)[0];
  const LabPoint p = lab_point(f, {z}, 0);
  const Truth truth = truth_at(exact, z);
  result.smooth = truth.kind == Truth::Kind::Smooth, result.singular = truth.kind == Truth::Kind::Singular;
  result.agrees = p.conclusive(), result.gap = !p.gaps.empty();
  result.finding = judge_point(p, truth);
  if (result.finding.what.empty() && hessian) result.finding = judge_hessian(f, z, exact);
  return result;
}

class Run {
 public:
  Run(std::uint64_t count, std::uint64_t seed) : count_(count), seed_(seed) {}

  int operator()() {
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k)
      threads.emplace_back([this] {
        work();
        mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);  // frees the constants that MPFR keeps for each thread
      });
    for (std::thread& t : threads) t.join();
    fmt::print("{} expressions: {} have a derivative, and the lab agrees in {} of these; {} have none; {} tapes have a gap\n",
               count_, smooth_.load(), agrees_.load(), singular_.load(), gaps_.load());
    for (const auto& [what, n] : found_) fmt::print("{}: {}\n", what, n);
    // A lab that never reached a verdict would never be wrong, so the run must also produce enough verdicts.
    const bool useful = 2 * agrees_ > smooth_ && 3 * smooth_ > count_;
    if (!useful) fmt::print("too few verdicts\n");
    return found_.empty() && useful ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  void work() {
    for (std::uint64_t n = next_++; n < count_; n = next_++) {
      Dice dice(seed_, n);
      const Tree tree = draw(dice, 1 + static_cast<int>(n % 4));
      const std::string point = draw_point(dice);
      const bool hessian = n % 8 == 0;
      try {
        const Judged j = judged(tree.text(), point, hessian);
        smooth_ += j.smooth, singular_ += j.singular, agrees_ += j.smooth && j.agrees, gaps_ += j.gap;
        if (!j.finding.what.empty()) report(tree, point, j.finding, hessian);
      } catch (const std::exception& e) {
        report(tree, point, {std::string("throws: ") + e.what()}, hessian);
      }
    }
  }

  void report(const Tree& tree, const std::string& point, const Finding& finding, bool hessian) {
    const std::lock_guard alone(mutex_);
    if (++found_[finding.what] > 3) return;
    const auto same = [&](const Tree& t) {
      try {
        return judged(t.text(), point, hessian).finding.what == finding.what;
      } catch (const std::exception&) {
        return false;
      }
    };
    const Tree small = shrunk(tree, same);
    std::string details = finding.details;
    if (same(small)) details = judged(small.text(), point, hessian).finding.details;
    fmt::print("{}\n  argand lab \"{}\" --at=\"{}\"\n  {}\n  simplified from {}\n", finding.what, small.text(), point, details,
               tree.text());
    std::fflush(stdout);
  }

  std::uint64_t count_, seed_;
  std::atomic<std::uint64_t> next_ = 0, smooth_ = 0, singular_ = 0, agrees_ = 0, gaps_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> found_;
};

}  // namespace
}  // namespace reference

int main(int argc, char** argv) {
#ifdef ARGAND_SANITIZED
  constexpr std::uint64_t usual = 300;
#else
  constexpr std::uint64_t usual = 10'000;
#endif
  return reference::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : usual,
                        argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 36)();
}
