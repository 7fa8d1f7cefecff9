/// argand inspect: lists a checkpoint's tensors and what the heads have learnt; measures how far parameters moved, how much that
/// improves the loss, and how sharply the heads attend.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/output_file.h"
#include "apps/terminal/terminal.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/files/utf8.h"
#include "data/tokens/tokenizer.h"
#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/diagnostics.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/attention_figures.h"
#include "train/evaluation/evaluation_figures.h"
#include "train/evaluation/travel.h"

namespace argand {
namespace {

struct InspectOptions {
  std::string run, json;
  bool optimizer = false, travel = false, attention = false;
  std::int64_t batches = 40;
};

bool holds_integers(const StoredTensor& tensor) {
  return tensor.dtype.starts_with('I') || tensor.dtype.starts_with('U') || tensor.dtype == "BOOL";
}

/// A tensor's name, made printable if it comes from a hostile file.
std::string printable(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; }) ? name : in_quotes(name);
}

/// A tensor's statistics: "norm 3.2   rms 0.02   largest 0.9".
template <Scalar T>
std::string figures(const Tensor<T>& x) {
  double squares = 0, largest = 0;
  for (T v : x.span()) {
    const double a2 = static_cast<double>(abs2_of(v));
    squares += a2;
    largest = std::isnan(a2) ? a2 : std::max(largest, std::sqrt(a2));
  }
  return fmt::format("norm {:<10.4g} rms {:<10.4g} largest {:<10.4g}", std::sqrt(squares),
                     std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(1, x.size()))), largest);
}

void print_tensor(const SafetensorsFile& file, const std::string& name) {
  const StoredTensor& tensor = file.info(name);
  std::string text = fmt::format("  {:<40} {:<4} {:<16} ", printable(name),
                                 tensor.is_complex && tensor.dtype != "C64" ? "C128" : tensor.dtype, tensor.shape.str());
  if (!holds_integers(tensor))
    text += tensor.is_complex ? figures(file.tensor<std::complex<double>>(name)) : figures(file.tensor<double>(name));
  fmt::print("{}\n", text);
}

void describe_run(const Checkpoint& checkpoint) {
  const RunConfig& c = checkpoint.config();
  const bool lm = c.model.task == TextTask::Lm;
  fmt::print("{}, {} of {}, d_model {}, d_ff {}, {} {}, {}{}\n", c.model.family().name, counted(c.model.n_layers, "layer"),
             counted(c.model.n_heads, "head"), c.model.d_model, c.model.d_ff, c.model.vocab_size,
             plural_of(lm ? c.training.tokens : "words"), lm ? "" : fmt::format("{} classes, ", c.model.n_classes),
             c.training.precision);
  fmt::print("step {} of {}", checkpoint.state().step, c.training.steps);
  const auto best = checkpoint.state().best_bits_per_byte();
  const std::string& part = checkpoint.state().validated_on;
  const std::string bits = best ? fmt::format(", {:.3f} bits per byte,", *best) : "";
  if (checkpoint.state().best_step > 0)
    fmt::print(", best {} at step {}",
               lm ? fmt::format("validation perplexity {:.2f}{}", std::exp(checkpoint.state().best_valid), bits)
                  : fmt::format("{}accuracy {:.1f} %", part.empty() ? "" : part + " ", 100 * checkpoint.state().accuracy_of_best()),
               checkpoint.state().best_step);
  fmt::print("\n");
}

/// "0.0123", or "3.2e-05" if the fixed notation would show only zeros.
std::string small_number(double x) { return std::abs(x) >= 1e-3 || x == 0 ? fmt::format("{:.4f}", x) : fmt::format("{:.1e}", x); }

Figures print_travel(const TrainedRun& trained, const Travel& travel, const std::vector<InvarianceEffect>& effects,
                     const Style& style) {
  const OptimizerConfig& optimizer = trained.checkpoint.config().optimizer;
  Figures parts = Figures::array(), changes = Figures::array();
  fmt::print("{}\n", style.bold("how far parameters moved from their initial values, and what resetting them costs"));
  fmt::print("  {:<22}{:>9}{:>11}{:>11}{:>11}{:>11}\n", "", "numbers", "rms change", "max change", "of reach", "loss");
  for (const TravelledPart& part : travel.parts) {
    const std::string share =
        part.adam ? fmt::format("{:.3f}{}", part.longest / travel.reach, part.decays ? " d" : "  ") : "muon  ";
    fmt::print("  {:<22}{:>9}{:>11}{:>11}{:>11}{:>+11.4f}\n", part.name, part.numbers, small_number(part.rms),
               small_number(part.longest), share, part.set_back - travel.loss);
    parts.push_back({{"name", part.name},
                     {"numbers", part.numbers},
                     {"rms", part.rms},
                     {"longest", part.longest},
                     {"adam", part.adam},
                     {"decays", part.decays},
                     {"set_back", part.set_back}});
  }
  const double step = longest_adam_step(optimizer.beta1, optimizer.beta2);
  fmt::print(
      "  loss of the trained model {:.4f}; reach, the sum of the learning rates of {}: {:.4g} (Adam moves a number by at most "
      "{:.2f} times that); d: with weight decay\n",
      travel.loss, counted(trained.checkpoint.state().step, "step"), travel.reach, step);
  if (!effects.empty()) fmt::print("\n{}\n", style.bold("invariances of this model: change in a batch's loss, in float64"));
  for (const auto& [invariance, change] : effects) {
    fmt::print("  {:<10.0e}{}: {}\n", change, invariance.name, invariance.what);
    changes.push_back({{"name", invariance.name}, {"change", change}});
  }
  return {{"reach", travel.reach}, {"longest_step", step}, {"loss", travel.loss}, {"parts", parts}, {"invariances", changes}};
}

Figures print_attention(const std::vector<HeadFigures>& heads, const Style& style) {
  fmt::print("{}\n", style.bold("how sharply heads attend, and how evenly phases are spread"));
  fmt::print("  {:<18}{:>9}{:>16}{:>14}{:>14}\n", "", "entropy", "largest weight", "phases of q", "phases of k");
  Figures figures = Figures::array();
  for (const HeadFigures& head : heads) {
    const auto phases = [](const std::optional<double>& r) { return r ? fmt::format("{:.3f}", *r) : "-"; };
    fmt::print("  {:<18}{:>9.3f}{:>16.3f}{:>14}{:>14}\n", fmt::format("layer {} head {}", head.layer, head.head), head.entropy,
               head.largest, phases(head.phases_of_q), phases(head.phases_of_k));
    figures.push_back({{"layer", head.layer}, {"head", head.head}, {"entropy", head.entropy}, {"largest", head.largest}});
    if (head.phases_of_q) figures.back()["phases_of_q"] = *head.phases_of_q, figures.back()["phases_of_k"] = *head.phases_of_k;
  }
  fmt::print("  entropy: 1 for equal weights, 0 for one key; phases: length of their mean, 0 if spread evenly over the circle\n");
  return {{"heads", figures}};
}

/// The measurements that need the text or the articles on which the run validates.
void measure(const InspectOptions& options) {
  const OutputFile json(options.json);
  const TrainedRun trained = open_run(options.run);
  const RunConfig& config = trained.checkpoint.config();
  const Style style = style_for(stdout);
  const TrainingData data = open_data(config, trained);
  const EvaluationSet validation = make_task(config, data).validation, set = some_batches(validation, options.batches);
  fmt::print("{} at step {}, {} of the {} part\n", style.bold(trained.checkpoint.file().path()), trained.checkpoint.state().step,
             counted(set.size, "batch"), validated_part(data));
  Figures all = {{"step", trained.checkpoint.state().step}, {"batches", set.size}};
  with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    const ContextOf context_of = [&](const Batch&) { return retriever.context(); };
    if (options.travel) {
      Counter counter("evaluating", 1);
      const Travel travel =
          travel_of<R>(trained, *model, set, context_of, [&](double share) { counter.show(share, "resetting parameters"); });
      counter.clear();
      fmt::print("\n");
      all["travel"] =
          print_travel(trained, travel, effects_of_invariances(trained.checkpoint, set.at(0), retriever.context()), style);
    }
    if (options.attention) {
      fmt::print("\n");
      all["attention"] = print_attention(attention_figures<R>(*model, set, context_of), style);
    }
  });
  if (json) json.write(all.dump(1) + "\n");
}

void inspect(const InspectOptions& options) {
  if (options.batches < 0) input_fail("--batches", "must not be negative, got {}", options.batches);
  if (options.travel || options.attention) return measure(options);
  if (!options.json.empty()) input_fail("--json", "requires --travel or --attention");
  const std::string path = find_checkpoint(options.run);
  const SafetensorsFile file = SafetensorsFile::open(path);
  const Style style = style_for(stdout);
  fmt::print("{}\n", style.bold(path));
  if (is_checkpoint(file)) describe_run(Checkpoint(path));

  std::int64_t numbers = 0, memory = 0, tensors = 0;
  for (const std::string& name : file.names()) {
    const StoredTensor& tensor = file.info(name);
    const std::int64_t count = tensor.shape.size() * (tensor.is_complex ? 2 : 1);
    const bool of_optimizer = name.starts_with("optimizer.");
    (of_optimizer ? memory : numbers) += count;
    tensors += of_optimizer ? 0 : 1;
    if (!of_optimizer || options.optimizer) print_tensor(file, name);
  }
  fmt::print("{} tensors, {} real numbers (a complex one counts twice)", tensors, numbers);
  if (memory > 0) fmt::print("; optimizer state: {}{}", memory, options.optimizer ? "" : ", shown with --optimizer");
  fmt::print("\n");
  // A foreign file does not name its family, so each family looks for its own parameters.
  for (const Family& family : families()) {
    if (!family.diagnostics.table) continue;
    const std::vector<std::string> table = family.diagnostics.table(diagnostic_parameters(family.diagnostics, file));
    if (!table.empty()) fmt::print("\n{}\n", style.bold(family.diagnostics.heading));
    for (const std::string& line : table) fmt::print("  {}\n", line);
  }
}

}  // namespace

void add_inspect(CLI::App* command) {
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or any safetensors file")
      ->required()
      ->type_name("");
  command->add_flag("--optimizer", options->optimizer, "include the optimizer state");
  command->add_flag("--travel", options->travel,
                    "how far parameters moved, what resetting them costs, and which changes make no difference");
  command->add_flag("--attention", options->attention, "how sharply the heads attend, and how evenly phases are spread");
  command->add_option("--batches", options->batches, "batches of the validation part to measure on (0: all)")
      ->type_name("INT")
      ->capture_default_str();
  command->add_option("--json", options->json, "also write the measured figures to a file (- for standard output)")
      ->type_name("FILE");
  add_threads(*command);
  command->footer(
      "Prints every parameter by name with shape, norm, root mean square and largest magnitude; for ComplexFormer, also the\n"
      "phase scale delta and the phase bias of every head; for QIC, the angles and the values of J² they give.\n"
      "--travel compares every parameter with its initial value, recreated from configuration and seed. Reach is the sum of\n"
      "the learning rates, about as far as Adam can move a number. The loss shown is the increase when all parameters with\n"
      "this name are reset to their initial values. The family's invariances, tested on this run, follow.\n"
      "--attention: the entropy of a position's weights divided by ln(number of visible keys), its largest weight, and the length\n"
      "of the mean of e^(i phase) over all positions, averaged over a head's pairs. All are means over positions.\n\n"
      "Examples:\n"
      "  argand inspect runs/first\n"
      "  argand inspect runs/first/last.safetensors --optimizer\n"
      "  argand inspect runs/first --travel --attention");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    inspect(*options);
  });
}

}  // namespace argand
