/// Forward mode through whole models: tangents of every family's loss against its gradients, and products with its Hessian against
/// each other, against differences of gradients, and against the clock.

#include "autograd/forward.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "autograd/check/adjoint.h"
#include "core/parallel.h"
#include "data/knowledge/frozen_search.h"
#include "nn/family.h"
#include "tests/nn/language_models.h"
#include "tests/sanitized.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(forward_mode)

namespace {

using Vectors = std::vector<AnyTensor>;

void set_keys(ModelConfig& config, const KeyTexts& settings) {
  for (const auto& [wanted, text] : settings)
    config.visit([&, &wanted = wanted, &text = text](const std::string& key, auto& value, const std::string&, const std::string&) {
      using T = std::remove_reference_t<decltype(value)>;
      if (key != wanted) return;
      if constexpr (std::is_same_v<T, std::string>)
        value = text;
      else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
        value = nlohmann::json::parse(text.starts_with('[') ? text : "[" + text + "]").get<T>();
      else
        value = nlohmann::json::parse(text).get<T>();
    });
}

/// A model, and its loss on some texts as a function of its parameters, which have been moved away from zeros and ones.
struct Subject {
  std::string name;
  std::unique_ptr<Model<double>> model;
  Ids tokens, targets, passages = random_ids({5, 3}, 9);
  Knowledge knowledge{.passages = &passages, .search = FrozenSearch(passages, chunk_length(passages))};

  Subject(std::string what, const ModelConfig& config, std::int64_t B, std::int64_t T)
      : name(std::move(what)), model(make_model<double>(config, 1)), tokens(random_ids({B, T})), targets(random_ids({B, T}, 5)) {
    if (config.task == TextTask::Classify) {
      targets = Ids(Shape{B});
      for (std::int64_t b = 0; b < B; ++b) targets[b] = static_cast<std::int32_t>(b % config.n_classes);
      tokens[B * T - 1] = 0;  // padding
    }
    const ParameterList<double> all = parameters();
    for (std::size_t i = 0; i < all.size(); ++i)
      std::visit([&]<class V>(Var<V> p) { p.value().add(randn<V>(p.shape(), Random(0xF0, i), 0.2)); }, all[i].var);
    if (const auto& prepare = config.family().checks.prepare) prepare(all, config);
  }
  Subject(const Subject&) = delete;

  ParameterList<double> parameters() const { return model->parameters(); }
  std::function<Real()> loss() const {
    return [this] {
      ForwardContext context{.knowledge = &knowledge};
      context.excluded.resize(static_cast<std::size_t>(tokens.shape()[0]));
      return model->loss(tokens, targets, context).total;
    };
  }
  Vectors gradient() const {
    const ParameterList<double> all = parameters();
    Tape tape;
    zero_grad(all);
    tape.backward(loss()());
    Vectors gradients;
    for (const auto& p : all) gradients.push_back(std::visit([](const auto& v) -> AnyTensor { return v.grad(); }, p.var));
    zero_grad(all);
    return gradients;
  }
  Vectors hessian_times(const Vectors& v) const { return hvp<double>(loss(), parameters(), v); }
  Vectors random_direction(std::uint64_t seed) const {
    Vectors v;
    for (const auto& p : parameters())
      std::visit([&]<class V>(const Var<V>& x) { v.emplace_back(randn<V>(x.shape(), Random(seed, v.size()))); }, p.var);
    return v;
  }
  /// Parameters += t v.
  void move(double t, const Vectors& v) const {
    const ParameterList<double> all = parameters();
    for (std::size_t i = 0; i < all.size(); ++i)
      std::visit(
          [&]<class V>(Var<V> p) {
            const Tensor<V>& direction = std::get<Tensor<V>>(v[i]);
            for (std::int64_t k = 0; k < p.size(); ++k) p.value().data()[k] += t * direction.data()[k];
          },
          all[i].var);
  }
};

ModelConfig small(const Family& family, const std::string& task) {
  ModelConfig config(family);
  set_keys(config, {{"task", task}, {"max_seq_len", "8"}, {"d_model", "8"}, {"n_heads", "2"}, {"d_ff", "12"}});
  config.vocab_size = 13;
  config.n_classes = 3;
  set_keys(config, family.checks.sizes);
  return config;
}

/// Calls f(subject) for every family in both tasks, and for what else it wants checked.
template <class F>
void for_each_subject(const F& f) {
  for (const Family& family : families()) {
    for (const TextTask task : every<TextTask>()) f(Subject(family.name + " " + word_of(task), small(family, word_of(task)), 2, 6));
    for (const JointSettings& joint : family.checks.joint) {
      ModelConfig config = small(family, joint.task);
      set_keys(config, joint.settings);
      f(Subject(family.name + " " + joint.task + " " + joint.name, config, 2, 6));
    }
  }
}

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
/// Σ weights[j] terms[j].
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

/// How many times as long as `unit` the function f takes: processor time, the shortest of several calls of each, by turns.
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
    // Of the sixth order in h.
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
      ModelConfig config = small(family, word_of(task));
      config.vocab_size = 64, config.max_seq_len = 32, config.d_model = 64, config.n_heads = 4, config.d_ff = 256;
      const Subject subject(family.name + " " + word_of(task), config, 8, 32);
      const Vectors v = subject.random_direction(4);
      const double ratio = cost([&] { subject.hessian_times(v); }, [&] { subject.gradient(); });
      BOOST_TEST_MESSAGE(subject.name << ": a product with the Hessian costs " << ratio << " gradients");
      BOOST_TEST(ratio < 6, subject.name << ": " << ratio);  // under 4 where nothing else runs
    }
  set_num_threads(threads);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
