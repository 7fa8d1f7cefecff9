/// Ways in which people write command lines, beyond plain options.

#include "tests/apps/program.h"
#include "train/checkpoints/checkpoint.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(an_expression_may_begin_with_a_minus) {
  const TemporaryDirectory scratch;
  for (const char* arguments :
       {"lab -z^2", "lab -z^2 --at -i", "lab -(z+1) --at 2", "lab -2*z", "lab -.5*z --tape", "graph -z^2", "--verbose lab -z^2"}) {
    const Finished done = run_argand(scratch, arguments);
    BOOST_TEST(done.code == 0, arguments << ": " << done.err);
  }
  BOOST_TEST(run_argand(scratch, "lab -z^2 --at 3").out.starts_with("f(z) = -z^2\n"));
  BOOST_TEST(run_argand(scratch, "lab z --at -i").out == run_argand(scratch, "lab z --at=-i").out);
  BOOST_TEST(run_argand(scratch, "lab -h").out.find("Examples:") != std::string::npos);
  BOOST_TEST(run_argand(scratch, "lab --z^2").code == 2);
  BOOST_TEST(run_argand(scratch, "eval -z").err == "argand: eval: \"-z\" is not expected here (see --help)\n");
}

BOOST_AUTO_TEST_CASE(a_flag_of_a_model_needs_no_value) {
  const TemporaryDirectory scratch;
  const auto qk_norm = [&](const std::string& given) {
    const std::string run = scratch / "run";
    const Finished done = run_argand(scratch, "train lm --overwrite --family transformer --steps 1 --warmup 0 " + given +
                                                  " --out " + run + tiny.substr(0, tiny.find("--warmup")) + "--threads 1");
    BOOST_TEST_REQUIRE(done.code == 0, done.err);
    return SafetensorsFile::open(run + "/last.safetensors").contains("blocks.0.attn.q_norm.weight");
  };
  BOOST_TEST(!qk_norm(""));
  BOOST_TEST(qk_norm("--qk-norm"));
  BOOST_TEST(qk_norm("--qk-norm true"));
  BOOST_TEST(!qk_norm("--qk-norm false"));
  BOOST_TEST(run_argand(scratch, "train lm --qk-norm perhaps --out " + scratch / "run").code == 2);
}

BOOST_AUTO_TEST_CASE(every_command_that_computes_has_a_threads_option) {
  const TemporaryDirectory scratch;
  for (const char* command : {"demo", "train lm", "train classify", "sweep lm", "eval", "generate", "classify", "ablate", "report",
                              "audit retrieval", "retrieval", "explain", "portrait", "graph", "gradcheck", "parity"}) {
    BOOST_TEST(run_argand(scratch, std::string(command) + " --help").out.find("--threads INT") != std::string::npos, command);
    const Finished none = run_argand(scratch, std::string(command) + " --threads 0");
    BOOST_TEST(none.code == 2, command);
    BOOST_TEST(none.err.find("--threads: ") != std::string::npos, none.err);
  }
  BOOST_TEST(run_argand(scratch, "gradcheck exp --threads 2").code == 0);
}

BOOST_AUTO_TEST_CASE(ablate_checks_its_keys_before_it_runs_anything) {
  const TemporaryDirectory scratch;
  const auto error = [&](const std::string& set) {
    const Finished done = run_argand(scratch, "ablate complexformer --quick --out " + scratch / "out" + " --set " + set);
    BOOST_TEST(done.code == 2);
    BOOST_TEST(done.out == "");
    return done.err;
  };
  BOOST_TEST(error("d_modl=8") == "argand: --d-modl: unknown key; did you mean d_model?\n");
  BOOST_TEST(error("d_model=10,n_heads=4") == "argand: config: n_heads 4 does not divide d_model 10\n");
  BOOST_TEST(error("lr=fast") == "argand: --lr: \"fast\" is not a number\n");
  BOOST_TEST(!std::filesystem::exists(scratch / "out"));
}

BOOST_AUTO_TEST_SUITE_END()
