/// Forward mode through whole models: compares tangents of every family's loss with its gradients, and Hessian-vector products with
/// each other and with differences of gradients, and measures their speed.

#include "autograd/forward.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <ctime>

#include "autograd/check/adjoint.h"
#include "core/parallel.h"
#include "tests/nn/whole_models.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(forward_mode)

namespace {

/// Re Σ conj(a) b over all parameters.
double product(const Vectors& a, const Vectors& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    std::visit(
        [&]<class V>(const Tensor<V>& x) {
          const Tensor<V>& y = std::get<Tensor<V>>(b[i]);
          for (std::int64_t k = 0; k < x.size(); ++k) sum += real_of(conj_of(x.data()[k]) * y.data()[k]);
        },
        a[i]);
  return sum;
}
double norm(const Vectors& a) { return std::sqrt(product(a, a)); }
/// The linear combination Σ_j weights[j] terms[j].
Vectors combined(const std::vector<double>& weights, const std::vector<Vectors>& terms) {
  Vectors sum;
  for (std::size_t i = 0; i < terms[0].size(); ++i)
    std::visit(
        [&]<class V>(const Tensor<V>& first) {
          Tensor<V> total = Tensor<V>::zeros(first.shape());
          for (std::size_t j = 0; j < terms.size(); ++j)
            for (std::int64_t k = 0; k < total.size(); ++k)
              total.data()[k] += weights[j] * std::get<Tensor<V>>(terms[j][i]).data()[k];
          sum.emplace_back(std::move(total));
        },
        terms[0][i]);
  return sum;
}

/// The processor time of f as a multiple of that of `unit`: the two are called alternately several times, and the shortest times
/// count.
template <class F, class G>
double cost(const F& f, const G& unit) {
  const auto seconds = [](const auto& call) {
    const std::clock_t begin = std::clock();
    call();
    return static_cast<double>(std::clock() - begin);
  };
  double longer = 1e18, shorter = 1e18;
  for (int i = 0; i < 9; ++i) {
    longer = std::min(longer, seconds(f));
    shorter = std::min(shorter, seconds(unit));
  }
  return longer / shorter;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tangents_of_every_family_are_adjoint_to_its_gradients) {
  for_each_subject([](const Subject& subject) {
    const ReportRow report = check_adjoint(subject.loss(), subject.parameters());
    BOOST_TEST((report.verdict == Verdict::Pass), subject.name << ": " << report.diagnosis);
    BOOST_TEST(report.compared == static_cast<std::int64_t>(subject.parameters().size()) + 1);
  });
}

BOOST_AUTO_TEST_CASE(products_with_hessians_are_symmetric) {
  for_each_subject([](const Subject& subject) {
    const Vectors u = subject.random_direction(1), v = subject.random_direction(2);
    const Vectors Hu = subject.hessian_times(u), Hv = subject.hessian_times(v);
    const double difference = std::abs(product(u, Hv) - product(v, Hu)) / std::max(norm(u) * norm(Hv), norm(v) * norm(Hu));
    BOOST_TEST(norm(Hv) > 0);
    BOOST_TEST(difference < 1e-12, subject.name << ": " << difference);
  });
}

BOOST_AUTO_TEST_CASE(products_with_hessians_are_differences_of_gradients) {
  for_each_subject([](const Subject& subject) {
    Vectors v = subject.random_direction(3);
    v = combined({1 / norm(v)}, {v});
    const double h = 2e-3;
    const auto gradient_at = [&](double t) {
      subject.move(t, v);
      Vectors g = subject.gradient();
      subject.move(-t, v);
      return g;
    };
    // A difference quotient of sixth order in h.
    const Vectors expected = combined(
        {-1 / (60 * h), 9 / (60 * h), -45 / (60 * h), 45 / (60 * h), -9 / (60 * h), 1 / (60 * h)},
        {gradient_at(-3 * h), gradient_at(-2 * h), gradient_at(-h), gradient_at(h), gradient_at(2 * h), gradient_at(3 * h)});
    const double error = norm(combined({1, -1}, {subject.hessian_times(v), expected})) / norm(expected);
    BOOST_TEST(error < 1e-7, subject.name << ": " << error);
  });
}

#ifndef ARGAND_SANITIZED
BOOST_AUTO_TEST_CASE(what_a_product_with_a_hessian_costs) {
  const int threads = num_threads();
  set_num_threads(1);
  for (const Family& family : families())
    for (const TextTask task : every<TextTask>()) {
      ModelConfig config = small_model(family, word_of(task));
      config.vocab_size = 64, config.max_seq_len = 32, config.d_model = 64, config.n_heads = 4, config.d_ff = 256;
      const Subject subject(family.name + " " + word_of(task), config, 8, 32);
      const Vectors v = subject.random_direction(4);
      const double ratio = cost([&] { subject.hessian_times(v); }, [&] { subject.gradient(); });
      BOOST_TEST_MESSAGE(subject.name << ": a product with the Hessian costs " << ratio << " gradients");
      BOOST_TEST(ratio < 6, subject.name << ": " << ratio);  // on an idle machine the ratio is below 4
    }
  set_num_threads(threads);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
