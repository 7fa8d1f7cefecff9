#pragma once
/// The configuration of a model: keys shared by all families and keys specific to one. The command line, the configuration file,
/// checkpoints and parity cases all use visit().

#include <concepts>
#include <memory>
#include <typeinfo>

#include "core/text/keys.h"

namespace argand {

struct Family;
struct ModelConfig;

/// The task of a model: next-token prediction or text classification.
enum class TextTask { Lm, Classify };
constexpr const char* words_of(TextTask) { return "lm|classify"; }

/// Throws unless 1 <= value <= most.
void require_size(const char* key, std::int64_t value, std::int64_t most);

/// Which layers retrieve passages of text, and how they search.
struct Windows {
  std::vector<std::int64_t> layers{};  ///< indices of the layers that retrieve passages, ascending
  std::int64_t top_k = 0;              ///< passages read per token
  bool by_chunk = false;               ///< search by the tokens of a chunk of text (Knowledge::search) instead of a layer's query
};

/// The keys that a family adds to those of ModelConfig, with their defaults.
class FamilyConfig {
 public:
  virtual ~FamilyConfig() = default;
  virtual std::unique_ptr<FamilyConfig> clone() const = 0;
  /// Calls f(name, value, help) for every key.
  virtual void visit(KeyVisitor& f) = 0;
  /// Throws Error for values that are inconsistent with each other or with `config`. The common keys of `config` have already been
  /// validated: d_model is a multiple of n_heads.
  virtual void validate(const ModelConfig& config) const = 0;
  virtual Windows windows() const { return {}; }
};

/// The base class of family configurations: `struct MyConfig final : ConfigOf<MyConfig>`, or ConfigOf<MyConfig, DecoderConfig>.
template <class Own, std::derived_from<FamilyConfig> Base = FamilyConfig>
struct ConfigOf : Base {
  std::unique_ptr<FamilyConfig> clone() const override { return std::make_unique<Own>(static_cast<const Own&>(*this)); }
};

struct ModelConfig {
  TextTask task = TextTask::Lm;
  std::int64_t n_classes = 4;
  std::int64_t vocab_size = 0;
  std::int64_t max_seq_len = 128;
  std::int64_t n_layers = 2;
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t d_ff = 512;
  double dropout = 0;

  /// Default values of the default family (nn/family.h), or of the given one.
  ModelConfig();
  explicit ModelConfig(const Family& family);
  /// Defaults of the named family. Throws for an unknown name, with a suggestion.
  static ModelConfig defaults(const std::string& family);
  /// Reads a configuration from a JSON object and validates it. Missing keys get the family's defaults; unknown keys and values of
  /// the wrong type throw.
  static ModelConfig from_json(const std::string& text);
  std::string to_json() const;

  const Family& family() const { return *family_; }
  /// The family-specific keys: `config.own<QicConfig>().theta_init = 0`. Own may be a base class shared by several families:
  /// `own<DecoderConfig>()`. Throws if the configuration of the model's family is not an Own.
  template <std::derived_from<FamilyConfig> Own>
  Own& own() {
    if (auto* found = dynamic_cast<Own*>(own_.get())) return *found;
    throw_not_own(typeid(Own));
  }
  template <std::derived_from<FamilyConfig> Own>
  const Own& own() const {
    return const_cast<ModelConfig*>(this)->own<Own>();
  }
  Windows windows() const { return own_->windows(); }

  /// Calls f(key, value&, choices, help) for every key that this model has; `choices` holds the allowed words, joined by '|', or is
  /// empty. Changing the key `family` switches the model to that family, with defaults for the family-specific keys.
  void visit(KeyVisitor& f);
  template <class F>
  requires(!std::derived_from<std::remove_cvref_t<F>, KeyVisitor>) void visit(F&& f) {
    KeyFunction<std::remove_reference_t<F>> each(f);
    visit(static_cast<KeyVisitor&>(each));
  }

  /// Throws Error for invalid or inconsistent sizes, naming the key and how to fix it.
  void validate() const;

 private:
  /// An owning pointer that deep-copies.
  class OwnConfig : public std::unique_ptr<FamilyConfig> {
   public:
    OwnConfig(std::unique_ptr<FamilyConfig> config) : unique_ptr(std::move(config)) {}
    OwnConfig(const OwnConfig& other) : unique_ptr(other ? other->clone() : nullptr) {}
    OwnConfig& operator=(const OwnConfig& other) { return *this = OwnConfig(other); }
    OwnConfig(OwnConfig&&) noexcept = default;
    OwnConfig& operator=(OwnConfig&&) noexcept = default;
    ~OwnConfig() = default;
  };
  [[noreturn]] void throw_not_own(const std::type_info& wanted) const;

  const Family* family_;
  OwnConfig own_;
};

}  // namespace argand
