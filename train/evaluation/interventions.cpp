#include "train/evaluation/interventions.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/keys.h"
#include "nn/family.h"

namespace argand {
namespace {

/// The distinct last components of the parameters' names, for error messages: every layer repeats the same few.
template <RealScalar R>
std::vector<std::string> last_names(const ParameterList<R>& parameters) {
  std::vector<std::string> names;
  for (const Parameter<R>& p : parameters) {
    const std::string last = p.name.substr(p.name.rfind('.') + 1);
    if (std::find(names.begin(), names.end(), last) == names.end()) names.push_back(last);
  }
  return names;
}

}  // namespace

template <RealScalar R>
void intervene(Model<R>& model, const Settings& settings) {
  ParameterList<R> parameters = model.parameters();
  for (const Setting& s : settings) {
    double value = 0;
    assign(s, "", value);
    bool found = false;
    for (Parameter<R>& p : parameters) {
      if (!name_ends_with(p.name, s.key)) continue;
      found = true;
      std::visit(
          [&]<Scalar T>(Var<T>& v) {
            for (T& x : v.value().span()) x = T(static_cast<R>(value));
          },
          p.var);
    }
    if (!found) {
      const std::vector<std::string> names = last_names<R>(parameters);
      setting_fail(s, "no parameter has this name; parameters: {}{}", fmt::join(names, ", "), did_you_mean(s.key, names));
    }
  }
}

#define ARGAND_INTERVENE(R) template void intervene(Model<R>&, const Settings&);
ARGAND_FOR_REAL(ARGAND_INTERVENE)

}  // namespace argand
