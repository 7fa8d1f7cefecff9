#include "train/checks/external_function.h"

#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/apps/program.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(external_function)

namespace {

using C = std::complex<double>;

/// The output of `argand gradcheck --external "sh SCRIPT"` for a shell script consisting of these lines.
Finished checked(const std::string& script, const std::string& options = "") {
  const TemporaryDirectory scratch;
  // run_argand splits arguments at spaces, so the command must not contain any.
  std::ofstream(scratch / "answers") << "#!/bin/sh\n" << script;
  chmod((scratch / "answers").c_str(), 0700);
  Finished done = run_argand(scratch, "gradcheck --external " + (scratch / "answers") + " " + options);
  for (std::string* text : {&done.out, &done.err})
    for (std::size_t at; (at = text->find(scratch / "answers")) != std::string::npos;)
      text->replace(at, (scratch / "answers").size(), "PROGRAM");
  return done;
}

const std::string energy = "exec python3 " ARGAND_SOURCE_DIR "/docs/programs/external_energy.py ";

constexpr const char* description = "read q; echo '{\"inputs\": [{\"values\": [1, 2]}]}'\n";

}  // namespace

BOOST_AUTO_TEST_CASE(a_function_in_another_program_is_judged) {
  const Finished right = checked(energy);
  BOOST_TEST(right.code == 0);
  BOOST_TEST(right.out.starts_with("energy: pass\n"));
  const Finished wrong = checked(energy + "wrong");
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(wrong.out.starts_with("energy: FAIL, conjugated: this is the convention of JAX\n"));
  BOOST_TEST(wrong.out.find("worst: z[1]: gradient 5+10i, numerical 5-10i ± ") != std::string::npos);
  BOOST_TEST(checked(energy, "--verbose").out.find("  2 elements  ") != std::string::npos);
  BOOST_TEST(checked(energy + "wrong", "--json").out.find("\"verdict\": \"fail\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_program_that_dies_hangs_or_talks_nonsense_gets_one_line) {
  const auto told = [](const std::string& script, const std::string& options = "") {
    const Finished done = checked(script, options);
    BOOST_TEST(done.code == 1);
    BOOST_TEST(done.out.empty());
    return done.err;
  };
  BOOST_TEST(told("exit 3") == "argand: gradcheck: \"PROGRAM\" exited with status 3 without answering\n");
  // The shell that starts the program may report the signal as well.
  BOOST_TEST(told("kill -9 $$").ends_with("argand: gradcheck: \"PROGRAM\" was terminated by signal 9 (Killed)\n"));
  BOOST_TEST(told("sleep 60", "--timeout 0.1") == "argand: gradcheck: \"PROGRAM\" did not answer within 0.1 s\n");
  BOOST_TEST(told("echo hello") ==
             "argand: gradcheck: \"PROGRAM\" answered \"function\" with text that is not a JSON object: \"hello\"\n");
  BOOST_TEST(told("echo '{}'") == "argand: gradcheck: \"PROGRAM\" answered \"function\" without \"inputs\": \"{}\"\n");
  BOOST_TEST(told(std::string(description) + "read q; echo '{\"error\": \"no licence\"}'") ==
             "argand: gradcheck: \"PROGRAM\" refuses \"value\": \"no licence\"\n");
  BOOST_TEST(told(std::string(description) + "read q; echo '{\"value\": null}'") ==
             "argand: gradcheck: the value of \"PROGRAM\" is not finite at this point\n");
  BOOST_TEST(told(std::string(description) +
                  "read q; echo '{\"value\": 1}'; read q; echo '{\"value\": 1}'; read q; echo '{\"gradient\": [[1]]}'") ==
             "argand: gradcheck: the gradient for input 0 of \"PROGRAM\" has 1 numbers, expected 2\n");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_running_after_success_or_a_signal) {
  const TemporaryDirectory scratch;
  const auto script = [&](const std::string& rest) {
    std::ofstream(scratch / "answers") << "#!/bin/sh\nsleep 300 <&- >&- & echo $! > " << scratch / "child"
                                       << "\n"
                                       << rest;
    chmod((scratch / "answers").c_str(), 0700);
  };
  const auto gone = [&] {
    const pid_t child = std::stoi(contents_of(scratch / "child"));
    for (int k = 0; k < 100 && ::kill(child, 0) == 0; ++k) {
      const std::string state = contents_of(fmt::format("/proc/{}/stat", child));
      if (state.find(") Z ") != state.npos) break;  // it has ended, and process 1 has not reaped it yet
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const std::string state = ::kill(child, 0) == 0 ? contents_of(fmt::format("/proc/{}/stat", child)) : ") Z ";
    return state.find(") Z ") != state.npos;
  };
  script(energy);
  BOOST_TEST(run_argand(scratch, "gradcheck --external " + (scratch / "answers")).code == 0);
  BOOST_TEST(gone());
  script("read q; exit 3");
  BOOST_TEST(run_argand(scratch, "gradcheck --external " + (scratch / "answers")).code == 1);
  BOOST_TEST(gone());
  script("read q; exec sleep 300");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(scratch / "child");
    Program program(scratch, "gradcheck --external " + (scratch / "answers"));
    for (int k = 0; k < 500 && !(std::filesystem::exists(scratch / "child") && contents_of(scratch / "child").ends_with("\n")); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.signal(signal);
    BOOST_TEST(program.wait() == 1000 + signal);
    BOOST_TEST(gone());
  }
}

BOOST_AUTO_TEST_CASE(incompatible_options_are_refused) {
  BOOST_TEST(checked("exit 0", "exp").err ==
             "argand: gradcheck: --external checks a program's function and takes no name, got exp\n");
  BOOST_TEST(checked("exit 0", "--timeout 0").err == "argand: gradcheck: --timeout must be positive, got 0\n");
}

BOOST_AUTO_TEST_CASE(answers_are_read_and_checked) {
  const auto described = [](const std::string& line) { return error_of([&] { read_description("P", line); }); };
  BOOST_TEST(described("{\"inputs\": []}") == "gradcheck: \"inputs\" of P is not a list of inputs");
  BOOST_TEST(described("{\"inputs\": [3]}") == "gradcheck: input 0 of P is not an object with \"values\"");
  BOOST_TEST(described("{\"inputs\": [{\"values\": [\"a\"]}]}") ==
             "gradcheck: input \"x0\" of P contains \"\"a\"\", which is not a number");
  BOOST_TEST(described("{\"inputs\": [{\"values\": [1, 2, 3], \"complex\": true}]}") ==
             "gradcheck: input \"x0\" of P is complex, but has 3 numbers; each element needs a real and an imaginary part");
  BOOST_TEST(described("{\"inputs\": [{\"values\": [1, 2], \"shape\": [3]}]}") ==
             "gradcheck: input \"x0\" of P has 2 numbers, but the shape [3]");
  BOOST_TEST(described("{\"inputs\": [{\"values\": [1]}], \"convention\": \"numpy\"}") ==
             "gradcheck: P has an unknown convention \"numpy\"; use torch, tensorflow or jax");
  const ExternalDescription good = read_description(
      "P", "{\"inputs\": [{\"name\": \"z\", \"complex\": true, \"values\": [1, 2, 3, 4]}], \"convention\": \"jax\"}");
  BOOST_TEST(good.name == "P");
  BOOST_TEST((good.convention == Convention::Plain));
  BOOST_TEST((std::get<Tensor<C>>(good.inputs[0].point)(1) == C(3, 4)));
  BOOST_TEST(std::get<Tensor<double>>(read_value("P", "{\"value\": 2.5}")).shape() == Shape());
  BOOST_TEST(std::isnan(std::get<Tensor<double>>(read_value("P", "{\"value\": [null, 1]}"))(0)));
  BOOST_CHECK_THROW(read_value("P", "{\"error\": \"why\"}"), ExternalRefusal);
}

BOOST_AUTO_TEST_SUITE_END()
