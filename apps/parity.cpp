/// argand parity CASE...: compares loss, logits, gradients and optimiser steps with those recorded from PyTorch's autograd.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/terminal.h"
#include "autograd/tape.h"
#include "core/machine/json.h"
#include "core/text/text_layout.h"
#include "data/files/safetensors.h"
#include "nn/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"
#include "optim/rate.h"

namespace argand {
namespace {

/// The tolerance for a tensor, relative to the largest magnitude in the expected tensor.
struct Tolerance {
  double gradient, after_steps;
};
// Steps amplify rounding: AdamW divides each gradient by its own size, Muon raises small singular values. Rounding the parameters
// of a golden case to float32 and continuing in float64 moved the result of three steps by up to 1.8e-4 (PyTorch, six draws per
// case); PyTorch's own float32 was up to 1.4e-4 off, ours 2.1e-4 with OpenBLAS's Haswell kernels, 5.9e-5 with its SkylakeX kernels.
constexpr Tolerance float64_bar{1e-9, 1e-7}, float32_bar{2e-4, 5e-4};

template <RealScalar R>
class Case {
 public:
  Case(const std::string& path, const Tolerance& bar, bool quiet)
      : file_(SafetensorsFile::open(path)), bar_(bar), quiet_(quiet), style_(style_for(stdout)) {}

  /// Returns the number of mismatches.
  int run() {
    require(file_.metadata("format") == "argand-parity/1", "parity", "{} is not a parity case", file_.path());
    model_ = make_model<R>(ModelConfig::from_json(file_.metadata("config")), 0);
    tokens_ = file_.ids("tokens");
    targets_ = file_.ids("targets");
    if (file_.contains("kb")) {
      passages_ = file_.ids("kb");
      context_.knowledge = &knowledge_;
    }
    largest_gradient_ = largest_expected_gradient();
    set_parameters();
    check_model();
    if (file_.metadata().contains("optimizer")) check_steps();
    check_all_parameters_used();
    return misses_;
  }

  int compared() const { return compared_; }
  double worst() const { return worst_; }

 private:
  void row(bool good, const std::string& what) {
    misses_ += good ? 0 : 1;
    if (!good || !quiet_) fmt::print("  {}  {}\n", good ? style_.green("ok  ") : style_.red("MISS"), what);
  }

  /// The names in the file with a prefix: "param." or "expect.grad.".
  std::vector<std::string> names_with_prefix(const std::string& prefix) const {
    std::vector<std::string> names;
    for (const std::string& name : file_.names())
      if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    return names;
  }

  bool usable(const std::string& name, const Shape& shape, bool is_complex) {
    if (!file_.contains(name)) {
      row(false, fmt::format("{:<44} is missing from the case", name));
      return false;
    }
    used_.insert(name);
    const StoredTensor& stored = file_.info(name);
    if (stored.shape == shape && stored.is_complex == is_complex) return true;
    row(false, fmt::format("{:<44} {} {}, ours {} {}", name, stored.is_complex ? "complex" : "real", stored.shape,
                           is_complex ? "complex" : "real", shape));
    return false;
  }

  void set_parameters() {
    for (Parameter<R> p : model_->parameters())
      if (usable("param." + p.name, p.shape(), p.is_complex()))
        std::visit([&](auto& v) { file_.load("param." + p.name, v.value()); }, p.var);
  }

  double largest_expected_gradient() const {
    double largest = 0;
    const auto widen = [&](const auto& g) {
      for (const auto& x : g.span()) largest = std::max(largest, std::abs(x));
    };
    for (const std::string& name : names_with_prefix("expect.grad."))
      file_.info("expect.grad." + name).is_complex ? widen(file_.tensor<std::complex<double>>("expect.grad." + name))
                                                   : widen(file_.tensor<double>("expect.grad." + name));
    return largest;
  }

  template <Scalar T>
  void compare(const std::string& name, const Tensor<T>& ours, double bar) {
    if (!usable(name, ours.shape(), ComplexScalar<T>)) return;
    const auto theirs = file_.tensor<std::conditional_t<ComplexScalar<T>, std::complex<double>, double>>(name);
    double largest = 0, off = 0;
    for (std::int64_t i = 0; i < ours.size(); ++i) {
      const std::conditional_t<ComplexScalar<T>, std::complex<double>, double> mine(ours.data()[i]);
      const double d = std::abs(mine - theirs.data()[i]);
      largest = std::max(largest, std::abs(theirs.data()[i]));
      off = std::isnan(d) || d > off ? d : off;
    }
    // Some gradients are identically zero: a key's bias shifts all scores of a row alike, which the softmax ignores. PyTorch's
    // recorded values are then rounding errors, so they are compared relative to the gradient as a whole.
    const bool vanishes = name.starts_with("expect.grad.") && largest < 1e-12 * largest_gradient_;
    const double scale = vanishes ? largest_gradient_ : largest, relative = scale > 0 ? off / scale : off;
    ++compared_;
    worst_ = std::isnan(relative) ? relative : std::max(worst_, relative);
    row(relative <= bar, fmt::format("{:<44} {:<16} off by {:.1e}, allowed {:.0e}{}", name, ours.shape().str(), relative, bar,
                                     vanishes ? " (vanishes)" : ""));
  }

  Loss<R> fresh_gradients() {
    zero_grad(model_->parameters());
    Loss<R> loss = model_->loss(tokens_, targets_, context_);
    backward(loss.total);
    return loss;
  }

  void check_model() {
    {
      const NoGrad none;
      compare("expect.logits", model_->logits(tokens_, context_).value(), bar_.gradient);
    }
    compare("expect.loss", fresh_gradients().total.value().reshape({1}), bar_.gradient);
    for (const Parameter<R>& p : model_->parameters())
      std::visit([&](const auto& v) { compare("expect.grad." + p.name, v.grad(), bar_.gradient); }, p.var);
  }

  void check_steps() {
    const auto o = parse_json<nlohmann::json>("parity: optimizer", file_.metadata("optimizer"));
    const WarmupCosine schedule{.peak = o.at("lr"), .final = o.at("final_lr"), .warmup = o.at("warmup"), .total = o.at("total")};
    const OptimizerConfig config{.name = o.at("name"),
                                 .beta1 = o.at("adamw").at("betas").at(0),
                                 .beta2 = o.at("adamw").at("betas").at(1),
                                 .eps = o.at("adamw").at("eps"),
                                 .weight_decay = o.at("weight_decay"),
                                 .decay = "all",
                                 .momentum = o.at("momentum"),
                                 .muon_lr_scale = 1};
    const ParameterList<R> parameters = model_->parameters();
    const auto optimizer = make_optimizer<R>(config, parameters);
    for (std::int64_t step = 0; step < o.at("steps").get<std::int64_t>(); ++step) {
      fresh_gradients();
      optimizer->step(schedule(step), clip_factor(grad_norm(parameters), o.at("clip")));
    }
    for (const Parameter<R>& p : parameters)
      std::visit([&](const auto& v) { compare("expect.after." + p.name, v.value(), bar_.after_steps); }, p.var);
  }

  /// A parameter of the case that the model lacks is as much an error as the reverse.
  void check_all_parameters_used() {
    for (const char* prefix : {"param.", "expect."})
      for (const std::string& name : names_with_prefix(prefix))
        if (!used_.contains(prefix + name)) row(false, fmt::format("{:<44} is not in argand's model", prefix + name));
  }

  SafetensorsFile file_;
  Tolerance bar_;
  bool quiet_;
  Style style_;
  std::unique_ptr<Model<R>> model_;
  Ids tokens_, targets_, passages_;
  Knowledge knowledge_{.passages = &passages_};
  ForwardContext context_;
  std::set<std::string> used_;
  int misses_ = 0, compared_ = 0;
  double worst_ = 0, largest_gradient_ = 0;
};

template <RealScalar R>
int run_case(const std::string& path, const Tolerance& bar, bool quiet) {
  const Style style = style_for(stdout);
  fmt::print("{}\n", style.bold(std::filesystem::path(path).stem().string()));
  int misses = 0;
  try {
    Case<R> one(path, bar, quiet);
    misses = one.run();
    fmt::print("  {}, worst {:.1e}, {} missed\n", counted(one.compared(), "tensor"), one.worst(), misses);
  } catch (const std::exception& error) {  // an unknown family or a damaged file is a mismatch; continue with the next case
    fmt::print("  {}  {}\n", style.red("MISS"), error.what());
    misses = 1;
  }
  return misses;
}

struct ParityOptions {
  std::vector<std::string> cases;
  bool float32 = false, quiet = false;
};

}  // namespace

void add_parity(CLI::App* command) {
  const auto options = std::make_shared<ParityOptions>();
  command->add_option("CASE", options->cases, "case files (argand-parity/1)")->required()->type_name("");
  command->add_flag("--float32", options->float32, "compute in float32, with a tolerance of 2e-4 (5e-4 after optimizer steps)");
  command->add_flag("--quiet", options->quiet, "print only tensors that disagree");
  add_threads(*command);
  command->footer(
      "Every tensor must be within 1e-9 of the expected one, relative to its largest magnitude (1e-7 after optimizer steps).\n"
      "Exit code 1 if any is not. docs/interop.md shows how to make a case from your own PyTorch model.\n\n"
      "Examples:\n"
      "  argand parity tests/golden/*.safetensors\n"
      "  argand parity --float32 --quiet tests/golden/complexformer-*.safetensors");
  command->callback([options] {
    int misses = 0;
    for (const std::string& path : options->cases)
      misses += options->float32 ? run_case<float>(path, float32_bar, options->quiet)
                                 : run_case<double>(path, float64_bar, options->quiet);
    fmt::print("{}, {} missed\n", counted(std::ssize(options->cases), "case"), misses);
    if (misses > 0) throw CLI::RuntimeError(exit_failure);
  });
}

}  // namespace argand
