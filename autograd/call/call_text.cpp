/// Functions as text: signatures for stubs, documentation pages and `argand explain`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/call/op_function.h"

namespace argand {
namespace {

std::string python_text(const Argument& value) {
  switch (kind_of(value)) {
    case ArgumentKind::None: return "None";
    case ArgumentKind::Bool: return std::get<bool>(value) ? "True" : "False";
    case ArgumentKind::Int: return fmt::format("{}", std::get<std::int64_t>(value));
    case ArgumentKind::Float: {
      const std::string text = fmt::format("{}", std::get<double>(value));
      return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
    }
    case ArgumentKind::String: return fmt::format("'{}'", std::get<std::string>(value));
    case ArgumentKind::Ints: {
      const auto& list = std::get<std::vector<std::int64_t>>(value);
      return fmt::format("({}{})", fmt::join(list, ", "), list.size() == 1 ? "," : "");
    }
    default: return "...";  // values that tables cannot contain
  }
}

}  // namespace

std::string CallParameter::default_text() const { return default_value ? python_text(*default_value) : ""; }

std::string OpFunction::signature() const {
  std::string text;
  for (const CallParameter& p : parameters_) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.name, p.type_text());
    if (p.default_value) text += " = " + p.default_text();
  }
  return fmt::format("{}({}) -> {}", name_, text, result_text());
}

std::string OpFunction::result_text() const {
  const auto kind_text = [](ArgumentKind kind) { return ArgumentType{kind}.text(); };
  std::vector<std::string> forms;
  for (const call_detail::Overload& overload : overloads_) {
    std::string text;
    for (const ArgumentKind kind : overload.results) text += (text.empty() ? "" : ", ") + kind_text(kind);
    if (overload.form == call_detail::ResultForm::Tuple) text = "tuple[" + text + "]";
    if (overload.form == call_detail::ResultForm::List) text = "list[" + text + "]";
    if (std::find(forms.begin(), forms.end(), text) == forms.end()) forms.push_back(text);
  }
  std::string all;
  for (const std::string& form : forms) all += (all.empty() ? "" : " | ") + form;
  return all;
}

}  // namespace argand
