/// Wirtinger derivatives found by differences, and the verdicts on the Cauchy-Riemann equations.

#include "autograd/wirtinger.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(wirtinger_derivatives)

namespace {

using C = std::complex<double>;

struct Known {
  std::string name;
  std::function<C(C)> f, dz, dzbar;
  CauchyRiemann verdict;
};

const std::vector<Known> known_functions{
    {"z^2", [](C z) { return z * z; }, [](C z) { return 2.0 * z; }, [](C) { return C(0); }, CauchyRiemann::Holomorphic},
    {"exp", [](C z) { return std::exp(z); }, [](C z) { return std::exp(z); }, [](C) { return C(0); }, CauchyRiemann::Holomorphic},
    {"constant", [](C) { return C(1, 2); }, [](C) { return C(0); }, [](C) { return C(0); }, CauchyRiemann::Holomorphic},
    {"conj", [](C z) { return std::conj(z); }, [](C) { return C(0); }, [](C) { return C(1); }, CauchyRiemann::Antiholomorphic},
    {"|z|^2", [](C z) { return C(std::norm(z)); }, [](C z) { return std::conj(z); }, [](C z) { return z; },
     CauchyRiemann::RealValued},
    {"Re z", [](C z) { return C(z.real()); }, [](C) { return C(0.5); }, [](C) { return C(0.5); }, CauchyRiemann::RealValued},
    {"|z|", [](C z) { return C(std::abs(z)); }, [](C z) { return std::conj(z) / (2 * std::abs(z)); },
     [](C z) { return z / (2 * std::abs(z)); }, CauchyRiemann::RealValued},
    {"z/|z|", [](C z) { return z / std::abs(z); }, [](C z) { return C(1 / (2 * std::abs(z))); },
     [](C z) { return -z * z / (2 * std::pow(std::abs(z), 3)); }, CauchyRiemann::General},
    {"z conj(z)^2", [](C z) { return z * std::conj(z) * std::conj(z); }, [](C z) { return std::conj(z) * std::conj(z); },
     [](C z) { return 2.0 * z * std::conj(z); }, CauchyRiemann::General},
};

}  // namespace

BOOST_AUTO_TEST_CASE(both_derivatives_with_honest_bars_and_the_verdict) {
  for (const Known& known : known_functions) {
    const Random random(21);
    for (std::uint64_t i = 0; i < 50; ++i) {
      const C z = std::polar(0.3 + random.uniform(2 * i), 3 * (2 * random.uniform(2 * i + 1) - 1));
      const WirtingerDerivatives w = wirtinger(known.f, z);
      BOOST_TEST_CONTEXT(known.name << " at " << z) {
        BOOST_TEST(std::abs(w.dz - known.dz(z)) <= w.error + 1e-15);
        BOOST_TEST(std::abs(w.dzbar - known.dzbar(z)) <= w.error + 1e-15);
        BOOST_TEST(w.error < 1e-10);
        BOOST_TEST(cauchy_riemann_name(w.verdict) == cauchy_riemann_name(known.verdict));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(both_may_be_0_at_a_point) {
  BOOST_TEST((wirtinger([](C z) { return z * z; }, 0).verdict == CauchyRiemann::Holomorphic));
  BOOST_TEST((wirtinger([](C z) { return C(std::norm(z * z + 1.0)); }, C(0, 1)).verdict == CauchyRiemann::Holomorphic));
}

BOOST_AUTO_TEST_CASE(singular_points_are_inconclusive) {
  BOOST_TEST((wirtinger([](C z) { return C(std::abs(z)); }, 0).verdict == CauchyRiemann::Inconclusive));
  BOOST_TEST((wirtinger([](C z) { return std::log(z); }, -1).verdict == CauchyRiemann::Inconclusive));
  BOOST_TEST((wirtinger([](C z) { return std::sqrt(z); }, 0).verdict == CauchyRiemann::Inconclusive));
}

BOOST_AUTO_TEST_CASE(the_jacobian_of_ops) {
  const Tensor<C> z = OpCheck().complex({3});
  const WirtingerResult w = wirtinger(erase_types<double, C>([](auto x) { return exp(x); }), {z});
  BOOST_TEST(w.inputs == 3);
  BOOST_TEST(w.outputs == 3);
  BOOST_TEST((w.verdict == CauchyRiemann::Holomorphic));
  for (std::size_t k = 0; k < 9; ++k) {
    const C expected = k % 4 == 0 ? std::exp(z.data()[k / 4]) : C(0);
    BOOST_TEST(std::abs(w.dz[k] - expected) <= w.error[k] + 1e-15);
  }
  BOOST_TEST((wirtinger(erase_types<double, C>([](auto x) { return abs(x); }), {z}).verdict == CauchyRiemann::RealValued));
  BOOST_TEST((wirtinger(erase_types<double, C>([](auto x) { return conj(x); }), {z}).verdict == CauchyRiemann::Antiholomorphic));
  BOOST_CHECK_EXCEPTION(wirtinger(erase_types<double, double>([](auto x) { return exp(x); }), {OpCheck().real({3})}), Error,
                        [](const Error& e) { return e.what() == std::string("wirtinger: input 0 is not a complex tensor"); });
}

BOOST_AUTO_TEST_SUITE_END()
