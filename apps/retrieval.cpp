/// argand retrieval: how well articles are found by their titles.

#include <memory>

#include "apps/commands.h"
#include "apps/inference/retrieval_quality.h"
#include "apps/terminal/command_line.h"
#include "apps/training/corpora.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct RetrievalOptions {
  std::string run, data;
};

void retrieval(const RetrievalOptions& options) {
  const ArticleSets sets = open_articles(options.data);
  std::vector<Article> articles;
  for (const Article& article : sets.test)
    if (!article.title.empty() && !article.description.empty()) articles.push_back(article);
  require(!articles.empty(), "retrieval", "no test article of {} has both a title and a description", options.data);
  std::vector<RetrievalRow> rows = baseline_rows(articles);
  rows.insert(rows.begin(), {"by chance", {}});
  for (std::size_t i = 0; i < recall_depths.size(); ++i)
    rows.front().recall[i] = std::min(1.0, static_cast<double>(recall_depths[i]) / static_cast<double>(articles.size()));
  if (!options.run.empty()) {
    const TrainedRun trained = open_run(options.run);
    with_precision(trained.checkpoint.config(), [&]<class R>(R) {
      const auto model = load_model<R>(trained.checkpoint);
      for (RetrievalRow& row : model_rows<R>(*model, trained, articles)) rows.push_back(std::move(row));
    });
  }
  fmt::print("{} test articles of {}: is an article's own description among the first k found for its title?\n\n", articles.size(),
             options.data);
  fmt::print("{:<42}", "");
  for (const std::int64_t k : recall_depths) fmt::print("{:>12}", fmt::format("Recall@{}", k));
  fmt::print("\n");
  for (const RetrievalRow& row : rows) {
    fmt::print("{:<42}", row.method);
    for (const double share : row.recall) fmt::print("{:>12}", fmt::format("{:.2f} %", 100 * share));
    fmt::print("\n");
  }
}

}  // namespace

void add_retrieval(CLI::App& program) {
  CLI::App* command = program.add_subcommand("retrieval", "measure how well articles are found by their titles");
  const auto options = std::make_shared<RetrievalOptions>();
  command->add_option("RUN", options->run, "a trained model to compare with the baselines, best one with reflection windows")
      ->type_name("");
  command->add_option("--data", options->data, "folder with test.csv and classes.txt as AG News has them, or `topics`")
      ->required()
      ->type_name("DIR");
  add_threads(*command);
  command->footer(
      "Every title of the test articles searches all their descriptions. The baselines are BM25, and the cosine of mean\n"
      "embeddings with random numbers for words. Of a RUN there are the cosine of its own mean embeddings and, for each of\n"
      "its reflection windows, the cosine of its encodings of title and description, and what the tokens of the title ask it\n"
      "for, on average, as in the model.\n\n"
      "Examples:\n"
      "  argand retrieval --data ag_news\n"
      "  argand retrieval runs/crat --data ag_news");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    retrieval(*options);
  });
}

}  // namespace argand
