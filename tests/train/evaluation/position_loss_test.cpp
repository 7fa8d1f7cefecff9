#include "train/evaluation/position_loss.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/tape.h"
#include "nn/decoder_config.h"
#include "nn/family.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(position_loss)

BOOST_AUTO_TEST_CASE(spans_double_and_cover_the_window) {
  const auto ends = [](std::int64_t length) {
    std::vector<std::int64_t> found;
    std::int64_t expected = 1;
    for (const PositionLoss& span : spans_of_positions(length)) {
      BOOST_TEST(span.first == expected);
      expected = span.last + 1;
      found.push_back(span.last);
    }
    return found;
  };
  BOOST_TEST(ends(1024) == (std::vector<std::int64_t>{16, 32, 64, 128, 256, 512, 1024}), boost::test_tools::per_element());
  BOOST_TEST(ends(40) == (std::vector<std::int64_t>{16, 32, 40}), boost::test_tools::per_element());
  BOOST_TEST(ends(1) == (std::vector<std::int64_t>{1}), boost::test_tools::per_element());
  BOOST_TEST(error_of([] { spans_of_positions(0); }) == "positions: a window must have at least one token, got 0");
}

// Compares with each token's log probability from a separate pass over the tokens that precede it in its window.
BOOST_AUTO_TEST_CASE(each_token_counts_where_it_stands) {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.vocab_size = 9, config.max_seq_len = 20, config.d_model = 16, config.n_heads = 2, config.d_ff = 16,
  config.own<DecoderConfig>().position = PositionKind::Rope;
  const auto model = make_model<double>(config, 5);
  const std::int64_t length = 20, windows = 3, N = windows * length + 7;
  Ids text(Shape{N});
  for (std::int64_t i = 0; i < N; ++i) text[i] = static_cast<std::int32_t>(Random(3).below(static_cast<std::uint64_t>(i), 9));
  double last_share = 0;
  const auto found = loss_by_position<double>(*model, text, length, nullptr, [&](double share) {
    BOOST_TEST(share >= last_share);
    last_share = share;
  });
  BOOST_TEST(last_share == 1);
  BOOST_TEST_REQUIRE(found.size() == 2U);
  const NoGrad none;
  for (const PositionLoss& span : found) {
    double expected = 0;
    for (std::int64_t w = 0; w < windows; ++w)
      for (std::int64_t before = span.first; before <= span.last; ++before) {
        const std::int32_t* window = text.data() + w * length;
        const Tensor<double> logits = model->logits(Ids({1, before}, std::vector<std::int32_t>(window, window + before))).value();
        const double* row = logits.data() + (before - 1) * 9;
        double sum = 0;
        for (int v = 0; v < 9; ++v) sum += std::exp(row[v]);
        expected += std::log(sum) - row[window[before]];
      }
    const std::int64_t count = windows * (span.last - span.first + 1);
    BOOST_TEST(span.evaluation.count == count);
    BOOST_TEST(span.evaluation.loss == expected / static_cast<double>(count), boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(error_of([&] { loss_by_position<double>(*model, text, N); }) ==
             "positions: the text has 67 tokens, fewer than a window of 67 plus the one after it");
}

BOOST_AUTO_TEST_CASE(models_without_learned_positions_read_any_length) {
  for (const auto& [family, expected] :
       {std::pair{"complexformer", true}, {"crope", true}, {"crat", true}, {"transformer", false}, {"qic", false}}) {
    ModelConfig config = ModelConfig::defaults(family);
    config.vocab_size = 9, config.max_seq_len = 8, config.d_model = 16, config.n_heads = 2, config.d_ff = 16;
    BOOST_TEST(reads_any_length(config) == expected, family);
  }
}

BOOST_AUTO_TEST_SUITE_END()
