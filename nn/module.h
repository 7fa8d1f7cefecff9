#pragma once
/// Modules list their parameters in one place, visit(); checkpoints, optimisers, printing and parity cases all use the names
/// given in visit().
///
///     struct Net : Module<float> {
///       explicit Net(Init& init) : up(init, 2, 16), down(init, 16, 1) {}
///       Var<float> operator()(const Var<float>& x) const { return down(tanh(up(x))); }
///       ARGAND_FIELDS(float, up, down)  // parameters "up.weight", "up.bias", "down.weight", "down.bias"
///       Linear<float> up, down;
///     };

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autograd/parameter.h"

namespace argand {

template <RealScalar R>
class Module;

/// Values that belong to a module's state but are not learned, such as a batch norm's running moments.
template <RealScalar R>
struct Buffer {
  std::string name;
  std::variant<Tensor<R>*, Tensor<std::complex<R>>*> tensor;  ///< points to the module's tensor
};
template <RealScalar R>
using BufferList = std::vector<Buffer<R>>;

/// The visitor: f("weight", weight) adds a parameter; f("attn", attn) adds everything in a module, with joined names; and f("mean",
/// mean) adds a Tensor as a buffer, which is saved, loaded and copied with the parameters but never optimised. (visit() is const,
/// so modules declare their buffers mutable.)
template <RealScalar R>
class Visit {
 public:
  explicit Visit(ParameterList<R>& list, std::string prefix = "", BufferList<R>* buffers = nullptr)
      : list_(list), prefix_(std::move(prefix)), buffers_(buffers) {}
  void operator()(const std::string& name, const Var<R>& parameter) const { add(prefix_ + name, parameter); }
  void operator()(const std::string& name, const Var<std::complex<R>>& parameter) const { add(prefix_ + name, parameter); }
  void operator()(const std::string& name, Tensor<R>& buffer) const { add(prefix_ + name, &buffer); }
  void operator()(const std::string& name, Tensor<std::complex<R>>& buffer) const { add(prefix_ + name, &buffer); }
  template <class T>
  void operator()(const std::string& name, const std::optional<T>& maybe) const {
    if (maybe) (*this)(name, *maybe);
  }
  void operator()(const std::string& name, const Module<R>& module) const {
    module.visit(Visit(list_, prefix_ + name + ".", buffers_));
  }
  /// A list of modules or parameters: "name.0", "name.1", ...
  template <class T>
  void operator()(const std::string& name, const std::vector<T>& several) const {
    for (std::size_t i = 0; i < several.size(); ++i) (*this)(name + "." + std::to_string(i), several[i]);
  }
  template <class T>
  void operator()(const std::string& name, const std::unique_ptr<T>& owned) const {
    if (owned) (*this)(name, *owned);
  }
  /// For ARGAND_FIELDS: takes the text "weight, bias" and the fields that it names. A trailing underscore is not part of the name.
  template <class... Fields>
  void fields(std::string_view names, const Fields&... field) const {
    ((*this)(next_name(names), field), ...);
  }

 private:
  static std::string next_name(std::string_view& names) {
    const std::size_t comma = std::min(names.find(','), names.size());
    std::string name(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 2, names.size()));
    if (name.ends_with('_')) name.pop_back();
    return name;
  }

  void add(const std::string& name, AnyVarOf<R> var) const {
    Parameter<R> parameter{name, std::move(var)};
    if (SlotBase* slot = parameter.slot(); slot != nullptr) {
      const bool listed = std::any_of(list_.begin(), list_.end(), [&](const Parameter<R>& p) { return p.slot() == slot; });
      VariableInfo& info = slot->described();
      if (info.name.empty()) info.name = name;  // a variable listed more than once keeps its first name
      if (listed && name != info.name && std::find(info.aliases.begin(), info.aliases.end(), name) == info.aliases.end())
        info.aliases.push_back(name);
      if (listed) return;
    }
    list_.push_back(std::move(parameter));
  }

  void add(const std::string& name, std::variant<Tensor<R>*, Tensor<std::complex<R>>*> buffer) const {
    if (buffers_ != nullptr) buffers_->push_back({name, buffer});
  }

  ParameterList<R>& list_;
  std::string prefix_;
  BufferList<R>* buffers_;
};

/// A module can be moved but not copied: its variables are handles, so a copy would silently share them. To copy, build a second
/// module and call copy_parameters(); to tie weights deliberately, give both modules the same Var. Change a parameter through its
/// value(): if another Var replaces it, an existing optimiser does not notice.
template <RealScalar R>
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;
  virtual ~Module() = default;
  virtual void visit(const Visit<R>& f) const = 0;
};

/// For a class that derives from Module<R>: defines visit() over these fields (parameters, modules, optionals and vectors of them).
#define ARGAND_FIELDS(R, ...) \
  void visit(const ::argand::Visit<R>& f) const override { f.fields(#__VA_ARGS__, __VA_ARGS__); }

template <RealScalar R>
ParameterList<R> parameters_of(const Module<R>& module) {
  ParameterList<R> list;
  module.visit(Visit<R>(list));
  return list;
}

template <RealScalar R>
BufferList<R> buffers_of(const Module<R>& module) {
  ParameterList<R> parameters;
  BufferList<R> buffers;
  module.visit(Visit<R>(parameters, "", &buffers));
  return buffers;
}

/// Deep-copies each parameter and buffer of `from` to the one with the same name in `to`. Throws Error before copying anything if
/// names, shapes or scalar types differ.
template <RealScalar R>
void copy_parameters(const Module<R>& from, const Module<R>& to);

}  // namespace argand
