#include "train/evaluation/text_metrics.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/tape.h"
#include "nn/decoder_config.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(text_metrics)

BOOST_AUTO_TEST_CASE(dist_counts_different_n_grams_over_all_texts) {
  const Ids texts({2, 4}, {1, 2, 1, 2, 1, 2, 3, 3});
  BOOST_TEST(distinct(texts, 1) == 3.0 / 8);
  BOOST_TEST(distinct(texts, 2) == 4.0 / 6);  // the different pairs are 12, 21, 23, 33
  BOOST_TEST(distinct(texts, 4) == 1.0);
  BOOST_TEST(error_of([&] { distinct(texts, 5); }) == "metrics: there are no 5-grams in texts of shape [2, 4]");
}

BOOST_AUTO_TEST_CASE(rep_counts_repeated_n_grams_text_by_text) {
  const Ids texts({2, 6}, {7, 7, 7, 7, 7, 7, 1, 2, 3, 4, 5, 6});
  // The first text has one 4-gram three times, the second has three different ones.
  BOOST_TEST(repetition(texts, 4) == (2.0 / 3 + 0) / 2, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(a_text_is_as_likely_as_its_tokens_one_by_one) {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.vocab_size = 9, config.max_seq_len = 6, config.d_model = 16, config.n_heads = 2, config.d_ff = 16,
  config.own<DecoderConfig>().position = PositionKind::Rope;
  const auto judge = make_model<double>(config, 5);
  const std::int64_t B = 2, N = 17, L = config.max_seq_len;
  Ids texts(Shape{B, N});
  for (std::int64_t i = 0; i < B * N; ++i) texts[i] = static_cast<std::int32_t>(Random(3).below(static_cast<std::uint64_t>(i), 9));
  for (const std::int64_t from : {1, 4, 6, 9}) {
    // Each token is scored in a window that ends with it, with at least the context that negative_log_likelihood promises.
    const NoGrad none;
    double expected = 0;
    std::int64_t end = 0;
    for (std::int64_t t = from; t < N; ++t) {
      if (t > end) end = std::min(N - 1, t == from ? std::max(t, L) : t + L / 2 - 1);
      const std::int64_t start = std::max<std::int64_t>(0, end - L);
      BOOST_REQUIRE(t - start >= std::min(t, L / 2));
      for (std::int64_t b = 0; b < B; ++b) {
        const std::int32_t* text = texts.data() + b * N;
        const Tensor<double> logits = judge->logits(Ids({1, t - start}, std::vector<std::int32_t>(text + start, text + t))).value();
        const double* row = logits.data() + (t - start - 1) * 9;
        double sum = 0;
        for (int v = 0; v < 9; ++v) sum += std::exp(row[v]);
        expected += std::log(sum) - row[text[t]];
      }
    }
    BOOST_TEST(negative_log_likelihood<double>(*judge, texts, from) == expected / static_cast<double>(B * (N - from)),
               boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(error_of([&] { negative_log_likelihood<double>(*judge, texts, N); }) ==
             "metrics: cannot score from token 17 onwards in texts of 17 tokens");
}

BOOST_AUTO_TEST_SUITE_END()
