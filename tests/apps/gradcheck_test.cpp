/// argand gradcheck: every layer and model, and the program's table, JSON and exit codes.

#include <sys/wait.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/check/adjoint.h"
#include "autograd/check/planted_fault.h"
#include "core/parallel.h"
#include "nn/config.h"
#include "tests/sanitized.h"
#include "train/checks/gradcheck_subjects.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradcheck_program)

namespace {

struct Output {
  std::string text;
  int code = -1;
};

/// Runs the program; returns standard output and error together.
Output run(const std::string& arguments) {
  Output output;
  std::FILE* pipe = popen((std::string(ARGAND_PROGRAM) + " gradcheck " + arguments + " 2>&1").c_str(), "r");
  BOOST_TEST_REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.text.append(buffer, n);
  output.code = WEXITSTATUS(pclose(pipe));
  return output;
}

/// All subjects. Sanitizers make them twenty times slower, so only every n-th `variant` is included under a sanitizer: finite
/// differences run the same code thousands of times anyway.
template <class Variant>
std::vector<GradcheckSubject> some_of(std::vector<GradcheckSubject> subjects, [[maybe_unused]] std::size_t n,
                                      [[maybe_unused]] const Variant& variant) {
#ifdef ARGAND_SANITIZED
  std::size_t seen = 0;
  std::erase_if(subjects, [&](const GradcheckSubject& s) { return variant(s) && seen++ % n != 0; });
#endif
  return subjects;
}

void check_all(const std::vector<GradcheckSubject>& subjects) {
  const int threads = num_threads();
  set_num_threads(1);
  for (const GradcheckSubject& subject : subjects) {
    const Report report = subject.check({});
    BOOST_TEST_CONTEXT(subject.name) {
      BOOST_TEST(report.ok(), report_text(report));
      BOOST_TEST(report.count(Verdict::Pass) > 0);
      BOOST_TEST(report.count(Verdict::Pass) == report.compared(RowKind::Gradient));
      BOOST_TEST(report.worst_error() < 1e-8);
      BOOST_TEST(report.worst_error(RowKind::Adjoint) < adjoint_bar);
    }
  }
  set_num_threads(threads);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_layer_passes) {
  check_all(some_of(layer_subjects(), 4, [](const auto&) { return true; }));
}

BOOST_AUTO_TEST_CASE(every_model_passes) {
  check_all(some_of(model_subjects(), 12, [](const GradcheckSubject& s) { return s.name.find('=') != std::string::npos; }));
}

BOOST_AUTO_TEST_CASE(every_family_is_checked_for_both_tasks_and_in_its_variants) {
  std::set<std::string> names;
  for (const GradcheckSubject& s : model_subjects()) names.insert(s.name);
  ModelConfig().visit([&](const std::string& key, auto&, const std::string& choices, const std::string&) {
    if (key != "family") return;
    for (std::size_t begin = 0; begin < choices.size();) {
      const std::size_t end = std::min(choices.find('|', begin), choices.size());
      for (const char* task : {" lm", " classify"}) BOOST_TEST(names.count(choices.substr(begin, end - begin) + task) == 1U);
      begin = end + 1;
    }
  });
  for (const char* name : {"complexformer lm adaptation=fixed", "complexformer lm pcl_weight=0.5", "crope lm mode=half_all",
                           "transformer lm position=rope", "transformer lm qk_norm=true"})
    BOOST_TEST(names.count(name) == 1U, name);
}

BOOST_AUTO_TEST_CASE(a_wrong_op_shows_in_layers_and_models) {
  // Conjugating rotary's gradient rotates the gradients of all queries and keys in the wrong direction.
  const PlantedFault planted("rotary", Fault::Conjugate);
  GradcheckOptions options;
  options.blame_ops = false;
  for (const GradcheckSubject& s : model_subjects())
    if (s.name == "crope lm") {
      const Report report = s.check(options);
      const std::string text = report_text(report);
      BOOST_TEST(!report.ok());
      BOOST_TEST(report.count(Verdict::Fail) > 0);
      BOOST_TEST(text.starts_with("crope lm: FAIL, "), text);
      BOOST_TEST(std::any_of(report.rows.begin(), report.rows.end(), [](const ReportRow& row) {
        return row.name == "blocks.0.attn.q.weight" && row.verdict == Verdict::Fail;
      }));
      BOOST_TEST(report.worst_error(RowKind::Adjoint) > 1e-3);
      BOOST_TEST(report.rows.back().diagnosis.starts_with("the tangent and the gradient are not adjoint: they differ by "));
    }
}

BOOST_AUTO_TEST_CASE(the_table_and_its_exit_code) {
  const Output good = run("exp sqrt");
  BOOST_TEST(good.code == 0);
  BOOST_TEST(good.text.find("exp    holomorphic ") != std::string::npos, good.text);
  BOOST_TEST(good.text.find("2 ops, 48 elements, worst relative error ") != std::string::npos, good.text);
  BOOST_TEST(good.text.find(" worst error   adjoint ") != std::string::npos, good.text);
  BOOST_TEST(good.text.ends_with("): all pass\n"), good.text);

  const Output impossible = run("exp --tolerance 1e-18");
  BOOST_TEST(impossible.code == 1);
  BOOST_TEST(impossible.text.find("inconclusive") != std::string::npos, impossible.text);
  BOOST_TEST(impossible.text.find("1 did not pass") != std::string::npos, impossible.text);
}

BOOST_AUTO_TEST_CASE(verbose_shows_the_report_with_each_element) {
  const Output output = run("exp --verbose");
  BOOST_TEST(output.text.find("\nexp: pass\n") != std::string::npos, output.text);
  BOOST_TEST(output.text.find("\n  complex: input 0, element [2, 3]: gradient ") != std::string::npos, output.text);
  BOOST_TEST(output.text.find("\n  use: float32 ") != std::string::npos, output.text);
}

BOOST_AUTO_TEST_CASE(the_jacobian_has_a_row_for_each_output) {
  const nlohmann::json report = nlohmann::json::parse(run("exp --jacobian --json").text);
  BOOST_TEST(report["ok"].get<bool>());
  BOOST_TEST(report["checks"].size() == 1U);
  BOOST_TEST(report["checks"][0]["elements"].get<int>() == 12 * 12 + 12 * 24);
  BOOST_TEST(report["checks"][0]["pass"] == report["checks"][0]["elements"]);
}

BOOST_AUTO_TEST_CASE(lists_and_mistakes) {
  const Output nothing = run("--external \"\"");  // for example from an unset shell variable; does not request a check of our ops
  BOOST_TEST(nothing.code == 2);
  BOOST_TEST(nothing.text == "argand: gradcheck: --external requires a command, got an empty one\n");
  const Output list = run("--list");
  BOOST_TEST(list.code == 0);
  BOOST_TEST(list.text.find("op     matmul\n") != std::string::npos);
  BOOST_TEST(list.text.find("layer  Linear, complex\n") != std::string::npos);
  BOOST_TEST(list.text.find("model  crope lm\n") != std::string::npos);
  const Output unknown = run("frobnicate");
  BOOST_TEST(unknown.code == 2);
  BOOST_TEST(unknown.text == "argand: gradcheck: unknown name frobnicate; --list shows all names\n");
  BOOST_TEST(run("--tolerance 0").code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
