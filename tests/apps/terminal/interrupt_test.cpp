/// What a program that saves after the first signal does on a second one.

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(interrupt)

BOOST_AUTO_TEST_CASE(a_second_signal_ends_at_once) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  // The validation after the first step would take many minutes: only a second signal can end it.
  Program program(scratch,
                  "train lm --n-layers 4 --d-model 256 --d-ff 1024 --length 128 --batch 1 --steps 50 --eval-every 1 --warmup 1 "
                  "--threads 1 --out " +
                      run);
  BOOST_TEST_REQUIRE(reaches_step(program, run, 1));
  program.signal(SIGINT);
  const auto answered = [&] { return program.err().find("press Ctrl-C again to quit at once") != std::string::npos; };
  for (int i = 0; i < 400 && !answered(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(answered());
  BOOST_TEST(program.running());
  program.signal(SIGINT);
  BOOST_TEST(program.wait() == 1000 + SIGINT);
  BOOST_TEST(run_argand(scratch, "inspect " + run).code == 0);  // the file written before is complete
}

BOOST_AUTO_TEST_SUITE_END()
