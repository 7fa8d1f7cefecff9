#include "apps/terminal/terminal.h"

#include "apps/terminal/progress.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(terminal)

BOOST_AUTO_TEST_CASE(numbers_with_units) {
  BOOST_TEST(with_unit(0) == "0");
  BOOST_TEST(with_unit(999) == "999");
  BOOST_TEST(with_unit(1234) == "1.23 k");
  BOOST_TEST(with_unit(12345) == "12.3 k");
  BOOST_TEST(with_unit(421632) == "422 k");
  BOOST_TEST(with_unit(999999) == "1.00 M");
  BOOST_TEST(with_unit(2.5e9) == "2.50 G");
}

BOOST_AUTO_TEST_CASE(times) {
  BOOST_TEST(clock_time(0.4) == "0:00");
  BOOST_TEST(clock_time(59.6) == "1:00");
  BOOST_TEST(clock_time(3723) == "1:02:03");
  BOOST_TEST(clock_time(-1) == "0:00");
}

BOOST_AUTO_TEST_CASE(a_file_gets_plain_lines_without_control_characters) {
  const TemporaryDirectory scratch;
  std::FILE* file = std::fopen((scratch / "out").c_str(), "w");
  BOOST_TEST(!is_terminal(file));
  BOOST_TEST(style_for(file).red("text") == "text");
  {
    Progress progress({"one", "three"}, 4, 2, file);
    for (int step = 1; step <= 3; ++step) progress.update(0, step, 2.0, 100, 0.5);
    progress.note("a note");
    progress.update(1, 4, 0.0, 100, 0.1);
  }
  std::fclose(file);
  BOOST_TEST(contents_of(scratch / "out") ==
             "one    2/4  loss 2.000  ppl 7.4  200 tokens/s  0:01 left\n"
             "a note\n"
             "three  4/4  loss 0.000  ppl 1.0  1.00 k tokens/s  0:01 left\n");
}

BOOST_AUTO_TEST_SUITE_END()
