#include "nn/retrieval/text_encoder.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/check/parameter_check.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/info_nce.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(text_encoder)

namespace {

constexpr TextEncoderOptions sizes{.vocab_size = 9, .width = 8, .n_layers = 1, .n_heads = 2, .d_ff = 8};

TextEncoder<double> encoder_of(std::int64_t layers) {
  TextEncoderOptions options = sizes;
  options.n_layers = layers;
  Init init(3);
  return TextEncoder<double>(init, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_both_encoders_through_the_loss) {
  const Ids titles({3, 3}, {1, 2, 0, 3, 4, 5, 6, 0, 0}), texts({3, 4}, {2, 2, 1, 7, 5, 8, 0, 0, 6, 1, 3, 0});
  for (const std::int64_t layers : {0, 1, 2}) {
    const TextEncoder<double> of_titles = encoder_of(layers), of_texts = encoder_of(layers);
    ParameterList<double> parameters;
    const Visit<double> visit(parameters);
    visit("titles", of_titles);
    visit("texts", of_texts);
    const auto report = gradcheck_parameters([&] { return in_batch_loss(of_titles(titles), of_texts(texts)); }, parameters, 3);
    BOOST_TEST(report.ok(), report_text(report));
  }
}

BOOST_AUTO_TEST_CASE(padding_is_not_read) {
  const NoGrad none;
  for (const std::int64_t layers : {0, 1, 2}) {
    const TextEncoder<double> encoder = encoder_of(layers);
    const Tensor<double> alone = encoder(Ids({1, 2}, {4, 7})).value(),
                         padded = encoder(Ids({2, 4}, {4, 7, 0, 0, 1, 2, 3, 4})).value();
    for (std::int64_t d = 0; d < 8; ++d) BOOST_TEST(std::abs(alone(0, d) - padded(0, d)) < 1e-14);
    const Tensor<double> nothing = encoder(Ids({1, 2}, {0, 0})).value();
    for (const double x : nothing.span()) BOOST_TEST(x == 0);  // only the bias remains, which is initially 0
  }
}

BOOST_AUTO_TEST_CASE(a_bag_of_words_has_no_order_and_a_layer_does) {
  const NoGrad none;
  const Ids there({1, 3}, {1, 2, 3}), back({1, 3}, {3, 2, 1});
  const auto difference = [&](const TextEncoder<double>& encoder) {
    const Tensor<double> x = encoder(there).value(), y = encoder(back).value();
    double worst = 0;
    for (std::int64_t d = 0; d < 8; ++d) worst = std::max(worst, std::abs(x(0, d) - y(0, d)));
    return worst;
  };
  BOOST_TEST(difference(encoder_of(0)) < 1e-15);
  BOOST_TEST(difference(encoder_of(1)) > 1e-3);
}

BOOST_AUTO_TEST_CASE(the_loss_is_info_nce_with_the_other_passages_of_the_batch) {
  // Rows 0 to 3 are passages, and rows 4 to 7 are their questions in the same order: each question's positive is its passage.
  // Questions do not count as negatives, so their similarity is -infinity.
  const Tensor<double> q = randn<double>({4, 5}, Random(1)), p = randn<double>({4, 5}, Random(2));
  Tensor<double> s = Tensor<double>::full({1, 8, 8}, -std::numeric_limits<double>::infinity());
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      double dot = 0;
      for (std::int64_t d = 0; d < 5; ++d) dot += q(i, d) * p(j, d);
      s(0, 4 + i, j) = dot;
    }
  const double expected = info_nce(Var<double>(s), Ids({1, 8}, {0, 1, 2, 3, 0, 1, 2, 3})).value().item();
  BOOST_TEST(std::abs(in_batch_loss(Var<double>(q), Var<double>(p)).value().item() - expected) < 1e-14);
  BOOST_TEST(error_of([&] {
               in_batch_loss(Var<double>(q), Var<double>(randn<double>({3, 5}, Random(2))));
             }) == "in_batch_loss: expects q and p [B, width], got [4, 5] and [3, 5]");
}

BOOST_AUTO_TEST_SUITE_END()
