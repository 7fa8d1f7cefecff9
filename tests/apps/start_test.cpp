/// Programs use OpenBLAS's fast kernels on this machine, and restart themselves at most once.
/// START_PROBE is the path of start_probe.cpp's program, ARGAND_PROGRAM that of argand.

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/machine/openblas_kernels.h"
#include "data/knowledge/hnsw_index.h"
#include "data/tokens/piece_tokens.h"
#include "tests/data/temporary_directory.h"

BOOST_AUTO_TEST_SUITE(start)

namespace {

/// The output of a shell command, standard error included.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  BOOST_REQUIRE_EQUAL(pclose(pipe), 0);
  return text;
}

/// The rest of the first line that starts with `name`.
std::string value(const std::string& text, const std::string& name) {
  const auto at = ("\n" + text).find("\n" + name + " ");
  if (at == std::string::npos) return "no line";
  const auto from = at + name.size() + 1;
  return text.substr(from, text.find('\n', from) - from);
}

long count(const std::string& text, const std::string& word) {
  long n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

const std::string clean = "env -u OPENBLAS_CORETYPE -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT START_PROBE_KEPT='a b' " START_PROBE;

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_runs_the_fast_kernels) {
  const std::string text = output_of(clean + " fast");
  BOOST_TEST_INFO(text);
  BOOST_TEST(value(text, "wanted") == "");
  BOOST_TEST(count(text, "start ") <= 2);
}

BOOST_AUTO_TEST_CASE(kernels_are_no_reason_to_restart) {
  if (!argand::blas_kernels().shares_threads) return;  // the pthread flavour starts its threads first
  const std::string text = output_of("env -u OPENBLAS_CORETYPE OMP_WAIT_POLICY=passive " START_PROBE " fast");
  BOOST_TEST_INFO(text);
  BOOST_TEST(value(text, "wanted") == "");
  BOOST_TEST(value(text, "coretype") == "unset");
  BOOST_TEST(count(text, "start ") == 1);
}

BOOST_AUTO_TEST_CASE(a_program_restarts_through_its_launcher) {
  const TemporaryDirectory dir;
  const std::string launcher = dir.file("launcher", "#!/bin/sh\necho launched\nARGAND_LAUNCHER=$0 exec " START_PROBE " \"$@\"\n");
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  const std::string text = output_of("env -u OPENBLAS_CORETYPE -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT " + launcher + " fast");
  BOOST_TEST_INFO(text);
  BOOST_TEST(count(text, "launched") == 2);  // GOMP_SPINCOUNT is a reason to restart on every machine
  BOOST_TEST(value(text, "spin") == "5000");
}

BOOST_AUTO_TEST_CASE(help_does_not_restart) {
  const std::string text = output_of(clean + " fast --help");
  BOOST_TEST(count(text, "start ") == 1);
  BOOST_TEST(value(text, "spin") == "unset");
}

BOOST_AUTO_TEST_CASE(argand_runs_the_fast_kernels) {
  const std::string text = output_of("env -u OPENBLAS_CORETYPE " ARGAND_PROGRAM " --version");
  BOOST_TEST_INFO(text);
  const std::string before = "OpenBLAS with ", after = " kernels";
  const auto from = text.find(before) + before.size(), to = text.find(after);
  BOOST_REQUIRE(from < to && to != std::string::npos);
  BOOST_TEST(argand::fast_kernels_for(text.substr(from, to - from), argand::cpu_features()) == "");
}

BOOST_AUTO_TEST_CASE(the_version_lists_optional_parts_on_request) {
  const std::string brief = output_of(ARGAND_PROGRAM " --version"), verbose = output_of(ARGAND_PROGRAM " --version --verbose");
  BOOST_TEST(verbose.starts_with(brief.substr(0, brief.find('\n'))));
  BOOST_TEST(std::count(brief.begin(), brief.end(), '\n') == 1);
  for (const char* part : {"OpenMP", "OpenBLAS", "SentencePiece", "hnswlib", "MPI"})
    BOOST_TEST(verbose.find(fmt::format("\n{:<14} ", part)) != std::string::npos, part);
  BOOST_TEST(verbose.find(fmt::format("\nSentencePiece  {}\n", argand::have_sentencepiece() ? "included" : "not included")) !=
             std::string::npos);
  BOOST_TEST(verbose.find(fmt::format("\nhnswlib        {}\n", argand::have_hnsw() ? "included" : "not included")) !=
             std::string::npos);
}

// SSE kernels run at less than half the speed of those for AVX2 or AVX-512: factors of 2.7 on AMD's Zen 4 and of 5 on recent
// Intel cores were measured. The test requires less, because speeds vary on a busy machine, and takes the better of two runs of
// each.
BOOST_AUTO_TEST_CASE(openblas_multiplies_much_faster_than_with_sse_kernels) {
  if (!argand::cpu_features().avx2) return;
  double fast = 0, slow = 0;
  for (int i = 0; i < 2; ++i) {
    fast = std::max(fast, std::stod(value(output_of(clean + " fast"), "speed")));
    slow = std::max(slow, std::stod(value(output_of("OPENBLAS_CORETYPE=Prescott " START_PROBE " fast"), "speed")));
  }
  BOOST_TEST_MESSAGE("fast " << fast << ", SSE " << slow << " GFlop/s");
  BOOST_TEST(fast > 1.7 * slow);
}

BOOST_AUTO_TEST_CASE(the_restart_happens_once_and_keeps_arguments_and_environment) {
  const std::string text = output_of(clean + " Nehalem 'two words' '' last");
  BOOST_TEST_INFO(text);
  BOOST_TEST(count(text, "start ") == 2);
  BOOST_TEST(value(text, "running") == "Nehalem");
  BOOST_TEST(value(text, "coretype") == "Nehalem");
  BOOST_TEST(value(text, "kept") == "a b");
  BOOST_TEST(text.find("argument Nehalem\nargument two words\nargument \nargument last\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(kernels_that_openblas_lacks_do_not_loop) {
  const std::string text = output_of(clean + " NoSuchCore");
  BOOST_TEST_INFO(text);
  BOOST_TEST(count(text, "start ") == 2);
  BOOST_TEST(value(text, "coretype") == "NoSuchCore");
}

BOOST_AUTO_TEST_CASE(the_users_choice_is_respected_in_silence) {
  const std::string text = output_of("OPENBLAS_CORETYPE=Prescott OMP_WAIT_POLICY=active " START_PROBE " fast");
  BOOST_TEST_INFO(text);
  BOOST_TEST(count(text, "start ") == 1);
  BOOST_TEST(value(text, "spin") == "unset");
  BOOST_TEST(value(text, "running") == "Prescott");
  BOOST_TEST(count(text, "argand:") == 0);
}

BOOST_AUTO_TEST_CASE(threads_that_wait_spin_briefly_unless_the_user_has_chosen) {
  const std::string text = output_of("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OPENBLAS_CORETYPE=Prescott " START_PROBE " fast");
  BOOST_TEST_INFO(text);
  BOOST_TEST(count(text, "start ") == 2);
  BOOST_TEST(value(text, "spin") == "5000");
  BOOST_TEST(value(output_of("env -u OMP_WAIT_POLICY GOMP_SPINCOUNT=7 " START_PROBE " fast"), "spin") == "7");
}

// Other threads may be multiplying; then slow kernels are only reported.
BOOST_AUTO_TEST_CASE(kernels_change_only_without_other_threads) {
  if (!argand::cpu_features().avx2 || !argand::blas_kernels().shares_threads) return;
  const std::string text = output_of(clean + " slow");
  BOOST_TEST_INFO(text);
  if (value(text, "able") == "false") return;
  BOOST_TEST(value(text, "beside another thread") == "false");
  BOOST_TEST(count(text, "argand: OpenBLAS runs its Prescott kernels") == 1);
  BOOST_TEST(value(text, "alone") == "true");
  BOOST_TEST(value(text, "wanted") == "");
  BOOST_TEST(value(text, "coretype") == "unset");
}

BOOST_AUTO_TEST_SUITE_END()
