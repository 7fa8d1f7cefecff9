/// argand inspect: the contents of a checkpoint, tensor by tensor, and what the heads have learnt.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/terminal.h"
#include "core/text/text_layout.h"
#include "data/files/utf8.h"
#include "data/tokens/tokenizer.h"
#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/diagnostics.h"

namespace argand {
namespace {

struct InspectOptions {
  std::string run;
  bool optimizer = false;
};

bool holds_integers(const StoredTensor& tensor) {
  return tensor.dtype.starts_with('I') || tensor.dtype.starts_with('U') || tensor.dtype == "BOOL";
}

/// The name itself, or a printable form of one that a hostile file made up.
std::string printable(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; }) ? name : in_quotes(name);
}

/// "norm 3.2   rms 0.02   largest 0.9".
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
  const std::string bits = best ? fmt::format(", {:.3f} bits a byte,", *best) : "";
  if (checkpoint.state().best_step > 0)
    fmt::print(", best {} at step {}",
               lm ? fmt::format("validation perplexity {:.2f}{}", std::exp(checkpoint.state().best_valid), bits)
                  : fmt::format("{}accuracy {:.1f} %", part.empty() ? "" : part + " ", 100 * checkpoint.state().accuracy_of_best()),
               checkpoint.state().best_step);
  fmt::print("\n");
}

void inspect(const InspectOptions& options) {
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
  if (memory > 0) fmt::print("; the optimizer's memory: {}{}", memory, options.optimizer ? "" : ", shown with --optimizer");
  fmt::print("\n");
  // A foreign file does not name its family: each family looks for the parameters that it knows.
  for (const Family& family : families()) {
    if (!family.diagnostics.table) continue;
    const std::vector<std::string> table = family.diagnostics.table(diagnostic_parameters(family.diagnostics, file));
    if (!table.empty()) fmt::print("\n{}\n", style.bold(family.diagnostics.heading));
    for (const std::string& line : table) fmt::print("  {}\n", line);
  }
}

}  // namespace

void add_inspect(CLI::App& program) {
  CLI::App* command = program.add_subcommand("inspect", "show the contents of a checkpoint");
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or any safetensors file")
      ->required()
      ->type_name("");
  command->add_flag("--optimizer", options->optimizer, "include the optimizer state");
  command->footer(
      "Prints every parameter by name with shape, norm, root mean square and largest magnitude, for ComplexFormer the phase\n"
      "scale delta and the phase bias of every head, for QIC the angles and the values of J² they give.\n\n"
      "Examples:\n"
      "  argand inspect runs/first\n"
      "  argand inspect runs/first/last.safetensors --optimizer");
  command->callback([options] { inspect(*options); });
}

}  // namespace argand
