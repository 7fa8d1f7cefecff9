#include "data/corpora/ag_news.h"
#include "tests/apps/program.h"
#include "train/retrieval/retrieval_quality.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(retrieval)

BOOST_AUTO_TEST_CASE(recall_counts_the_rank_of_each_querys_own_document) {
  // The own documents of the first three queries have ranks 0, 1 and 5; that of the fourth, whose scores are all equal, has rank 3.
  const auto scores = [](std::int64_t n) {
    std::vector<float> all(6);
    for (std::int64_t d = 0; d < 6; ++d) {
      float& score = all[static_cast<std::size_t>(d)];
      if (n == 0) score = d == 0 ? 2.0f : 1.0f;
      if (n == 1) score = d == 1 ? 2.0f : d == 4 ? 3.0f : 1.0f;
      if (n == 2) score = d == 2 ? 0.0f : 1.0f;
    }
    return all;
  };
  const RetrievalRow row = recall_row("x", 4, scores);
  BOOST_TEST(row.recall[0] == 0.25);
  BOOST_TEST(row.recall[1] == 0.75);
  BOOST_TEST(row.recall[2] == 1);
}

BOOST_AUTO_TEST_CASE(by_dot_product_or_by_cosine) {
  // By dot product the long second document ranks first for both queries; by cosine each query ranks its own document first.
  const Tensor<float> queries({2, 2}, {1, 0.2f, 0, 1}), documents({2, 2}, {0.1f, 0, 5, 50});
  BOOST_TEST(recall_row("dot", queries, documents, false).recall[0] == 0.5);
  BOOST_TEST(recall_row("cosine", queries, documents, true).recall[0] == 1);
}

BOOST_AUTO_TEST_CASE(baselines_find_words_that_titles_and_descriptions_share) {
  std::vector<Article> articles;
  for (int i = 0; i < 300; ++i)
    articles.push_back(
        {0, "Title about w" + std::to_string(i), "A long story, mostly of the same words, on W" + std::to_string(i) + "."});
  const auto rows = baseline_rows(articles);
  BOOST_TEST_REQUIRE(rows.size() == 2u);
  BOOST_TEST(rows[0].recall[0] == 1);
  BOOST_TEST(rows[1].recall[0] > 0.9);
}

BOOST_AUTO_TEST_CASE(the_program_compares_a_run_with_the_baselines) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  const Finished trained = run_argand(scratch,
                                      "train classify --family crat --irw-layers 0 --irw-dim 8 --n-layers 1 --d-model 16 "
                                      "--n-heads 2 --d-ff 16 --steps 2 --train-articles 200 --test-articles 50 --irw-passages 50 "
                                      "--irw-length 8 --out " +
                                          run);
  BOOST_TEST_REQUIRE(trained.code == 0, trained.err);
  const Finished compared = run_argand(scratch, "retrieval " + run + " --data topics");
  BOOST_TEST(compared.code == 0, compared.err);
  for (const char* row : {"by chance ", "BM25 ", "mean of random embeddings ", "mean of the run's embeddings ",
                          "window of layer 0, encodings of both ", "window of layer 0, query of the title "})
    BOOST_TEST(compared.out.find(row) != std::string::npos, compared.out);
  const Finished audited = run_argand(scratch, "audit retrieval " + run);
  BOOST_TEST(audited.code == 0, audited.out + audited.err);
  BOOST_TEST(audited.out.find(" 0 violations\n") != std::string::npos, audited.out);
  const Finished leaking = run_argand(scratch, "audit retrieval --no-exclusion " + run);
  BOOST_TEST(leaking.code == 1);
  BOOST_TEST(leaking.out.find("of the training text\n") != std::string::npos, leaking.out);
  const Finished labelled = run_argand(scratch, "eval " + run);
  BOOST_TEST(labelled.code == 0, labelled.err);
}

BOOST_AUTO_TEST_SUITE_END()
