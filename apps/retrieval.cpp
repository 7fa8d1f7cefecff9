/// argand retrieval: measures how well articles are found by their titles.

#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "core/machine/json.h"
#include "core/parallel.h"
#include "data/files/atomic_file.h"
#include "train/ablation/comparison.h"
#include "train/checkpoints/jsonl.h"
#include "train/data/corpora.h"
#include "train/retrieval/dual_encoder.h"
#include "train/retrieval/retrieval_quality.h"

namespace argand {
namespace {

struct RetrievalOptions {
  std::string data, out;
  std::vector<std::string> runs;
  std::int64_t dpr = 0;
  DualEncoderConfig encoders;
};

/// One search method, with a result for each run or seed.
struct Method {
  std::string name;
  std::vector<std::string> of;        ///< "seed 0" or a run's folder; empty if the method is not trained
  std::vector<RetrievalRow> results;  ///< one result per entry of `of`; a single one if the method is not trained
};

void add_result(std::vector<Method>& methods, RetrievalRow row, const std::string& of) {
  auto known = std::find_if(methods.begin(), methods.end(), [&](const Method& m) { return m.name == row.method; });
  if (known == methods.end()) known = methods.insert(methods.end(), Method{row.method, {}, {}});
  if (!of.empty()) known->of.push_back(of);
  known->results.push_back(std::move(row));
}

std::string in_table(const Method& method, std::size_t depth) {
  std::vector<double> shares;
  for (const RetrievalRow& row : method.results) shares.push_back(100 * row.recall[depth]);
  const auto [count, mean, deviation] = spread_of(shares);
  return count == 1 ? fmt::format("{:.2f} %", mean) : fmt::format("{:.2f} ± {:.2f} %", mean, deviation);
}

/// Trains, or continues to train, the encoders of one seed; saves them in the folder if one is given.
RetrievalRow dpr_row(const RetrievalOptions& options, std::int64_t seed, const ArticleSets& sets,
                     std::span<const Article> articles) {
  DualEncoderConfig config = options.encoders;
  config.seed = seed;
  DualEncoder encoders(config, sets.train);
  const std::string base = options.out.empty() ? "" : fmt::format("{}/dpr-seed-{}", options.out, seed);
  if (!base.empty() && std::filesystem::exists(base + ".safetensors")) encoders.load(base + ".safetensors");
  std::optional<JsonLines> log;
  if (!base.empty() && !encoders.finished()) log.emplace(base + ".jsonl", encoders.epoch());
  Counter counter(fmt::format("dpr, seed {}", seed), config.epochs * encoders.steps_per_epoch());
  while (!encoders.finished()) {
    const double loss = encoders.train_epoch([&](std::int64_t done) { counter.update(done); });
    const auto& held_out = encoders.held_out();
    const RetrievalRow row = recall_row("", encoders.titles(held_out), encoders.descriptions(held_out), false);
    counter.clear();
    if (config.epochs < 10 || encoders.epoch() % (config.epochs / 5) == 0)
      fmt::print(stderr, "dpr, seed {}, epoch {}: loss {:.4f}, Recall@1 {:.2f} % of {} held-out articles\n", seed, encoders.epoch(),
                 loss, 100 * row.recall[0], held_out.size());
    if (!log) continue;
    log->write({{"step", encoders.epoch()}, {"loss", loss}, {"held_out", held_out.size()}, {"recall", row.recall}});
    encoders.save(base + ".safetensors");
  }
  return recall_row("DPR, two encoders", encoders.titles(articles), encoders.descriptions(articles), false);
}

void write_results(const RetrievalOptions& options, const std::vector<Method>& methods, std::size_t articles) {
  nlohmann::ordered_json page = {{"articles", articles}, {"depths", recall_depths}};
  if (options.dpr > 0) page["dpr"] = parse_json("retrieval", options.encoders.to_json());
  page["methods"] = nlohmann::ordered_json::array();
  for (const Method& method : methods) {
    nlohmann::ordered_json recall = nlohmann::ordered_json::array();
    for (const RetrievalRow& row : method.results) recall.push_back(row.recall);
    page["methods"].push_back({{"method", method.name}, {"of", method.of}, {"recall", std::move(recall)}});
  }
  write_file_atomically(options.out + "/results.json", page.dump(1) + "\n");
}

void retrieval(const RetrievalOptions& options) {
  const DualEncoderConfig& e = options.encoders;
  if (options.dpr < 0 || options.dpr > 1000) input_fail("--dpr", "must be in [0, 1000], got {}", options.dpr);
  if (e.epochs < 1 || e.layers < 0 || e.batch < 2) input_fail("--dpr", "requires at least 1 epoch, 0 layers and a batch of 2");
  const ArticleSets sets = open_articles(options.data);
  std::vector<Article> articles;
  for (const Article& article : sets.test)
    if (!article.title.empty() && !article.description.empty()) articles.push_back(article);
  require(!articles.empty(), "retrieval", "no test article in {} has both a title and a description", options.data);
  if (!options.out.empty()) std::filesystem::create_directories(options.out);
  std::vector<Method> methods;
  RetrievalRow chance{"by chance", {}};
  for (std::size_t i = 0; i < recall_depths.size(); ++i)
    chance.recall[i] = std::min(1.0, static_cast<double>(recall_depths[i]) / static_cast<double>(articles.size()));
  add_result(methods, chance, "");
  for (RetrievalRow& row : baseline_rows(articles)) add_result(methods, std::move(row), "");
  for (std::int64_t seed = 0; seed < options.dpr; ++seed)
    add_result(methods, dpr_row(options, seed, sets, articles), fmt::format("seed {}", seed));
  for (const std::string& run : options.runs) {
    const TrainedRun trained = open_run(run);
    with_precision(trained.checkpoint.config(), [&]<class R>(R) {
      const auto model = load_model<R>(trained.checkpoint);
      for (RetrievalRow& row : model_rows<R>(*model, trained, articles))
        add_result(methods, std::move(row), fmt::format("seed {}", trained.checkpoint.config().training.seed));
    });
  }
  if (!options.out.empty()) write_results(options, methods, articles.size());
  fmt::print("{} test articles of {}: is an article's own description among the first k found for its title?\n\n", articles.size(),
             options.data);
  const bool several = options.dpr > 1 || options.runs.size() > 1;
  const std::size_t column = several ? 17 : 12;
  fmt::print("{:<42}", "");
  for (const std::int64_t k : recall_depths) fmt::print("{:>{}}", fmt::format("Recall@{}", k), column);
  fmt::print("\n");
  for (const Method& method : methods) {
    fmt::print("{:<42}", method.name);
    for (std::size_t i = 0; i < recall_depths.size(); ++i) fmt::print("{:>{}}", in_table(method, i), column);
    fmt::print("\n");
  }
  if (several) fmt::print("\n± sample standard deviation over seeds or runs\n");
}

}  // namespace

void add_retrieval(CLI::App* command) {
  const auto options = std::make_shared<RetrievalOptions>();
  command
      ->add_option(
          "RUN", options->runs,
          "trained models to compare with the baselines, preferably with reflection windows; for several, the table shows the mean")
      ->type_name("");
  command->add_option("--data", options->data, "folder with test.csv and classes.txt, as in AG News, or `topics`")
      ->required()
      ->type_name("DIR");
  command->add_option("--dpr", options->dpr, "train DPR's two encoders on the training articles, with this many seeds")
      ->type_name("SEEDS")
      ->capture_default_str();
  command->add_option("--dpr-epochs", options->encoders.epochs, "epochs to train DPR")->type_name("INT")->capture_default_str();
  command->add_option("--dpr-layers", options->encoders.layers, "layers of each DPR encoder (0: bags of words)")
      ->type_name("INT")
      ->capture_default_str();
  command->add_option("--dpr-batch", options->encoders.batch, "pairs per step; each uses the other pairs' articles as negatives")
      ->type_name("INT")
      ->capture_default_str();
  command->add_option("--out", options->out, "folder for encoders, their logs and results.json; training resumes from it")
      ->type_name("DIR");
  add_threads(*command);
  command->footer(
      "The title of each test article is a query over all test descriptions. The baselines are BM25, and the cosine of mean "
      "embeddings\n"
      "with random word vectors. For a RUN the table has the cosine of its own mean embeddings and, for each reflection window,\n"
      "the cosine of its encodings of title and description, and the mean query of the title's tokens, as in the model. --dpr\n"
      "trains two encoders, of titles and of descriptions, so that the dot product of a title with its own description exceeds\n"
      "those with the others in a batch (dense passage retrieval); every twentieth training article is held out to monitor them.\n"
      "The test articles are not used in training. Where a training article has no separate title, its first 7 words are used.\n"
      "\n"
      "Examples:\n"
      "  argand retrieval --data ag_news\n"
      "  argand retrieval runs/crat --data ag_news\n"
      "  argand retrieval --data ag_news --dpr 3 --out runs/dpr");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    retrieval(*options);
  });
}

}  // namespace argand
