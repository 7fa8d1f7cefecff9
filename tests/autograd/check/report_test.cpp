/// Reports of checks: the verdict follows from the rows and the independent checks, nothing passes without a finite error bar,
/// and a report can be shown as text and as HTML.

#include "autograd/check/report.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

using namespace argand;

BOOST_AUTO_TEST_SUITE(report)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ReportRow row_with(Verdict verdict, double bar = 1e-8) {
  ReportRow row = ReportRow::of("x", Tensor<double>({3}, {1.0, 2.0, 3.0}));
  row.compared = 2;
  row.unit = "direction";
  row.worst_error = 1e-12;
  row.verdict = Judged(verdict, bar);
  return row;
}

Report report_of(std::vector<ReportRow> rows) {
  Report report{.name = "f"};
  report.rows = std::move(rows);
  return report;
}

ElementCheck element(std::int64_t place, double gradient, double numerical, Verdict verdict) {
  ElementCheck e{.element = place, .verdict = Judged(verdict, 1e-8)};
  e.values.analytic = gradient;
  e.values.numerical = numerical;
  e.values.error = 1e-12;
  e.relative_error = std::abs(gradient - numerical);
  return e;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_passes_without_a_finite_bar) {
  BOOST_TEST((Judged(Verdict::Pass, 1e-8) == Verdict::Pass));
  for (const double bar : {infinity, -infinity, std::nan("")}) {
    BOOST_TEST((Judged(Verdict::Pass, bar) == Verdict::Inconclusive));
    BOOST_TEST((Judged(Verdict::Fail, bar).as(Verdict::Pass) == Verdict::Inconclusive));
    BOOST_TEST(!report_of({row_with(Verdict::Pass, bar)}).ok());
  }
  BOOST_TEST((Judged() == Verdict::Inconclusive));
  // An infinite rounding error would make any two numbers "equal".
  Comparison c;
  c.analytic = 1, c.numerical = 2, c.varies = true, c.rounding = infinity;
  BOOST_TEST((judge(c, infinity, 1e-8) == Verdict::Inconclusive));
}

BOOST_AUTO_TEST_CASE(the_worst_row_decides_and_comparing_nothing_is_not_a_pass) {
  BOOST_TEST(report_of({row_with(Verdict::Pass)}).ok());
  BOOST_TEST(
      (report_of({row_with(Verdict::Pass), row_with(Verdict::Fail), row_with(Verdict::Inconclusive)}).verdict() == Verdict::Fail));
  for (const Verdict v : {Verdict::Kink, Verdict::BranchCut, Verdict::Inconclusive})
    BOOST_TEST((report_of({row_with(Verdict::Pass), row_with(v)}).verdict() == Verdict::Inconclusive));
  BOOST_TEST((report_of({}).verdict() == Verdict::Inconclusive));
  BOOST_TEST(report_of({}).headline() == "f: inconclusive, no element to check");
  // A kink is harmless among elements that pass, provided the gradient lies between the two slopes and no element was left out.
  ReportRow kinks = row_with(Verdict::Kink);
  kinks.shape = {2};
  kinks.elements = {ElementCheck{.element = 0, .verdict = {Verdict::Pass, 1e-8}},
                    ElementCheck{.element = 1, .verdict = {Verdict::Kink, 1e-8}, .between_slopes = true}};
  BOOST_TEST(report_of({row_with(Verdict::Pass), kinks}).headline() == "f: pass, except for 1 element at a kink");
  ReportRow unknown = kinks, partial = kinks, nothing_else = kinks;
  unknown.elements[1].between_slopes = false;
  partial.shape = {3};
  nothing_else.shape = {1};
  nothing_else.elements = {kinks.elements[1]};
  nothing_else.elements[0].element = 0;
  for (const ReportRow& row : {unknown, partial, nothing_else})
    BOOST_TEST((report_of({row_with(Verdict::Pass), row}).verdict() == Verdict::Inconclusive));
  ReportRow empty = row_with(Verdict::Fail);
  empty.compared = 0;
  BOOST_TEST(report_of({row_with(Verdict::Pass), empty}).ok());
  BOOST_TEST(!report_of({empty}).ok());
}

BOOST_AUTO_TEST_CASE(an_independent_check_can_revoke_a_pass) {
  Report report = report_of({row_with(Verdict::Pass)});
  report.independent = {{"taylor", Opinion::Silent, "noise"}};
  BOOST_TEST(report.ok());
  report.independent = {{"adjoint", Opinion::Disagrees, "relative error 1e-03"}};
  BOOST_TEST((report.verdict() == Verdict::Inconclusive));
  BOOST_TEST(report.diagnosis() == "the independent checks contradict each other");
  report.independent[0].decides = true;
  BOOST_TEST((report.verdict() == Verdict::Fail));
  BOOST_TEST(report.headline() == "f: FAIL, relative error 1e-03");
}

BOOST_AUTO_TEST_CASE(a_row_of_elements_has_the_error_of_its_worst) {
  ReportRow row = ReportRow::of("w", Tensor<double>({2, 2}, {1.0, 2.0, 3.0, 4.0}));
  row.elements = {element(0, 1, 1, Verdict::Pass), element(3, 4, 2, Verdict::Fail)};
  row.conclude();
  BOOST_TEST((row.verdict == Verdict::Fail));
  BOOST_TEST(row.worst_error == 2);
  BOOST_TEST(row.compared == 2);
  const Report report = report_of({row});
  BOOST_TEST(report.count(Verdict::Pass) == 1);
  BOOST_TEST_REQUIRE((report.worst() != nullptr));
  BOOST_TEST(report.element_name(*report.worst()) == "w[1, 1]");
  BOOST_TEST(report_text(report) ==
             "f: FAIL\n"
             "  input  shape          checked          worst error      bar  verdict\n"
             "  w      float64[2, 2]  2 of 4 elements      2.0e+00  2.5e-09  1 pass, 1 fail\n"
             "  worst: w[1, 1]: gradient 4, numerical 2 ± 1e-12\n");
}

BOOST_AUTO_TEST_CASE(nan_has_no_sign_and_no_small_error) {
  ReportRow row = ReportRow::of("x", Tensor<double>::scalar(1));
  row.elements = {element(0, -std::nan(""), 2, Verdict::Fail)};
  row.conclude();
  const Report report = report_of({row});
  BOOST_TEST(std::isinf(report.worst_error()));
  BOOST_TEST(report_text(report).find("worst: x: gradient nan, numerical 2 ") != std::string::npos, report_text(report));
  BOOST_TEST(differences_check(report).str() == "differences (the gradient is not finite)");
}

BOOST_AUTO_TEST_CASE(a_part_keeps_its_name) {
  Report whole{.name = "op"};
  Report part = report_of({row_with(Verdict::Pass)});
  part.independent = {{"adjoint", Opinion::Agrees, "relative error 1e-16"}};
  part.notes = {"checked in double precision"};
  whole.add(part, "real");
  whole.add(part, "complex");
  BOOST_TEST(whole.rows[1].name == "complex: x");
  const std::string text = report_text(whole);
  BOOST_TEST(text.find("\n  real: for it: adjoint (relative error 1e-16)\n  complex: for it: adjoint") != std::string::npos, text);
  BOOST_TEST(text.find("\n  complex: checked in double precision\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(html_holds_the_same_and_escapes_it) {
  Report report = report_of({row_with(Verdict::Pass)});
  report.name = "<lambda>";
  report.notes = {"a & b"};
  BOOST_TEST(report_html(report) ==
             "<div><b style=\"color: #207227\">&lt;lambda&gt;: pass</b><table><tr><th>input</th><th>shape</th><th>checked</th>"
             "<th>worst error</th><th>bar</th><th>verdict</th></tr><tr><td>x</td><td>float64[3]</td><td>2 directions</td>"
             "<td>1.0e-12</td><td>1.0e-08</td><td>pass</td></tr></table><div>a &amp; b</div></div>");
}

BOOST_AUTO_TEST_CASE(a_terminal_sees_the_verdict_in_colour) {
  BOOST_TEST(report_text(report_of({row_with(Verdict::Pass)}), {.coloured = true}).starts_with("f: \x1b[32mpass\x1b[0m\n"));
  BOOST_TEST(report_text(report_of({row_with(Verdict::Fail)}), {.coloured = true}).starts_with("f: \x1b[31mFAIL\x1b[0m\n"));
}

BOOST_AUTO_TEST_SUITE_END()
