#include "lab/op_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/call/op_function.h"
#include "autograd/check/infinity.h"
#include "autograd/wirtinger.h"
#include "core/text/keys.h"
#include "core/text/text_layout.h"
#include "lab/expression/expression_functions.h"
#include "lab/gradient_letters.h"

namespace argand {
namespace {

/// The result of numerical differentiation: "holomorphic: |∂w/∂z| up to 2.3, |∂w/∂z̄| up to 1e-15, both ± 4e-13".
std::string wirtinger_line(const OpCheck::Case& c, std::size_t input) {
  const WirtingerResult w = wirtinger(c.f, c.inputs, input);
  double dz = 0, dzbar = 0, error = 0;
  for (std::size_t k = 0; k < w.dz.size(); ++k) {
    dz = std::max(dz, std::abs(w.dz[k]));
    dzbar = std::max(dzbar, std::abs(w.dzbar[k]));
    error = std::max(error, w.error[k]);
  }
  return fmt::format("{}: |∂w/∂z| up to {:.3g}, |∂w/∂z̄| up to {:.3g}, both ± {:.0e}", cauchy_riemann_name(w.verdict), dz, dzbar,
                     error);
}

/// Plain text escaped for Markdown.
std::string escaped(const std::string& text) { return with_backslashes(text, "\\`*_[]<>|~$#"); }

std::string code(const std::string& text) { return "`" + text + "`"; }

/// The labelled formulas of an op; for a real op they are ordinary derivatives.
std::vector<std::pair<std::string, std::string>> formulas_of(const OpText& text) {
  std::vector<std::pair<std::string, std::string>> formulas;
  if (text.kind != Kind::Real)
    formulas = {{"∂w/∂z", text.dz}, {"∂w/∂z̄", text.dzbar}};
  else if (text.dzbar == "no complex input")
    formulas = {{"derivative", text.dz}};
  else
    formulas = {{"derivative", text.dz}, {"inputs", text.dzbar}};  // describes how complex inputs enter
  formulas.insert(formulas.end(), {{"gradient", gradient_letters(text.vjp)}, {"tangent", text.jvp}});
  return formulas;
}

/// How an op is called: its names, with the arguments.
std::vector<std::string> signatures_of(const Op& op) {
  std::vector<std::string> signatures;
  for (const OpFunction* f : OpFunction::all())
    if (f->op() == &op) signatures.push_back(f->signature());
  return signatures;
}

std::string op_markdown(const Op& op) {
  const OpText& text = op.text();
  std::string result = fmt::format("### {}\n\n```text\n{}\n```\n\n", text.name, text.equation);
  for (const std::string& signature : signatures_of(op)) result += fmt::format("- call: {}\n", code(signature));
  for (const auto& [label, formula] : formulas_of(text)) result += fmt::format("- {}: {}\n", label, code(formula));
  result += fmt::format("\n**Derivation.** {}\n\n", escaped(gradient_letters(text.derivation)));
  result += fmt::format("**Singular points.** {}\n\n", escaped(text.singular));
  result += fmt::format("**At ±inf.** {}\n\n", escaped(at_infinity<double>(op).text()));
  return result + fmt::format("**Source.** {}\n\n", escaped(text.source));
}

}  // namespace

const std::vector<Kind>& kinds_in_order() {
  static const std::vector<Kind> kinds = {Kind::Holomorphic, Kind::RealValued, Kind::General, Kind::Real};
  return kinds;
}

std::string kind_title(Kind kind) {
  switch (kind) {
    case Kind::Holomorphic: return "Holomorphic ops";
    case Kind::RealValued: return "Real-valued ops";
    case Kind::General: return "General ops";
    case Kind::Real: return "Ops of real inputs";
  }
  return "?";
}

std::string kind_rule(Kind kind) {
  switch (kind) {
    case Kind::Holomorphic: return "∂w/∂z̄ = 0 in every complex input: g_z = conj(∂w/∂z) g_w";
    case Kind::RealValued: return "complex in, real out, ∂w/∂z̄ = conj(∂w/∂z): g_z = 2 (∂w/∂z̄) g_w";
    case Kind::General: return "complex out, depends on z̄: g_z = conj(∂w/∂z) g_w + (∂w/∂z̄) conj(g_w)";
    case Kind::Real: return "no complex input, so no ∂w/∂z: g_x = Re(conj(∂w/∂x) g_w)";
  }
  return "?";
}

std::vector<const Op*> ops_of(Kind kind) {
  std::vector<const Op*> ops = Op::all();
  std::erase_if(ops, [kind](const Op* op) { return op->text().kind != kind; });
  return ops;
}

const Op& known_op(const std::string& command, const std::string& name) {
  const auto found = [](const std::string& word) {
    const ExpressionFunction* f = find_expression_function(word);
    const Op* op = Op::find(word);
    return op == nullptr && f != nullptr ? Op::find(f->name) : op;
  };
  if (const Op* op = found(name)) return *op;
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const Op* op = found(small)) return *op;
  std::vector<std::string> known;
  for (const Op* op : Op::all()) known.push_back(op->name());
  input_fail(command, "unknown op {}{}", name, did_you_mean(name, known));
}

void add_wirtinger_notes(const Op& op, Report& report) {
  OpCheck check;
  op.check(check);
  for (const OpCheck::Case& c : check.cases())
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (c.inputs[i].index() == 1) report.notes.push_back(fmt::format("{}: input {}: {}", c.label, i, wirtinger_line(c, i)));
}

std::string op_list(const Style& style) {
  std::string text;
  std::size_t width = 0;
  for (const Op* op : Op::all()) width = std::max(width, op->name().size() + 2);
  for (const Kind kind : kinds_in_order()) {
    text += fmt::format("{}{}\n  {}\n\n", text.empty() ? "" : "\n", style.bold(kind_title(kind)), kind_rule(kind));
    for (const Op* op : ops_of(kind))
      text += fmt::format("  {}{}\n", padded(op->name(), width), indented(op->text().equation, width + 4));
  }
  return text;
}

std::string op_text(const Op& op, const Style& style) {
  const OpText& t = op.text();
  std::string text = fmt::format("{}, {}\n\n", style.bold(t.name), kind_name(t.kind));
  const auto line = [&](const std::string& label, const std::string& words) {
    text += fmt::format("  {}{}\n", padded(label, 12), indented(words, 14));
  };
  line("equation", t.equation);
  for (const std::string& signature : signatures_of(op)) line("call", signature);
  for (const auto& [label, formula] : formulas_of(t)) line(label, formula);
  line("rule", kind_rule(t.kind));
  line("derivation", gradient_letters(t.derivation));
  line("singular", t.singular);
  line("at ±inf", at_infinity<double>(op).text());
  line("source", t.source);
  return text;
}

/// The gradient's formula, or the beginning of a long one, for a table cell.
std::string gradient_in_a_cell(const Op& op) {
  constexpr std::size_t widest = 100;  // in bytes
  std::string formula;
  for (const auto& [label, words] : formulas_of(op.text()))
    if (label == "gradient") formula = words;
  std::string_view text = formula;
  const bool whole = text.size() <= widest;
  if (!whole) text = text.substr(0, text.rfind(' ', widest));
  std::string cell;
  for (const char c : text) (cell += c == '|' ? "\\" : "") += c;
  return fmt::format("`{}`{}", cell, whole ? "" : " …");
}

std::string ops_markdown() {
  std::string text = fmt::format(
      "# Every op of argand\n\n"
      "Generated by `argand explain --markdown` from the descriptions of the ops in `autograd/ops/`: {} ops. `argand explain OP`\n"
      "shows one with the verdict of its numerical check, and `argand lab EXPR` differentiates expressions made of them.\n\n"
      "The loss L is real, and the gradient of z = x + iy is g_z = ∂L/∂x + i ∂L/∂y = 2 ∂L/∂z̄. For w = f(z) and the incoming g_w,\n"
      "every op returns\n\n"
      "```text\n"
      "g_z = conj(∂w/∂z) g_w + (∂w/∂z̄) conj(g_w)\n"
      "```\n\n"
      "which simplifies for three of the four kinds below. An op's kind is checked against the Cauchy-Riemann equations, its\n"
      "gradient against numerical differentiation. ∂w/∂z and ∂w/∂z̄ are the derivatives of the op's value with respect to its\n"
      "input, whatever letters the op uses (a dX \"in differential form\" is a differential); conj(z) is the conjugate, also\n"
      "written z̄; the gradient of a quantity q is g_q (dq in the code), and q̇ is its tangent, ẇ = (∂w/∂z) ż + (∂w/∂z̄) conj(ż),\n"
      "which every op gives as an expression of ops.\n\n",
      Op::all().size());
  text += "| op | gradient, or its beginning |\n|---|---|\n";
  for (const Kind kind : kinds_in_order()) {
    const std::string title = kind_title(kind);
    std::string anchor = title;
    std::replace(anchor.begin(), anchor.end(), ' ', '-');
    std::transform(anchor.begin(), anchor.end(), anchor.begin(), [](unsigned char c) { return std::tolower(c); });
    text += fmt::format("| **[{}](#{})** | {} ops |\n", title, anchor, ops_of(kind).size());
    for (const Op* op : ops_of(kind))
      text += fmt::format("| [{}](#{}) | {} |\n", escaped(op->name()), op->name(), gradient_in_a_cell(*op));
  }
  for (const Kind kind : kinds_in_order()) {
    text += fmt::format("\n## {}\n\n{}\n\n", kind_title(kind), escaped(kind_rule(kind)));
    for (const Op* op : ops_of(kind)) text += op_markdown(*op);
    text.pop_back();
  }
  return text;
}

}  // namespace argand
