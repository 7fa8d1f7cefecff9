/// Which tokens occur in what was retrieved for them, on texts so small that every group is known.

#include "train/evaluation/retrieved_words.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "data/knowledge/frozen_search.h"
#include "nn/families/crat/config.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(retrieved_words)

namespace {

constexpr TokenGroup found{InPassages::Found, false}, found_again{InPassages::Found, true}, absent{InPassages::Absent, false},
    absent_again{InPassages::Absent, true}, unread{InPassages::Unread, false}, unread_again{InPassages::Unread, true};

ModelConfig crat(Baseline baseline, std::int64_t top_k, std::vector<std::int64_t> irw_layers = {1}) {
  ModelConfig config = ModelConfig::defaults("crat");
  config.vocab_size = 13, config.max_seq_len = 12, config.d_model = 16, config.n_heads = 2, config.d_ff = 24;
  auto& own = config.own<CratConfig>();
  own.baseline = baseline, own.irw_layers = std::move(irw_layers), own.irw_top_k = top_k, own.irw_dim = 4;
  return config;
}

ModelConfig transformer() {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.vocab_size = 13, config.max_seq_len = 12, config.d_model = 16, config.n_heads = 2, config.d_ff = 24;
  return config;
}

EvaluationSet one_window(std::vector<std::int32_t> tokens, std::vector<std::int32_t> targets) {
  const auto T = static_cast<std::int64_t>(tokens.size()), n = static_cast<std::int64_t>(targets.size());
  return {1, [=](std::int64_t) {
            return Batch{.tokens = Ids({1, T}, tokens), .targets = Ids({1, n}, targets), .places = {0}, .n_tokens = T};
          }};
}

/// RETRO reads the one passage whose first half is most similar to the last complete chunk of two tokens.
struct Library {
  Ids passages{Shape{2, 4}, {1, 2, 9, 3, 5, 6, 10, 11}};
  Knowledge knowledge{.passages = &passages, .search = FrozenSearch(passages, 2)};
};

bool same(const GroupsOfTargets& groups, const std::vector<TokenGroup>& expected) {
  return groups.size() == 1 && groups[0] == expected;
}

}  // namespace

// Tokens 1 2 | 5 6 | 7 7. The first token reads nothing; the second and third read passage 0, as soon as chunk "1 2" is complete;
// the next two read passage 1. The last one reads what was found for "7 7": no passage contains it, so all tie, and the first,
// passage 0, is taken.
BOOST_AUTO_TEST_CASE(a_chunk_s_readers_have_its_passages_and_no_others) {
  const Library library;
  const auto reader = make_model<double>(crat(Baseline::Retro, 1), 1);
  const auto groups = groups_of_targets<double>(*reader, one_window({1, 2, 5, 6, 7, 7}, {1, 9, 10, 5, 9, 1}), library.knowledge);
  BOOST_TEST(same(groups, {unread_again, found, absent, found_again, absent, found_again}));
  // Only the last targets are scored: each still belongs to the token before it.
  const auto last = groups_of_targets<double>(*reader, one_window({1, 2, 5, 6, 7, 7}, {10, 12}), library.knowledge);
  BOOST_TEST(same(last, {found, absent}));
}

BOOST_AUTO_TEST_CASE(a_window_reads_at_every_token_and_never_an_absent_passage) {
  const Library library;
  const auto reader = make_model<double>(crat(Baseline::None, 2), 1);  // both passages, in whatever order
  const auto groups = groups_of_targets<double>(*reader, one_window({7, 1, 7}, {1, 7, 12}), library.knowledge);
  BOOST_TEST(same(groups, {found, absent_again, absent}));
}

BOOST_AUTO_TEST_CASE(one_token_has_read_nothing_or_all) {
  const Library library;
  const auto retro = make_model<double>(crat(Baseline::Retro, 1), 1), window = make_model<double>(crat(Baseline::None, 2), 1);
  BOOST_TEST(same(groups_of_targets<double>(*retro, one_window({1}, {2}), library.knowledge), {unread}));
  BOOST_TEST(same(groups_of_targets<double>(*window, one_window({1}, {2}), library.knowledge), {found}));
}

// The groups' losses together are the loss of evaluate(), and a model without retrieval is measured on the same tokens.
BOOST_AUTO_TEST_CASE(groups_share_out_the_whole_loss) {
  const Library library;
  const EvaluationSet set = one_window({1, 2, 5, 6, 7, 7}, {1, 9, 10, 5, 9, 1});
  const ContextOf with_passages = [&](const Batch&) { return ForwardContext{.knowledge = &library.knowledge}; };
  const auto reader = make_model<double>(crat(Baseline::Retro, 1), 1), other = make_model<double>(transformer(), 2);
  const auto groups = groups_of_targets<double>(*reader, set, library.knowledge);
  for (Model<double>* model : {reader.get(), other.get()}) {
    const ContextOf context = model == other.get() ? nullptr : with_passages;
    double sum = 0;
    std::vector<std::int64_t> counts;
    for (const GroupLoss& one : loss_by_group<double>(*model, set, groups, context)) {
      sum += one.loss * static_cast<double>(one.count);
      counts.push_back(one.count);
      BOOST_TEST((one.loss > 0) == (one.count > 0));
    }
    BOOST_TEST(counts == (std::vector<std::int64_t>{1, 2, 2, 0, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(std::abs(sum / 6 - evaluate<double>(*model, set, context).loss) < 1e-12);
  }
}

// A model that always predicts 9: its loss is low where 9 is the target and high elsewhere.
BOOST_AUTO_TEST_CASE(each_loss_goes_to_the_group_of_its_own_token) {
  const Library library;
  const EvaluationSet set = one_window({1, 2, 5, 6, 7, 7}, {1, 9, 10, 5, 12, 1});
  const auto reader = make_model<double>(crat(Baseline::Retro, 1), 1), model = make_model<double>(crat(Baseline::None, 1, {}), 1);
  bool changed = false;
  ParameterList<double> parameters = model->parameters();
  for (Parameter<double>& p : parameters)
    if (p.name == "head.bias") std::get<Var<double>>(p.var).value().data()[9] = 100, changed = true;
  BOOST_TEST_REQUIRE(changed);
  const auto groups = groups_of_targets<double>(*reader, set, library.knowledge);
  for (const GroupLoss& one : loss_by_group<double>(*model, set, groups))
    if (one.group == found) {
      BOOST_TEST(one.count == 1);
      BOOST_TEST(one.loss < 1e-9);
    } else if (one.count > 0) {
      BOOST_TEST(one.loss > 50);
    }
}

BOOST_AUTO_TEST_CASE(nothing_to_retrieve_is_refused) {
  const Library library;
  const EvaluationSet set = one_window({1, 2}, {2, 3});
  const auto plain = make_model<double>(transformer(), 1), without = make_model<double>(crat(Baseline::None, 2, {}), 1),
             reader = make_model<double>(crat(Baseline::Retro, 1), 1);
  const std::string why = "retrieved words: the model that retrieves must be a language model with retrieval";
  BOOST_TEST(error_of([&] { groups_of_targets<double>(*plain, set, library.knowledge); }) == why);
  BOOST_TEST(error_of([&] { groups_of_targets<double>(*without, set, library.knowledge); }) == why);
  BOOST_TEST(error_of([&] { groups_of_targets<double>(*reader, set, {}); }) == "retrieved words: there are no passages");
  BOOST_TEST(error_of([&] { loss_by_group<double>(*plain, set, {}); }) ==
             "retrieved words: 0 batches were grouped, but there are 1");
}

BOOST_AUTO_TEST_SUITE_END()
