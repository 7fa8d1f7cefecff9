#include "autograd/check/op_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/check/adjoint.h"
#include "autograd/check/usage/usage.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "autograd/wirtinger.h"

namespace argand {
namespace {

template <RealScalar R>
void check_singular_in(const OpCheck::SingularCase& singular, const FunctionOf<R>& f, std::vector<std::string>& faults) {
  const std::string_view precision = scalar_name<R>();
  const double tolerance = 64 * static_cast<double>(std::numeric_limits<R>::epsilon());
  Tape tape;
  std::vector<AnyVarOf<R>> vars;
  for (const AnyTensor& x : singular.inputs) std::visit([&](const auto& t) { vars.emplace_back(variable(in_precision<R>(t))); }, x);
  const AnyVarOf<R> y = f(vars);
  std::visit(
      [&]<class T>(const Var<T>& w) {
        for (std::int64_t k = 0; k < w.size(); ++k)
          if (!std::isfinite(std::abs(w.value().data()[k]))) {
            faults.push_back(fmt::format("{}: output element {} is not finite", precision, element_name(w.shape(), k)));
            break;
          }
        const Var<R> L = projection(w, Tensor<T>::ones(w.shape()));
        if (L.requires_grad()) tape.backward(L);
      },
      y);
  for (std::size_t i = 0; i < vars.size(); ++i)
    std::visit(
        [&]<class T>(const Var<T>& x) {
          using Wide = std::conditional_t<ComplexScalar<T>, std::complex<double>, double>;
          const Tensor<T> dx = x.grad();
          for (std::int64_t k = 0; k < dx.size(); ++k) {
            const Wide g = static_cast<Wide>(dx.data()[k]);
            const auto where = [&] { return fmt::format("{}: input {}, element {}", precision, i, element_name(x.shape(), k)); };
            if (!std::isfinite(std::abs(g))) {
              faults.push_back(fmt::format("{}: the gradient is not finite", where()));
              break;
            }
            if (singular.expected.empty()) continue;
            const Wide e = std::get<Tensor<Wide>>(singular.expected[i]).data()[k];
            if (std::abs(g - e) <= tolerance * std::max(1.0, std::abs(e))) continue;
            faults.push_back(fmt::format("{}: the gradient is {}, but {} was declared", where(), number_name(g, ComplexScalar<T>),
                                         number_name(e, ComplexScalar<T>)));
            break;
          }
        },
        vars[i]);
}

/// The complex case of a holomorphic op that equals this real case for real inputs, as a function; empty if there is none.
CheckedFunction complex_extension(const OpCheck& check, const OpCheck::Case& real) {
  const NoGrad none;
  const auto values = [](const CheckedFunction& f, const std::vector<AnyVar>& x) {
    return std::visit([](const auto& y) { return ComplexValues(y.value().begin(), y.value().end()); }, f(x));
  };
  std::vector<AnyVar> x, z;
  for (const AnyTensor& input : real.inputs) {
    if (input.index() != 0) return {};
    const auto& t = std::get<Tensor<double>>(input);
    x.emplace_back(constant(t));
    z.emplace_back(constant(Tensor<std::complex<double>>(t.shape(), std::vector<std::complex<double>>(t.begin(), t.end()))));
  }
  const ComplexValues here = values(real.f, x);
  for (const OpCheck::Case& c : check.cases()) {
    const bool same_kind = c.inputs.size() == z.size() &&
                           std::all_of(c.inputs.begin(), c.inputs.end(), [](const AnyTensor& input) { return input.index() == 1; });
    if (!same_kind) continue;
    try {
      const ComplexValues there = values(c.f, z);
      const auto close = [](std::complex<double> a, std::complex<double> b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
      if (there.size() == here.size() && std::equal(there.begin(), there.end(), here.begin(), close)) return c.f;
    } catch (const Error&) {  // that case needs different shapes
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> check_singular(const OpCheck::SingularCase& singular) {
  std::vector<std::string> faults;
  check_singular_in<double>(singular, singular.f, faults);
  check_singular_in<float>(singular, singular.f32, faults);
  return faults;
}

std::string kind_fault(const std::string& op, Kind kind, const OpCheck& check, const RiddersOptions& ridders) {
  bool complex_seen = false, general_seen = false;
  for (const OpCheck::Case& c : check.cases())
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      if (c.inputs[i].index() != 1) continue;
      complex_seen = true;
      if (kind == Kind::Real) return fmt::format("{} ({}): declared real, but input {} is complex", op, c.label, i);
      if (kind == Kind::General && general_seen) continue;
      const bool output_is_complex = ScalarProjection(c.f, c.inputs).output_is_complex();
      if (kind == Kind::RealValued && output_is_complex)
        return fmt::format("{} ({}): declared real-valued, but the output is complex", op, c.label);
      if (kind == Kind::Holomorphic && !output_is_complex)
        return fmt::format("{} ({}): declared holomorphic, but the output is real", op, c.label);
      if (kind == Kind::RealValued || !output_is_complex) continue;
      const CauchyRiemann verdict = wirtinger(c.f, c.inputs, i, ridders).verdict;
      if (kind == Kind::Holomorphic && verdict != CauchyRiemann::Holomorphic)
        return fmt::format("{} ({}): declared holomorphic, but input {} is {}", op, c.label, i, cauchy_riemann_name(verdict));
      general_seen = general_seen || (verdict != CauchyRiemann::Holomorphic && verdict != CauchyRiemann::Inconclusive);
    }
  if (kind == Kind::General && !general_seen)
    return fmt::format("{}: declared general, but no case fails the Cauchy-Riemann equations", op);
  if (kind != Kind::Real && !complex_seen)
    return fmt::format("{}: declared {}, but no case has a complex input", op, kind_name(kind));
  return "";
}

Report check_op_gradients(const Op& op, GradcheckOptions options) {
  OpCheck check;
  op.check(check);
  options.blame_ops = false;
  options.parallel = true;
  Report report{.name = op.name(), .subject = "what"};
  for (const OpCheck::Case& c : check.cases()) {
    options.complex_extension = op.text().kind == Kind::Holomorphic ? complex_extension(check, c) : CheckedFunction();
    report.add(gradcheck(c.f, c.inputs, options), c.label);
  }
  for (const OpCheck::SingularCase& s : check.singular_cases()) {
    std::vector<std::string> faults = check_singular(s);
    const auto wrong = static_cast<double>(faults.size());
    report.rows.push_back(
        ReportRow::of(RowKind::SingularPoint, "singular: " + s.label, 2, "precision", wrong, 0, std::move(faults)));
  }
  std::vector<std::string> faults;
  if (std::string fault = kind_fault(op.name(), op.text().kind, check, options.ridders); !fault.empty())
    faults.push_back(std::move(fault));
  const auto wrong = static_cast<double>(faults.size()), cases = static_cast<double>(check.cases().size());
  report.rows.push_back(ReportRow::of(RowKind::OpKind, fmt::format("kind: {}", kind_name(op.text().kind)),
                                      static_cast<std::int64_t>(cases), "case", wrong, 0, std::move(faults)));
  if (report.compared(RowKind::Gradient) == 0) {
    ReportRow& kind = report.rows.back();
    kind.verdict = kind.verdict.as(Verdict::Fail);
    kind.faults.push_back("its check differentiates nothing");
    kind.diagnosis = kind.faults.front();
  }
  return report;
}

std::vector<std::string> failing_ops(const std::vector<std::string>& names) {
  std::vector<std::string> failing;
  for (const std::string& name : names)
    if (const Op* op = Op::find(name); op != nullptr && !check_op_gradients(*op).ok()) failing.push_back(name);
  return failing;
}

Report check_op(const Op& op, const GradcheckOptions& options) {
  Report report = check_op_gradients(op, options);
  OpCheck check;
  op.check(check);
  std::optional<ReportRow> adjoint;
  for (const OpCheck::Case& c : check.cases()) {
    ReportRow row = check_adjoint(c.f, c.inputs, c.label);
    if (adjoint) row.compared += adjoint->compared;
    if (!adjoint || row.worst_error >= adjoint->worst_error)
      adjoint = std::move(row);
    else
      adjoint->compared = row.compared;
  }
  if (adjoint) report.rows.push_back(std::move(*adjoint));
  report.add(check_usage(op), "");
  return report;
}

}  // namespace argand
