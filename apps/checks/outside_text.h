#pragma once
/// What a check of somebody else's gradient found, laid out.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"
#include "autograd/outside/outside_check.h"

namespace argand {

struct OutsideSubject {
  std::string name;
  std::vector<std::string> input_names;
  std::vector<AnyTensor> inputs;
};

/// "energy: FAIL, the gradient looks conjugated", a line for each input, and the worst element.
std::string outside_text(const OutsideSubject& subject, const OutsideReport& report, const Style& style);
nlohmann::json outside_json(const OutsideSubject& subject, const OutsideReport& report);

}  // namespace argand
