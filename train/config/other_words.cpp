#include "train/config/other_words.h"

#include <algorithm>
#include <map>

namespace argand {
namespace {

/// Names used by nanoGPT, PyTorch's examples and the Hugging Face trainer.
const std::multimap<std::string, OtherWord>& words() {
  static const std::multimap<std::string, OtherWord> table = [] {
    std::multimap<std::string, OtherWord> all;
    const auto add = [&](const OtherWord& word, std::initializer_list<const char*> theirs) {
      for (const char* name : theirs) all.emplace(name, word);
    };
    add({"lr"}, {"learning_rate", "max_lr"});
    add({"final_lr", ", as a fraction of lr"}, {"min_lr", "end_lr"});
    add({"decay_steps"}, {"lr_decay_iters", "lr_decay_steps"});
    add({"warmup"}, {"warmup_steps", "warmup_iters", "warmup_ratio", "lr_warmup"});
    add({"batch"}, {"batch_size", "bs", "per_device_train_batch_size"});
    add({"length"}, {"block_size", "context", "context_length", "seq_len", "sequence_length", "bptt", "window"});
    add({"max_seq_len"}, {"max_length", "max_position_embeddings", "block_size"});
    add({"accumulate"}, {"gradient_accumulation_steps", "grad_accum", "accumulation_steps", "update_freq"});
    add({"n_layers"}, {"n_layer", "layers", "num_layers", "num_hidden_layers", "depth"});
    add({"n_heads"}, {"n_head", "heads", "num_heads", "nhead", "num_attention_heads"});
    add({"d_model"}, {"n_embd", "embed_dim", "emsize", "hidden_size", "dim", "width"});
    add({"d_ff"}, {"nhid", "ffn_dim", "intermediate_size", "dim_feedforward", "mlp_dim"});
    add({"steps"}, {"max_iters", "max_steps", "num_steps", "iterations", "iters"});
    add({"epochs"}, {"num_epochs", "num_train_epochs", "max_epochs"});
    add({"clip"}, {"grad_clip", "max_grad_norm", "clip_norm", "clip_grad"});
    add({"eval_every"}, {"eval_interval", "eval_steps", "validate_every", "val_interval"});
    add({"eval_batches"}, {"eval_iters", "limit_val_batches"});
    add({"checkpoint_every"}, {"save_every", "save_steps", "save_interval"});
    add({"log_every"}, {"log_interval", "logging_steps"});
    add({"early_stop"}, {"patience", "early_stopping", "early_stopping_patience"});
    add({"sample_every"}, {"sample_interval"});
    add({"out"}, {"out_dir", "output_dir", "output", "save_dir", "save"});
    add({"init"}, {"init_from", "pretrained", "finetune", "fine_tune", "load", "weights", "from_checkpoint"});
    add({"resume"}, {"resume_from", "resume_from_checkpoint", "continue"});
    add({"data"}, {"dataset", "data_dir", "train_data", "corpus", "input"});
    add({"precision"}, {"dtype"});
    add({"family"}, {"model", "arch", "model_type"});
    add({"tie_embeddings"}, {"tied", "tie_weights"});
    add({"tokens"}, {"max_new_tokens", "num_tokens", "words", "max_length"});
    add({"prompt"}, {"start", "text", "input"});
    add({"temperature"}, {"temp"});
    add({"threads"}, {"num_threads", "num_workers", "workers", "nproc"});
    add({"quick"}, {"fast"});
    return all;
  }();
  return table;
}

}  // namespace

std::optional<OtherWord> other_word(const std::string& word, const std::vector<std::string>& known) {
  const auto has = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  const auto [first, last] = words().equal_range(word);
  for (auto it = first; it != last; ++it)
    if (has(it->second.ours)) return it->second;
  return std::nullopt;
}

}  // namespace argand
