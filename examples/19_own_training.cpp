/// 19. Your own training program: a text, a configuration, checkpoints. An interrupted run ends with the same bits as an
/// uninterrupted one.
///
/// Run:       build/examples/19_own_training
/// Try next:  your own file (read_text_file in data/files/text_file.h), family "crope"; tokens "bpe" (in two places); kill the
/// program at any point with kill -9 and start it again; an unknown field, to see what a ConfigError says.

#include <filesystem>

#include <argand/argand.h>

using namespace argand;

using Session = TrainingSession<float>;

/// The run in the folder: a new one, or the existing one, resumed from its last checkpoint.
Session begin_or_resume(const RunFolder& folder, const RunConfig& config, const TrainingData& data) {
  if (!folder.holds_a_run()) return Session(folder, /*overwrite*/ false, config, data);
  const RunLock lock(folder.path());  // before the checkpoint is read
  return Session(folder, lock, Checkpoint(folder.last()), data);
}

void train(Session session, std::int64_t until) {
  fmt::print("from step {}\n", session.run().state().step);
  while (!session.finished() && session.run().state().step < until) {
    const Advance done = session.advance();  // a step and everything due after it: a log line, a validation, a checkpoint
    if (done.validation) fmt::print("  step {:2}  validation {:.1f} nats per character\n", done.step.step, done.validation->loss);
  }
}

int main() {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += fmt::format("{} and {} make {}\n", i % 7, i % 5, i % 7 + i % 5);
  const auto tokens = make_tokens({.kind = "char"}, text);
  const TrainingData data = in_tokens(tokens, text, /*validation*/ text.substr(0, 1600), /*test*/ "");
  const RunConfig config = RunConfig::resolve({}, {{"data", "sums"},
                                                   {"family", "complexformer"},
                                                   {"n_layers", "1"},
                                                   {"d_model", "32"},
                                                   {"length", "32"},
                                                   {"tokens", "char"},
                                                   {"steps", "60"},
                                                   {"lr", "1e-2"},
                                                   {"dropout", "0.1"},
                                                   {"eval_every", "30"},
                                                   {"checkpoint_every", "10"}});

  const auto scratch = std::filesystem::temp_directory_path() / "argand-own-training";
  std::filesystem::remove_all(scratch);
  const RunFolder whole((scratch / "whole").string()), stopped((scratch / "stopped").string());
  train(begin_or_resume(whole, config, data), 60);
  train(begin_or_resume(stopped, config, data), 45);  // its last checkpoint is at step 40
  train(begin_or_resume(stopped, config, data), 60);
  const bool same = checksum_of(read_bytes("example", whole.last())) == checksum_of(read_bytes("example", stopped.last()));
  fmt::print("the run that was stopped ended in {}\n", same ? "the same bits" : "other bits");
  std::filesystem::remove_all(scratch);
}
