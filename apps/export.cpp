/// argand export: writes a checkpoint's tensors for NumPy or any version of Python's safetensors; or a log, also for TensorBoard.

#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/report/log_export.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/output_file.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "data/files/npz.h"
#include "data/files/utf8.h"
#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

struct ExportOptions {
  std::string run, npz, safetensors, log, tensorboard;
  bool with_optimizer = false;
};

/// Calls add(name, tensor or ids) for each tensor as stored, except that half precision becomes float32.
template <class Add>
void visit_stored(const SafetensorsFile& file, const std::string& name, const Add& add) {
  const StoredTensor& t = file.info(name);
  if (t.dtype == "F64")
    t.is_complex ? add(name, file.tensor<std::complex<double>>(name)) : add(name, file.tensor<double>(name));
  else if (t.is_complex)
    add(name, file.tensor<std::complex<float>>(name));
  else if (t.dtype == "F32" || t.dtype == "F16" || t.dtype == "BF16")
    add(name, file.tensor<float>(name));
  else if (t.dtype == "I32" || t.dtype == "I64")
    add(name, file.ids(name));
  else
    fail("export", "{}: tensor {} is {}; only floating-point and complex numbers and 32-bit integers can be exported", file.path(),
         in_quotes(name), t.dtype);
}

void write_npz(const SafetensorsFile& file, const std::vector<std::string>& names, const std::string& path) {
  NpzWriter writer;
  for (const std::string& name : names) visit_stored(file, name, [&](const std::string& n, const auto& x) { writer.add(n, x); });
  writer.save(path);
}

void write_safetensors(const SafetensorsFile& file, const std::vector<std::string>& names, bool with_optimizer,
                       const std::string& path) {
  SafetensorsWriter writer(SafetensorsWriter::Complex::Pairs);
  for (const std::string& name : names) visit_stored(file, name, [&](const std::string& n, const auto& x) { writer.add(n, x); });
  for (const auto& [key, value] : file.metadata())
    if (key != "complex" && (with_optimizer || key != "optimizer_steps")) writer.metadata(key, value);
  writer.save(path);
}

/// Exports the log of the run that the checkpoint belongs to.
void export_log(const ExportOptions& options) {
  namespace fs = std::filesystem;
  const std::string folder = fs::is_directory(options.run) ? options.run : fs::path(options.run).parent_path().string();
  const RunLog log = read_log(RunFolder(folder.empty() ? "." : folder).log());
  require(!log.lines.empty(), "export", "{} has no log.jsonl with at least one step", folder.empty() ? "." : folder);
  if (log.unreadable > 0)
    fmt::print(stderr, "argand: log: {} cannot be read and {} left out\n", counted(log.unreadable, "line"),
               log.unreadable == 1 ? "is" : "are");
  const OutputFile csv(options.log);
  if (csv) csv.write(csv_of(log));
  std::string events;
  if (!options.tensorboard.empty()) {
    std::error_code error;
    fs::create_directories(options.tensorboard, error);
    require(!error, "export", "cannot create the folder {}: {}", options.tensorboard, error.message());
    events = (fs::path(options.tensorboard) / "events.out.tfevents.0.argand").string();
    write_file_atomically(events, tensorboard_events_of(log));
  }
  for (const std::string& out : {options.log, events})
    if (!out.empty() && out != "-") fmt::print("{}: {} lines of the log\n", out, log.lines.size());
}

void export_tensors(const ExportOptions& options) {
  if (!options.log.empty() || !options.tensorboard.empty()) export_log(options);
  if (options.npz.empty() && options.safetensors.empty() && !(options.log.empty() && options.tensorboard.empty())) return;
  if (options.npz.empty() && options.safetensors.empty())
    input_fail("export", "no output file given: --npz FILE, --safetensors FILE, --log FILE, --tensorboard DIR");
  const SafetensorsFile file = SafetensorsFile::open(find_checkpoint(options.run));
  for (const std::string& out : {options.npz, options.safetensors}) {
    std::error_code not_there;
    if (!out.empty() && std::filesystem::equivalent(out, file.path(), not_there))
      input_fail("export", "{} is the input file; choose another", out);
  }
  if (!options.npz.empty() && options.npz == options.safetensors)
    input_fail("export", "--npz and --safetensors name the same file {}", options.npz);

  std::vector<std::string> names;
  for (const std::string& name : file.names())
    if (options.with_optimizer || !is_resume_state(name)) names.push_back(name);
  if (!options.npz.empty()) write_npz(file, names, options.npz);
  if (!options.safetensors.empty()) write_safetensors(file, names, options.with_optimizer, options.safetensors);
  for (const std::string& out : {options.npz, options.safetensors})
    if (!out.empty()) fmt::print("{}: {} tensors of {}\n", out, names.size(), file.path());
}

}  // namespace

void add_export(CLI::App* command) {
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or any safetensors file")
      ->required()
      ->type_name("");
  command->add_option("--npz", options->npz, "for NumPy: numpy.load(FILE)[NAME]")->type_name("FILE");
  command->add_option("--safetensors", options->safetensors, "write complex tensors as real ones with a trailing axis of 2")
      ->type_name("FILE");
  command
      ->add_option(
          "--log", options->log,
          "write the numbers of the run's log as CSV: one row per line of the log, one column per quantity; - for standard output")
      ->type_name("FILE");
  command
      ->add_option("--tensorboard", options->tensorboard, "write the log as an event file in this folder: tensorboard --logdir DIR")
      ->type_name("DIR");
  command->add_flag("--with-optimizer", options->with_optimizer, "include the optimizer state");
  command->footer(
      "Every tensor keeps its name, shape and precision (half precision becomes float32). An existing file is replaced completely\n"
      "or not at all.\n"
      "\n"
      "PyTorch reads a checkpoint directly, with safetensors.torch.load_file of safetensors 0.7.0 or later: complex64 parameters\n"
      "become complex tensors. Earlier versions do not support complex64. For them, --safetensors writes all complex tensors as\n"
      "real ones, which torch.view_as_complex converts back; their names are in the metadata, as `complex`. argand reads either.\n"
      "\n"
      "Examples:\n"
      "  argand export runs/first --npz first.npz\n"
      "  argand export runs/first/last.safetensors --safetensors last-real.safetensors --with-optimizer");
  command->callback([options] { export_tensors(*options); });
}

}  // namespace argand
