#include "train/evaluation/latency.h"

#include <boost/test/unit_test.hpp>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(latency)

BOOST_AUTO_TEST_CASE(a_text_is_timed_from_its_prompt_to_the_end_of_the_window) {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.vocab_size = 7, config.max_seq_len = 10, config.d_model = 8, config.n_heads = 2, config.d_ff = 8;
  const auto model = make_model<float>(config, 1);
  const Ids part(Shape{3}, {1, 2, 3});
  const Latency found = measure_latency<float>(*model, part);
  BOOST_TEST(found.prompt_length == 2);
  BOOST_TEST(found.tokens == 8);
  BOOST_TEST(found.texts == 5);
  BOOST_TEST(found.to_first_token > 0);
  BOOST_TEST(found.fastest > 0);
  BOOST_TEST(found.fastest <= found.per_token);
  BOOST_TEST(found.per_token <= found.slowest);
  BOOST_TEST(found.parameter_bytes == 4.0 * static_cast<double>(count_parameters(model->parameters())));
  BOOST_TEST(found.to_read_parameters > 0);
  BOOST_TEST(error_of([&] { measure_latency<float>(*model, Ids(Shape{1}, {1})); }) ==
             "eval: the part has 1 tokens, fewer than a prompt of 2 plus the 0 after it");
  config.max_seq_len = 3;
  BOOST_TEST(error_of([&] { measure_latency<float>(*make_model<float>(config, 1), part); }) ==
             "latency: the model reads at most 3 tokens; timing requires at least 4");
}

BOOST_AUTO_TEST_SUITE_END()
