#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "lab/expression/expression_point.h"
#include "lab/lab_hessian.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(lab_second_derivatives)

namespace {

using C = std::complex<double>;

LabHessian hessian_of(const std::string& expression, const std::vector<C>& at) { return lab_hessian(Expression(expression), at); }

double distance(C a, C b) { return std::abs(a - b); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_holomorphic_function_has_saddles_only) {
  // f = z³ - 3z has f'' = 6z. At z = 1, therefore, ∂²(Re f)/∂z² = f''/2 = 3, ∂²/∂z∂z̄ = 0, and the eigenvalues are ±2|3|.
  const LabHessian h = hessian_of("z^3 - 3*z", {1});
  BOOST_TEST(h.of_real_part);
  BOOST_TEST(distance(h.zz[0][0], 3) < 1e-14);
  BOOST_TEST(distance(h.zzbar[0][0], 0) < 1e-14);
  BOOST_TEST(h.eigenvalues.front() == -6, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(h.eigenvalues.back() == 6, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(h.kind() == "a saddle");
  BOOST_TEST(!h.failed());
}

BOOST_AUTO_TEST_CASE(kinds_of_critical_points) {
  BOOST_TEST(hessian_of("abs2(z^2+1)", {C(0, 1)}).kind() == "a minimum");
  BOOST_TEST(hessian_of("abs2(z^2+1)", {0}).kind() == "a saddle");
  BOOST_TEST(hessian_of("1 - abs2(z)", {0}).kind() == "a maximum");
  BOOST_TEST(hessian_of("abs2(z)^2", {0}).kind() == "degenerate");
  BOOST_TEST(hessian_of("abs2(z)", {1}).kind() == "not a critical point");
}

BOOST_AUTO_TEST_CASE(differences_decide_where_an_op_has_no_derivative) {
  // |w|² = abs(w)² is smooth at w = 0, but abs is not. The tape therefore gives 0 there, while differences give 2 I, or 2 |w'|² I
  // for w(z).
  for (const auto& [text, z, curvature] :
       std::vector<std::tuple<std::string, C, double>>{{"abs(z)^2", 0, 2}, {"abs(z^2+1)^2", C(0, 1), 8}, {"2 - abs(z)^2", 0, -2}}) {
    const LabHessian h = hessian_of(text, {z});
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(!h.failed());
      BOOST_TEST((h.verdict() == Verdict::Inconclusive));
      BOOST_TEST_REQUIRE(h.gaps.size() == 1U);
      BOOST_TEST(h.gaps[0].starts_with("the derivative of abs at 0 is a convention"));
      BOOST_TEST(std::abs(h.eigenvalues.front() - curvature) < 1e-9);
      BOOST_TEST(h.kind() == (curvature > 0 ? "a minimum" : "a maximum"));
      const std::string said = hessian_text(Expression(text), h, Style());
      BOOST_TEST(said.find("agree") == std::string::npos, said);
      BOOST_TEST(said.find("the tape is not judged") != std::string::npos, said);
    }
  }
  // A point without second derivatives has no kind: the tip of a cone, or a kink in the gradient.
  BOOST_TEST(hessian_of("abs(z)", {0}).kind() == "undecided");
  BOOST_TEST(hessian_of("re(z)*abs(z)", {0}).kind() == "undecided");
}

BOOST_AUTO_TEST_CASE(a_small_slope_is_a_slope) {
  BOOST_TEST(hessian_of("1e-12*z", {0}).kind() == "not a critical point");
  BOOST_TEST(hessian_of("1e-12*abs2(z)", {0}).kind() == "a minimum");
}

BOOST_AUTO_TEST_CASE(blocks_of_two_variables) {
  // L = |z w|² = z z̄ w w̄ has ∂²L/∂z∂w = z̄ w̄, ∂²L/∂z∂w̄ = z̄ w and ∂²L/∂z∂z̄ = |w|².
  const C z(1, 2), w(-0.5, 0.25);
  const LabHessian h = hessian_of("f(z, w) = abs2(z*w)", {z, w});
  BOOST_TEST(distance(h.zz[0][0], 0) < 1e-14);
  BOOST_TEST(distance(h.zz[0][1], std::conj(z * w)) < 1e-14);
  BOOST_TEST(distance(h.zzbar[0][1], std::conj(z) * w) < 1e-14);
  BOOST_TEST(distance(h.zzbar[1][0], std::conj(w) * z) < 1e-14);
  BOOST_TEST(distance(h.zzbar[0][0], std::norm(w)) < 1e-14);
  BOOST_TEST(!h.failed());
}

BOOST_AUTO_TEST_CASE(every_kind_of_function_agrees_with_differences) {
  for (const char* f : {"exp(z)", "log(z)", "sqrt(z)", "sin(z)*cos(z)", "tanh(z)", "abs(z)", "angle(z)", "abs2(z)*exp(i*angle(z))",
                        "z/conj(z)", "real(z)^3*imag(z)", "z^2.5", "1/(1+abs2(z))", "abs(z)^z"}) {
    const LabHessian h = hessian_of(f, {C(0.8, 0.6)});
    BOOST_TEST(!h.failed(), f);
    BOOST_TEST(std::abs(h.real[0][1] - h.real[1][0]) < 1e-12 * (1 + std::abs(h.real[0][1])), f);
    BOOST_TEST(h.error[0][0] < 1e-6, f);
  }
}

BOOST_AUTO_TEST_CASE(nan_is_never_judged) {
  const LabHessian good = hessian_of("f(z, w) = abs2(z) + 2*abs2(w)", {0, 0});
  BOOST_TEST(good.kind() == "a minimum");
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      for (auto part : {&LabHessian::real, &LabHessian::numerical, &LabHessian::error}) {
        LabHessian h = good;
        (h.*part)[row][column] = std::numeric_limits<double>::quiet_NaN();
        BOOST_TEST((h.verdict() == Verdict::Inconclusive), row << ", " << column);
        if (part != &LabHessian::numerical) BOOST_TEST((h.kind() == "undecided" || h.kind() == "not finite"), h.kind());
      }
}

BOOST_AUTO_TEST_CASE(text_and_json) {
  const Expression f("f(z) = abs2(z)");
  const LabHessian h = lab_hessian(f, {C(0, 0)});
  const std::string text = hessian_text(f, h, Style());
  BOOST_TEST(text.find("∂²L/∂z∂z = 0") != std::string::npos, text);
  BOOST_TEST(text.find("∂²L/∂z∂z̄ = 1") != std::string::npos, text);
  BOOST_TEST(text.find("eigenvalues  2  2\n  a minimum\n") != std::string::npos, text);
  BOOST_TEST(hessian_json(h)["kind"] == "a minimum");
}

BOOST_AUTO_TEST_SUITE_END()
