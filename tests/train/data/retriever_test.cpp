/// Knowledge bases in training: what a run's reflection windows may read, and that a resumed run reads the same passages.

#include "train/data/retriever.h"

#include <algorithm>
#include <numeric>

#include "tests/data/temporary_directory.h"
#include "tests/train/small_run.h"
#include "train/loop/training_run.h"
#include "train/retrieval/retrieval_audit.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(retriever)

namespace {

RunConfig config_with(const Settings& more = {}) {
  Settings settings = settings_of({{"family", "crat"},
                                   {"irw_layers", "0"},
                                   {"irw_dim", "4"},
                                   {"irw_top_k", "3"},
                                   {"irw_length", "10"},
                                   {"irw_passages", "80"}});
  settings.insert(settings.end(), more.begin(), more.end());
  return small_run(settings);
}

std::unique_ptr<Retriever> retriever_with(const Settings& more = {}) { return Retriever::of(config_with(more), small_corpus()); }

std::string retriever_error(const Settings& more) {
  return error_of([&] { retriever_with(more); });
}

std::vector<float> numbers(const ParameterList<float>& parameters) {
  std::vector<float> all;
  for (const Parameter<float>& p : parameters)
    std::visit(
        [&](const auto& v) {
          const auto* x = reinterpret_cast<const float*>(v.value().data());
          all.insert(all.end(), x, x + p.degrees_of_freedom());
        },
        p.var);
  return all;
}

/// Audits the retrieval of an untrained model.
RetrievalAudit audit(const Settings& more, bool exclude, std::vector<Leak>& leaks) {
  RunConfig config = config_with(more);
  config.model.vocab_size = small_corpus().tokens->size();
  const auto model = make_model<float>(config.model, 0);
  const auto retriever = Retriever::of(config, small_corpus());
  return audit_retrieval<float>(*model, config, *retriever, make_task(config, small_corpus()), exclude,
                                [&](const Leak& leak) { leaks.push_back(leak); });
}

const std::vector<Settings> every_search{{{"irw_index", "exact", ""}},
                                         {{"irw_passages", "0", ""}, {"irw_index", "exact", ""}},
                                         {{"irw_passages", "0", ""}, {"irw_index", have_hnsw() ? "hnsw" : "exact", ""}}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_without_windows_has_no_library) {
  BOOST_TEST((retriever_with({{"irw_layers", "", ""}}) == nullptr));
  BOOST_TEST((retriever_with() != nullptr));
}

BOOST_AUTO_TEST_CASE(exchanged_passages_are_a_fixed_permutation) {
  RunConfig config = config_with();
  config.model.vocab_size = small_corpus().tokens->size();
  const auto model = make_model<float>(config.model, 0);
  const auto retriever = retriever_with();
  const auto store = retriever->store(0, *model);
  BOOST_TEST(!store->knowledge().exchange);
  Ids all(Shape{80, 1});
  for (std::int64_t i = 0; i < 80; ++i) all[i] = static_cast<Ids::value_type>(i);
  const auto exchanged = [&](std::uint64_t seed) {
    store->exchange_passages(seed);
    Ids found = all;
    store->knowledge().exchange(found);
    return std::vector<std::int32_t>(found.span().begin(), found.span().end());
  };
  const auto once = exchanged(3);
  BOOST_TEST((once != std::vector<std::int32_t>(all.span().begin(), all.span().end())));
  BOOST_TEST(std::is_permutation(once.begin(), once.end(), all.span().begin()));
  BOOST_TEST(once == exchanged(3));
  for (std::size_t p = 0; p < once.size(); ++p) BOOST_TEST(once[p] != static_cast<std::int32_t>(p));
  BOOST_TEST((once != exchanged(4)));

  // Watchers see the passages that replaced the retrieved ones.
  const Ids tokens(Shape{1, 4}, {1, 2, 3, 4});
  const auto read = [&](bool exchange) {
    Knowledge knowledge = store->knowledge();
    std::vector<std::int32_t> seen;
    if (!exchange) knowledge.exchange = nullptr;
    knowledge.watch = [&](const Ids& chosen) { seen.assign(chosen.span().begin(), chosen.span().end()); };
    const Tensor<float> logits = model->logits(tokens, {.knowledge = &knowledge}).value();
    return std::pair(seen, std::vector<float>(logits.data(), logits.data() + logits.size()));
  };
  store->exchange_passages(3);
  const auto [found, with_found] = read(false);
  const auto [others, with_others] = read(true);
  BOOST_TEST_REQUIRE(found.size() == others.size());
  for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST(others[i] == once.at(static_cast<std::size_t>(found[i])));
  BOOST_TEST((with_found != with_others));
}

BOOST_AUTO_TEST_CASE(passages_are_a_function_of_the_seed_and_of_the_step) {
  const auto every = retriever_with(), seldom = retriever_with({{"irw_refresh", "4", ""}}),
             other = retriever_with({{"seed", "1", ""}});
  RunConfig config = config_with();
  config.model.vocab_size = small_corpus().tokens->size();
  const auto model = make_model<float>(config.model, 0);
  const auto passages = [&](const auto& retriever, std::int64_t step) {
    const auto store = retriever->store(step, *model);
    const auto ids = store->base().passages().span();
    return std::vector<std::int32_t>(ids.begin(), ids.end());
  };
  BOOST_TEST(passages(every, 3) == passages(every, 3));
  BOOST_TEST(passages(every, 3) != passages(every, 4));
  BOOST_TEST(passages(every, 3) != passages(other, 3));
  BOOST_TEST(passages(seldom, 4) == passages(seldom, 7));
  BOOST_TEST(passages(seldom, 7) != passages(seldom, 8));
  BOOST_TEST(every->refresh_every() == 1);
  BOOST_TEST((seldom->due(4) && !seldom->due(5)));
}

BOOST_AUTO_TEST_CASE(the_audit_finds_nothing_with_the_exclusion_and_leaks_without) {
  for (const Settings& search : every_search) {
    std::vector<Leak> leaks;
    const RetrievalAudit clean = audit(search, true, leaks);
    BOOST_TEST(clean.leaks == 0);
    BOOST_TEST(leaks.empty());
    BOOST_TEST(clean.batches == (clean.windows + 3) / 4);
    BOOST_TEST(clean.windows >= 248);  // the corpus has 4 000 words, and each window has 16
    BOOST_TEST(clean.reads == clean.windows * 16 * 3);
    const RetrievalAudit dirty = audit(search, false, leaks);
    BOOST_TEST(dirty.leaks > 0);
    BOOST_TEST(dirty.leaks == static_cast<std::int64_t>(leaks.size()));
    for (const Leak& leak : leaks) {
      BOOST_TEST(leak.window_last - leak.window_first == 17);  // 16 input tokens and the last target
      BOOST_TEST(leak.passage_last - leak.passage_first == 10);
      BOOST_TEST((leak.passage_first < leak.window_last && leak.window_first < leak.passage_last));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_is_another_text_unless_it_holds_the_training_text) {
  const TemporaryDirectory scratch;
  const Vocabulary words = Grammar().vocabulary();
  std::vector<std::int32_t> shuffled(small_corpus().train.span().begin(), small_corpus().train.span().end());
  const Ids train({4000}, shuffled);
  std::sort(shuffled.begin(), shuffled.end());
  const std::string other = scratch.file("other.txt", words.decode(shuffled)),
                    same = scratch.file("same.txt", words.decode(train.span()));
  std::vector<Leak> leaks;
  const Settings longer{{"irw_length", "20", ""}, {"length", "40", ""}, {"irw_index", "exact", ""}};
  const auto with_file = [&](const std::string& path) {
    Settings settings = longer;
    settings.push_back({"irw_file", path, ""});
    return settings;
  };
  BOOST_TEST(audit(with_file(other), true, leaks).leaks == 0);
  BOOST_TEST(audit(with_file(same), true, leaks).leaks > 0);
  BOOST_TEST(retriever_error({{"irw_file", scratch / "none.txt", ""}}).find("knowledge: cannot open") == 0);
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_ends_in_the_same_numbers_whatever_the_search) {
  const TemporaryDirectory scratch;
  for (Settings search : every_search) {
    search.push_back({"irw_refresh", "5", ""});
    const RunConfig config = config_with(search);
    TrainingRun<float> whole(config, small_corpus());
    while (!whole.finished()) {
      whole.step();
      if (whole.state().step == 7) whole.save(scratch / "at7.safetensors");
    }
    TrainingRun<float> resumed(config, small_corpus());
    resumed.restore(Checkpoint(scratch / "at7.safetensors"));
    while (!resumed.finished()) resumed.step();
    BOOST_TEST(numbers(whole.parameters()) == numbers(resumed.parameters()));
    bool best = false;
    BOOST_TEST(whole.validate(best).loss == resumed.validate(best).loss);
  }
}

BOOST_AUTO_TEST_CASE(baselines_that_look_chunks_up_are_audited_and_resumed_likewise) {
  const TemporaryDirectory scratch;
  for (const char* baseline : {"retro", "fid"})
    for (const char* passages : {"80", "0"}) {
      const Settings settings{{"baseline", baseline, ""},    {"family", "crat", ""},  {"irw_layers", "0", ""},
                              {"irw_top_k", "2", ""},        {"irw_length", "8", ""}, {"irw_refresh", "3", ""},
                              {"irw_passages", passages, ""}};
      RunConfig config = small_run(settings);
      config.model.vocab_size = small_corpus().tokens->size();
      const auto model = make_model<float>(config.model, 0);
      const auto retriever = Retriever::of(config, small_corpus());
      BOOST_TEST(!retriever->approximate());
      const Task task = make_task(config, small_corpus());
      std::int64_t leaks = 0;
      const auto count = [&](const Leak& leak) {
        ++leaks;
        BOOST_TEST((leak.passage_first < leak.window_last && leak.window_first < leak.passage_last));
      };
      const RetrievalAudit clean = audit_retrieval<float>(*model, config, *retriever, task, true, count);
      BOOST_TEST(clean.leaks == 0);
      BOOST_TEST(leaks == 0);
      BOOST_TEST(clean.reads == clean.windows * 4 * 2);  // windows of 16 tokens have four chunks
      BOOST_TEST(audit_retrieval<float>(*model, config, *retriever, task, false, count).leaks > 0);
      BOOST_TEST(leaks > 0);

      TrainingRun<float> whole(small_run(settings), small_corpus());
      while (!whole.finished()) {
        whole.step();
        if (whole.state().step == 7) whole.save(scratch / "at7.safetensors");
      }
      TrainingRun<float> resumed(small_run(settings), small_corpus());
      resumed.restore(Checkpoint(scratch / "at7.safetensors"));
      while (!resumed.finished()) resumed.step();
      BOOST_TEST(numbers(whole.parameters()) == numbers(resumed.parameters()));
      bool best = false;
      BOOST_TEST(whole.validate(best).loss == resumed.validate(best).loss);
    }
}

BOOST_AUTO_TEST_CASE(an_approximate_index_is_measured_when_it_is_rebuilt) {
  if (!have_hnsw()) return;
  TrainingRun<float> run(config_with({{"irw_index", "hnsw", ""}, {"irw_refresh", "2", ""}}), small_corpus());
  for (int step = 0; step < 4; ++step) {
    const StepReport report = run.step();
    BOOST_TEST(report.recall.has_value() == (step % 2 == 0));
    if (report.recall) BOOST_TEST((*report.recall > 0.8 && *report.recall <= 1));
  }
}

BOOST_AUTO_TEST_CASE(knowledge_bases_too_small_for_the_exclusion_are_refused_at_the_start) {
  BOOST_TEST(retriever_error({{"irw_passages", "4", ""}}) ==
             "irw_top_k: cannot choose 3 of 4 passages when up to 2 of them overlap a window of 17 tokens; use more or shorter "
             "passages");
  BOOST_TEST(retriever_error({{"irw_passages", "5", ""}}) == "");
  BOOST_TEST(retriever_error({{"irw_passages", "3992", ""}}) ==
             "irw_passages: cannot draw 3992 passages of 10 tokens from a text of 4000; use 0 to cover the whole text, end to end");
  const auto baseline_error = [](const Settings& more) {
    Settings settings = settings_of({{"family", "crat"}, {"baseline", "retro"}, {"irw_layers", "0"}});
    settings.insert(settings.end(), more.begin(), more.end());
    return error_of([&] { Retriever::of(small_run(settings), small_corpus()); });
  };
  BOOST_TEST(baseline_error({{"irw_index", "hnsw", ""}, {"irw_length", "8", ""}, {"irw_passages", "0", ""}}) ==
             (have_hnsw()
                  ? "irw_index: chunks are retrieved by their tokens, so hnsw has nothing to index; choose auto or exact"
                  : "irw_index: argand was built without hnswlib; install libhnswlib-dev and rebuild, or use exact search"));
  BOOST_TEST(baseline_error({{"irw_length", "40", ""}, {"irw_passages", "0", ""}}) ==
             "irw_length: a chunk is half a passage, 20 tokens, which does not fit in a window of 16; choose shorter passages");
  BOOST_TEST(retriever_error({{"irw_length", "4001", ""}}) == "irw_length: no passage of 4001 tokens fits in the text of 4000");
}

BOOST_AUTO_TEST_CASE(articles_do_not_read_themselves) {
  LabelledCorpus articles;
  articles.tokens = std::make_shared<WordTokens>(Vocabulary(std::vector<std::string>{"<pad>", "<unk>", "a", "b", "c", "d"}));
  articles.classes = {"one", "two"};
  for (std::int64_t i = 0; i < 40; ++i) {
    std::vector<std::int32_t> text(static_cast<std::size_t>(5 + i % 7));
    for (std::size_t t = 0; t < text.size(); ++t)
      text[t] = static_cast<std::int32_t>(2 + Random(1, static_cast<std::uint64_t>(i)).below(t, 4));
    articles.train.add(text, i % 2);
    articles.test.add(text, i % 2);
  }
  RunConfig config = config_with();
  config.model.task = TextTask::Classify, config.model.n_classes = 2, config.model.vocab_size = 6, config.model.max_seq_len = 12;
  config.knowledge.irw_length = 4, config.knowledge.irw_passages = 0;
  const auto model = make_model<float>(config.model, 0);
  const TrainingData data = articles;
  const auto retriever = Retriever::of(config, data);
  std::vector<Leak> leaks;
  const auto record = [&](const Leak& leak) { leaks.push_back(leak); };
  const Task task = make_task(config, data);
  BOOST_TEST(audit_retrieval<float>(*model, config, *retriever, task, true, record).leaks == 0);
  BOOST_TEST(audit_retrieval<float>(*model, config, *retriever, task, false, record).leaks > 0);
  for (const Leak& leak : leaks) BOOST_TEST(leak.window_last - leak.window_first <= 11);
}

BOOST_AUTO_TEST_SUITE_END()
