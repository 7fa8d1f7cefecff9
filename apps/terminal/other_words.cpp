#include "apps/terminal/other_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace argand {
namespace {

struct Word {
  std::string ours;       ///< the option
  const char* more = "";  ///< what else should be known of it
};

/// Those of nanoGPT, of PyTorch's examples and of the Hugging Face trainer.
const std::multimap<std::string, Word>& words() {
  static const std::multimap<std::string, Word> table = [] {
    std::multimap<std::string, Word> all;
    const auto add = [&](const Word& word, std::initializer_list<const char*> theirs) {
      for (const char* name : theirs) all.emplace(name, word);
    };
    add({"--lr"}, {"--learning-rate", "--max-lr"});
    add({"--final-lr", ", as a fraction of --lr"}, {"--min-lr", "--end-lr"});
    add({"--decay-steps"}, {"--lr-decay-iters", "--lr-decay-steps"});
    add({"--warmup"}, {"--warmup-steps", "--warmup-iters", "--warmup-ratio", "--lr-warmup"});
    add({"--batch"}, {"--batch-size", "--bs", "--per-device-train-batch-size"});
    add({"--length"}, {"--block-size", "--context", "--context-length", "--seq-len", "--sequence-length", "--bptt", "--window"});
    add({"--max-seq-len"}, {"--max-length", "--max-position-embeddings", "--block-size"});
    add({"--accumulate"}, {"--gradient-accumulation-steps", "--grad-accum", "--accumulation-steps", "--update-freq"});
    add({"--n-layers"}, {"--n-layer", "--layers", "--num-layers", "--num-hidden-layers", "--depth"});
    add({"--n-heads"}, {"--n-head", "--heads", "--num-heads", "--nhead", "--num-attention-heads"});
    add({"--d-model"}, {"--n-embd", "--embed-dim", "--emsize", "--hidden-size", "--dim", "--width"});
    add({"--d-ff"}, {"--nhid", "--ffn-dim", "--intermediate-size", "--dim-feedforward", "--mlp-dim"});
    add({"--steps"}, {"--max-iters", "--max-steps", "--num-steps", "--iterations", "--iters"});
    add({"--epochs"}, {"--num-epochs", "--num-train-epochs", "--max-epochs"});
    add({"--clip"}, {"--grad-clip", "--max-grad-norm", "--clip-norm", "--clip-grad"});
    add({"--eval-every"}, {"--eval-interval", "--eval-steps", "--validate-every", "--val-interval"});
    add({"--eval-batches"}, {"--eval-iters", "--limit-val-batches"});
    add({"--checkpoint-every"}, {"--save-every", "--save-steps", "--save-interval"});
    add({"--log-every"}, {"--log-interval", "--logging-steps"});
    add({"--early-stop"}, {"--patience", "--early-stopping", "--early-stopping-patience"});
    add({"--sample-every"}, {"--sample-interval"});
    add({"--out"}, {"--out-dir", "--output-dir", "--output", "--save-dir", "--save"});
    add({"--init"}, {"--init-from", "--pretrained", "--finetune", "--fine-tune", "--load", "--weights", "--from-checkpoint"});
    add({"--resume"}, {"--resume-from", "--resume-from-checkpoint", "--continue"});
    add({"--data"}, {"--dataset", "--data-dir", "--train-data", "--corpus", "--input"});
    add({"--precision"}, {"--dtype"});
    add({"--family"}, {"--model", "--arch", "--model-type"});
    add({"--tie-embeddings"}, {"--tied", "--tie-weights"});
    add({"--tokens"}, {"--max-new-tokens", "--num-tokens", "--words", "--max-length"});
    add({"--prompt"}, {"--start", "--text", "--input"});
    add({"--temperature"}, {"--temp"});
    add({"--threads"}, {"--num-threads", "--num-workers", "--workers", "--nproc"});
    add({"--quick"}, {"--fast"});
    return all;
  }();
  return table;
}

}  // namespace

std::string other_word(const std::string& option, const std::vector<std::string>& known) {
  const auto has = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  std::string name = option;
  std::replace(name.begin(), name.end(), '_', '-');  // --batch_size, as nanoGPT has it
  if (has(name)) return "; it is called " + name + " here";
  for (const char* machine : {"--device", "--gpu", "--gpus", "--cuda", "--no-cuda", "--cpu", "--mps"})
    if (name == machine)
      return has("--threads") ? "; argand computes on the CPU, and --threads says with how many threads"
                              : "; argand computes on the CPU";
  const auto [first, last] = words().equal_range(name);
  for (auto it = first; it != last; ++it)
    if (has(it->second.ours)) return fmt::format("; it is called {} here{}", it->second.ours, it->second.more);
  return "";
}

}  // namespace argand
