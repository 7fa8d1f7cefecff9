#include "train/retrieval/dual_encoder.h"

#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "tests/apps/program.h"
#include "tests/error_text.h"
#include "tests/sanitized.h"
#include "train/retrieval/retrieval_quality.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(dual_encoder)

namespace {

/// Articles whose titles and descriptions share no words, so that the pairs must be learnt.
std::vector<Article> articles(int n, int subjects = 12) {
  std::vector<Article> all;
  for (int i = 0; i < n; ++i) {
    const std::string a = std::to_string(i % subjects), b = std::to_string(i / subjects % subjects);
    all.push_back({0, "on thing" + a + " and place" + b, "a story with matter" + a + " in it, at spot" + b + "!"});
  }
  return all;
}

DualEncoderConfig small(std::int64_t layers = 1) {
  return {.seed = 3, .epochs = 6, .layers = layers, .width = 16, .batch = 24, .longest = 8, .lr = 1e-2};
}

std::vector<float> numbers(const Tensor<float>& x) { return {x.begin(), x.end()}; }

}  // namespace

#ifndef ARGAND_SANITIZED  // would take two minutes; the next case takes the same steps
BOOST_AUTO_TEST_CASE(they_learn_which_words_belong_together) {
  const std::vector<Article> all = articles(600), asked = articles(144);
  for (const std::int64_t layers : {0, 1}) {
    DualEncoder encoders(small(layers), all);
    const auto recall = [&] { return recall_row("", encoders.titles(asked), encoders.descriptions(asked), false).recall[0]; };
    const double before = recall();
    double first = 0, last = 0;
    while (!encoders.finished()) {
      last = encoders.train_epoch(nullptr);
      if (encoders.epoch() == 1) first = last;
    }
    BOOST_TEST(last < 0.7 * first);
    BOOST_TEST(recall() > before + 0.2, layers << " layers: " << before << ", " << recall());
  }
}

#endif

BOOST_AUTO_TEST_CASE(resumed_training_gives_the_same_numbers_for_any_number_of_threads) {
  const TemporaryDirectory scratch;
  const std::vector<Article> all = articles(sanitized ? 60 : 300);
  const int threads = num_threads();
  DualEncoder whole(small(), all);
  while (!whole.finished()) {
    whole.train_epoch(nullptr);
    if (whole.epoch() == 2) whole.save(scratch / "two.safetensors");
  }
  set_num_threads(3);
  DualEncoder resumed(small(), all);
  resumed.load(scratch / "two.safetensors");
  BOOST_TEST(resumed.epoch() == 2);
  while (!resumed.finished()) resumed.train_epoch(nullptr);
  BOOST_TEST(numbers(whole.titles(all)) == numbers(resumed.titles(all)));
  BOOST_TEST(numbers(whole.descriptions(all)) == numbers(resumed.descriptions(all)));
  whole.save(scratch / "end.safetensors");
  DualEncoder loaded(small(), all);
  loaded.load(scratch / "end.safetensors");
  BOOST_TEST(loaded.finished());
  BOOST_TEST(numbers(whole.titles(all)) == numbers(loaded.titles(all)));
  set_num_threads(threads);
}

BOOST_AUTO_TEST_CASE(each_twentieth_article_is_held_out) {
  const std::vector<Article> all = articles(100);
  const DualEncoder encoders(small(), all);
  BOOST_TEST_REQUIRE(encoders.held_out().size() == 5U);
  BOOST_TEST(encoders.held_out()[0].title == all[19].title);
  BOOST_TEST(encoders.steps_per_epoch() == 95 / 24);
}

BOOST_AUTO_TEST_CASE(the_first_words_of_an_article_in_one_piece_stand_for_its_title) {
  const Article cut = with_title({2, "", "One two  three four five, six seven eight nine"});
  BOOST_TEST(cut.title == "One two  three four five, six seven");
  BOOST_TEST(cut.description == "eight nine");
  BOOST_TEST(cut.label == 2);
  for (const char* text : {"", "One", "One two three four five six seven", "One two three four five six seven "}) {
    const Article brief = with_title({0, "", text});
    BOOST_TEST((brief.title.empty() || brief.description.empty()));
    BOOST_TEST(brief.title.size() <= std::string(text).size());
  }
  const Article whole = with_title({1, "Title", "and text"});
  BOOST_TEST(whole.title + "/" + whole.description == "Title/and text");
}

BOOST_AUTO_TEST_CASE(errors_say_what_to_do) {
  const TemporaryDirectory scratch;
  BOOST_TEST(error_of([] { DualEncoder(small(), articles(20)); }) == "dpr: 19 training articles do not fill a batch of 24");
  const std::string path = scratch / "x.safetensors";
  DualEncoder encoders(small(), articles(100));
  encoders.save(path);
  DualEncoderConfig other = small();
  other.epochs = 7;
  BOOST_TEST(error_of([&] {
               DualEncoder(other, articles(100)).load(path);
             }).find("dpr: " + path + " has different settings, {\"seed\":3,\"epochs\":6,") == 0);
  BOOST_TEST(error_of([&] { DualEncoder(small(), articles(100, 5)).load(path); }) ==
             "dpr: " + path + " was trained on different articles; remove it, or choose another `out`");
}

BOOST_AUTO_TEST_CASE(the_program_trains_once_and_then_reads) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "dpr", command = "retrieval --data topics --dpr 2 --dpr-epochs 1 --dpr-layers 0 --out " + out;
  const Finished first = run_argand(scratch, command);
  BOOST_TEST_REQUIRE(first.code == 0, first.err);
  BOOST_TEST(first.err.find("dpr, seed 1, epoch 1: loss ") != std::string::npos, first.err);
  for (const char* row : {"by chance ", "BM25 ", "mean of random embeddings ", "DPR, two encoders "})
    BOOST_TEST(first.out.find(row) != std::string::npos, first.out);
  BOOST_TEST(first.out.find(" ± ") != std::string::npos);
  const std::string results = contents_of(out + "/results.json");
  const auto page = nlohmann::json::parse(results);
  BOOST_TEST(page["methods"].size() == 4U);
  BOOST_TEST(page["methods"][3]["of"].dump() == R"(["seed 0","seed 1"])");
  BOOST_TEST(page["methods"][3]["recall"][1].size() == 4U);
  const Finished again = run_argand(scratch, command);
  BOOST_TEST(again.code == 0);
  BOOST_TEST(again.err == "");
  BOOST_TEST(again.out == first.out);
  BOOST_TEST(contents_of(out + "/results.json") == results);
  const Finished other = run_argand(scratch, command + " --dpr-batch 64");
  BOOST_TEST(other.code == 1);
  BOOST_TEST(other.err.find("has different settings") != std::string::npos, other.err);
  BOOST_TEST(run_argand(scratch, "retrieval --data topics --dpr 1 --dpr-epochs 0").code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
