/// argand demo: the main task on the built-in corpus in about a minute. Checks the gradients of the model it is about to train,
/// trains ComplexFormer and its RoPE baseline side by side, and shows the results, also on a page for a browser.

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/report/page.h"
#include "apps/report/run_page.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/progress.h"
#include "core/parallel.h"
#include "data/corpora/grammar.h"
#include "data/files/atomic_file.h"
#include "nn/family.h"
#include "train/checkpoints/diagnostics.h"
#include "train/checks/gradcheck_subjects.h"
#include "train/data/corpora.h"
#include "train/generation/generation.h"
#include "train/loop/training_session.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::string out = "runs/demo";
  std::int64_t steps = 300;
  bool overwrite = false;
};

RunConfig demo_config(const DemoModel& model, std::int64_t steps) {
  Settings settings;
  for (const auto& [key, text] : model.settings) settings.push_back({key, text, "demo"});
  settings.insert(settings.end(),
                  {{"steps", fmt::format("{}", steps), "--steps"}, {"eval_every", "100", "demo"}, {"lr", "3e-3", "demo"}});
  return RunConfig::resolve({}, settings);
}

bool check_gradients(const RunConfig& config, const Corpus& corpus) {
  const auto start = std::chrono::steady_clock::now();
  const Report report = check_model_of(config, corpus);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} gradients of {} parameters against numerical ones, worst relative error {:.1e} ({:.1f} s)\n",
             report.compared(RowKind::Gradient), report.rows.size(), report.worst_error(), seconds);
  if (!report.ok()) fmt::print("{}", report_text(report));
  return report.ok();
}

/// Trains the two models alternately, one step each, so that their progress bars are comparable. Returns the exit code.
int train_side_by_side(std::vector<TrainingSession<float>*> sessions, const std::vector<std::string>& labels,
                       const Corpus& corpus) {
  const Interrupt interrupt(saves_after_this_step);
  Progress progress(labels, sessions[0]->run().config().training.steps, 25);
  progress.show_bits_per_byte(bits_per_byte(corpus));
  for (std::size_t i = 0; i < sessions.size(); ++i)
    sessions[i]->run().watch_evaluation([&progress, i](std::int64_t done, std::int64_t all) { progress.validating(i, done, all); });
  while (!sessions.back()->finished() && interrupt.signal() == 0)
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      const Advance done = sessions[i]->advance();
      progress.update(i, done.step.step, done.step.cross_entropy, done.step.tokens, done.seconds);
    }
  for (TrainingSession<float>* session : sessions) session->run().watch_evaluation(nullptr);
  progress.finish();
  if (interrupt.signal() == 0) return exit_success;
  for (TrainingSession<float>* session : sessions) {
    session->save();
    fmt::print("stopped by {} after step {}; continue with `argand train lm --resume {}`\n", interrupt.name(),
               session->run().state().step, session->folder().path());
  }
  return interrupt.exit_code();
}

/// `bound`: the best possible validation loss.
void compare_with_source(const std::vector<TrainingSession<float>*>& sessions, const std::vector<std::string>& labels,
                         double bound) {
  const BitsPerByte bits = sessions.front()->run().state().in_bits;  // computed for the validation part
  fmt::print("\n{:<22}{:>12}{:>18}{:>12}{:>15}{:>25}\n", "", "parameters", "validation loss", "perplexity", "bits per byte",
             "above the best possible");
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const double loss = sessions[i]->run().state().best_valid;
    fmt::print("{:<22}{:>12}{:>18.4f}{:>12.2f}{:>15.3f}{:>25.4f}\n", labels[i],
               with_unit(static_cast<double>(count_parameters(sessions[i]->run().parameters()))), loss, std::exp(loss), bits(loss),
               loss - bound);
  }
  fmt::print("{:<22}{:>12}{:>18.4f}{:>12.2f}{:>15.3f}\n", "the source's entropy", "", bound, std::exp(bound), bits(bound));
}

/// What a model writes, and how well it follows the grammar.
struct Writing {
  std::string beginning, judgement;
};

Writing write(TrainingSession<float>& session, const Grammar& grammar) {
  const std::int32_t end = grammar.vocabulary().id("<eos>");
  std::vector<std::int32_t> text = {end};
  generate<float>(session.run().model(), Ids({1, 1}, {end}), 400, {.temperature = 0.8, .seed = 1},
                  [&](std::span<const std::int32_t> next) { text.push_back(next[0]); });
  const Judgement found = grammar.judge(text);
  return {
      grammar.vocabulary().decode(std::span(text).subspan(1, 60)) + " ...",
      fmt::format("Grammar check of {} words: {} of {} sentences without an error; {} of {} distant verbs agree.", text.size() - 1,
                  found.correct, found.sentences, found.distant_verbs - found.distant_errors, found.distant_verbs)};
}

/// Creates the folder before training, so that a mistyped name fails at once; returns the file for the page.
std::string page_in(const std::string& folder, bool overwrite) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) input_fail("--out", "cannot create the folder {}: {}", folder, error.message());
  if (::access(folder.c_str(), W_OK) != 0) input_fail("--out", "cannot write into {}: {}", folder, std::strerror(errno));
  std::string page = (fs::path(folder) / "demo.html").string();
  if (fs::is_directory(page, error)) input_fail("--out", "cannot write the page {}: it is a folder", page);
  if (!overwrite && fs::exists(page, error)) input_fail("--out", "{} exists; add --overwrite to replace it", page);
  return page;
}

nlohmann::ordered_json page_of(const std::vector<TrainingSession<float>*>& sessions, const std::vector<std::string>& labels,
                               const std::vector<Writing>& writings, const Grammar& grammar, double bound) {
  nlohmann::ordered_json page = {
      {"title", "argand demo"},
      {"about",
       "Learned phases (ComplexFormer) against fixed phases (RoPE): two small models, trained side by side on a text whose "
       "entropy is known."},
      {"best_possible", {{"loss", grammar.entropy_per_token()}, {"valid_loss", bound}}},
      {"runs", nlohmann::ordered_json::array()}};
  SharedData data;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    page["runs"].push_back(RunPage(sessions[i]->folder().path(), labels[i], {}, data).json());
    page["runs"].back()["writing"] = {{"beginning", writings[i].beginning}, {"judgement", writings[i].judgement}};
  }
  return page;
}

int demo(const DemoOptions& options, bool own_folder, const std::string& version) {
  const Style style = style_for(stdout);
  const DemoModel &ours = default_family().demo.at(0), &other = default_family().demo.at(1);
  const RunConfig learnt = demo_config(ours, options.steps), fixed = demo_config(other, options.steps);
  const RunFolder first(options.out + "/" + ours.folder), second(options.out + "/" + other.folder);
  const bool overwrite = options.overwrite || own_folder;
  if (!overwrite) first.require_free(), second.require_free();
  const std::string page_file = page_in(options.out, overwrite);
  const Grammar grammar;
  const Corpus corpus = open_corpus(learnt);

  fmt::print("{}\n", style.bold("1. Are the gradients right?"));
  if (!check_gradients(learnt, corpus) || !check_gradients(fixed, corpus)) return exit_failure;

  fmt::print("\n{}\n", style.bold("2. Training: learned phases (ComplexFormer) against fixed phases (RoPE)"));
  TrainingSession<float> a(first, overwrite, learnt, corpus), b(second, overwrite, fixed, corpus);
  const std::vector<std::string> labels = {ours.label, other.label};
  if (const int code = train_side_by_side({&a, &b}, labels, corpus); code != exit_success) return code;

  fmt::print("\n{}", style.bold("3. Results"));
  const double bound = grammar.best_possible_loss(corpus.valid);
  compare_with_source({&a, &b}, labels, bound);
  fmt::print("\n{}\n", style.bold("cos(δ (θq - θk) + b + (m - n) ω): what the heads learned, mean ± deviation over frequencies"));
  const DiagnosticParameters& diagnostics = default_family().diagnostics;
  for (const std::string& line : diagnostics.table(diagnostic_parameters(diagnostics, SafetensorsFile::open(first.last()))))
    fmt::print("{}\n", line);
  const std::vector<Writing> writings = {write(a, grammar), write(b, grammar)};
  for (std::size_t i = 0; i < labels.size(); ++i)
    fmt::print("\n{}\n{}\n{}\n", style.bold(labels[i] + " writes"), writings[i].beginning, writings[i].judgement);
  fmt::print(
      "\nThe files are in {}. Next:\n  argand generate {} --prompt \"mary is\"\n  argand inspect {}\n  argand train lm --help\n",
      options.out, first.path(), first.path());
  nlohmann::ordered_json page = page_of({&a, &b}, labels, writings, grammar, bound);
  page["version"] = version;
  write_file_atomically(page_file, make_page(page));
  fmt::print("\nOpen this page in a browser, for the curves, the phases of the heads and what each model writes:\n{}\n", page_file);
  return exit_success;
}

}  // namespace

void add_demo(CLI::App* command) {
  const auto options = std::make_shared<DemoOptions>();
  CLI::Option* out = command->add_option("--out", options->out, "folder for the files")->type_name("DIR")->capture_default_str();
  command->add_option("--steps", options->steps, "optimizer steps of each model")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("INT")
      ->capture_default_str();
  command->add_flag("--overwrite", options->overwrite,
                    "replace the runs and the page in --out; the default folder is always replaced");
  add_threads(*command);
  command->footer(
      "Needs no data: the text comes from a small grammar of known entropy, so losses can be compared with the best possible one.\n"
      "Ends by writing DIR/demo.html, one file that opens in a browser without a network: the curves beside the best possible\n"
      "loss, the phases of the heads, and what each model writes.\n"
      "\n"
      "Examples:\n"
      "  argand demo\n"
      "  argand demo --steps 2000 --out runs/long-demo");
  command->callback([options, command, out] {
    flush_subnormals_to_zero(true);
    const int code = demo(*options, out->count() == 0, command->get_parent()->version());
    if (code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
