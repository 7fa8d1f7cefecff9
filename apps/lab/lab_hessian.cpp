#include "apps/lab/lab_hessian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/lab/expression_point.h"
#include "apps/terminal/text_layout.h"
#include "autograd/check/numerical.h"
#include "autograd/hessian.h"
#include "autograd/tape.h"

namespace argand {
namespace {

using C = std::complex<double>;
using Rows = std::vector<std::vector<double>>;

std::vector<C> gradient_at(const Expression& f, const std::vector<C>& at) {
  Tape tape;
  std::vector<AnyVar> z;
  for (const C number : at) z.emplace_back(variable(Tensor<C>({1}, {number})));
  const Real L = loss_of(f(z));
  if (L.requires_grad()) tape.backward(L);
  std::vector<C> gradient;
  for (const AnyVar& v : z) gradient.push_back(std::get<Complex>(v).grad().data()[0]);
  return gradient;
}

/// Column by column: the derivative of the gradient along x_k or y_k.
void differentiate_gradient(const Expression& f, LabHessian& h) {
  const std::size_t n = 2 * h.at.size();
  h.numerical = h.error = Rows(n, std::vector<double>(n));
  for (std::size_t column = 0; column < n; ++column) {
    const C direction = column % 2 == 0 ? C(1, 0) : C(0, 1);
    const auto along = [&](double t) {
      std::vector<C> moved = h.at;
      moved[column / 2] += t * direction;
      return gradient_at(f, moved);
    };
    const Changes changes = [&](double t, std::span<Change> out) {
      const std::vector<C> there = along(t);
      for (std::size_t k = 0; k < there.size(); ++k) {
        const C change = there[k] - h.gradient[k];
        const double rounding = 8 * double_epsilon * (std::abs(there[k]) + std::abs(h.gradient[k]));
        out[2 * k] = {change.real(), rounding};
        out[2 * k + 1] = {change.imag(), rounding};
      }
    };
    const std::vector<Derivative> derivatives = differentiate(changes, 0, n);
    for (std::size_t row = 0; row < n; ++row) {
      h.numerical[row][column] = derivatives[row].central.value;
      h.error[row][column] = derivatives[row].central.error;
    }
  }
}

double largest_of(const Rows& rows) {
  double largest = 0;
  for (const auto& row : rows)
    for (const double x : row) largest = std::max(largest, std::abs(x));
  return largest;
}

std::string block_text(const Expression& f, const std::vector<std::vector<C>>& block, bool second_conjugated) {
  std::string text;
  const auto& names = f.variables();
  for (std::size_t j = 0; j < block.size(); ++j) {
    text += "  ";
    for (std::size_t k = 0; k < block.size(); ++k)
      text +=
          padded(fmt::format("∂²L/∂{}∂{}{} = {}", names[j], names[k], second_conjugated ? "̄" : "", complex_text(block[j][k])), 42);
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace

bool LabHessian::failed() const {
  const double scale = largest_of(real);
  for (std::size_t i = 0; i < real.size(); ++i)
    for (std::size_t k = 0; k < real.size(); ++k)
      if (std::abs(real[i][k] - numerical[i][k]) > 1e-6 * scale + 10 * error[i][k]) return true;
  return false;
}

double LabHessian::slope() const {
  double length = 0;
  for (const C g : gradient) length = std::hypot(length, std::abs(g));
  return length;
}

std::string LabHessian::kind() const {
  const double size = largest_of(real), zero = 1e-9 * std::max(1.0, size);
  if (!std::isfinite(slope()) || !std::isfinite(size)) return "not finite";
  if (slope() > zero) return "no critical point";
  const auto vanishes = [&](double value) { return std::abs(value) <= zero; };
  if (std::any_of(eigenvalues.begin(), eigenvalues.end(), vanishes)) {
    const bool up = eigenvalues.back() > zero, down = eigenvalues.front() < -zero;
    return up && down ? "a saddle" : "degenerate";
  }
  return eigenvalues.front() > 0 ? "a minimum" : eigenvalues.back() < 0 ? "a maximum" : "a saddle";
}

LabHessian lab_hessian(const Expression& f, const std::vector<C>& at) {
  LabHessian h;
  h.at = at;
  h.gradient = gradient_at(f, at);
  ParameterList<double> variables;
  std::vector<AnyVar> z;
  for (std::size_t k = 0; k < at.size(); ++k) {
    z.emplace_back(variable(Tensor<C>({1}, {at[k]})));
    variables.push_back({f.variables()[k], z.back()});
  }
  {
    const NoGrad none;
    h.of_real_part = f(z).index() == 1;
  }
  const Tensor<double> H = hessian<double>([&] { return loss_of(f(z)); }, variables);
  const std::size_t n = at.size();
  h.real = Rows(2 * n, std::vector<double>(2 * n));
  for (std::size_t row = 0; row < 2 * n; ++row)
    for (std::size_t column = 0; column < 2 * n; ++column)
      h.real[row][column] = H(static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
  h.zz = h.zzbar = std::vector<std::vector<C>>(n, std::vector<C>(n));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      // ∂/∂z = (∂/∂x - i ∂/∂y)/2, ∂/∂z̄ = (∂/∂x + i ∂/∂y)/2.
      const double xx = h.real[2 * j][2 * k], xy = h.real[2 * j][2 * k + 1], yx = h.real[2 * j + 1][2 * k],
                   yy = h.real[2 * j + 1][2 * k + 1];
      h.zz[j][k] = C(xx - yy, -xy - yx) / 4.0;
      h.zzbar[j][k] = C(xx + yy, xy - yx) / 4.0;
    }
  h.eigenvalues = symmetric_eigenvalues(H);
  differentiate_gradient(f, h);
  return h;
}

std::string hessian_text(const Expression& f, const LabHessian& h, const Style& style) {
  std::string text = style.bold(fmt::format("Second derivatives of L = {}{}", h.of_real_part ? "Re " : "", f.name())) + "\n";
  text += block_text(f, h.zz, false) + block_text(f, h.zzbar, true);
  text += "  the other two blocks are their conjugates, for L is real\n\n  the real Hessian, over (";
  for (std::size_t k = 0; k < f.variables().size(); ++k)
    text += fmt::format("{}Re {}, Im {}", k == 0 ? "" : ", ", f.variables()[k], f.variables()[k]);
  text += ")\n";
  double off = 0, bar = 0;
  for (std::size_t row = 0; row < h.real.size(); ++row) {
    text += "   ";
    for (std::size_t column = 0; column < h.real.size(); ++column) {
      text += fmt::format("  {:>14.8g}", h.real[row][column] == 0 ? 0.0 : h.real[row][column]);
      off = std::max(off, std::abs(h.real[row][column] - h.numerical[row][column]));
      bar = std::max(bar, h.error[row][column]);
    }
    text += "\n";
  }
  text += fmt::format("    differences of the gradient are at most {:.0e} away, ± {:.0e}: {}\n", off, bar,
                      h.failed()           ? style.red("they DIFFER")
                      : std::isfinite(bar) ? style.green("they agree")
                                           : "inconclusive");
  text += "  eigenvalues";
  for (const double value : h.eigenvalues) text += fmt::format("  {:.8g}", value == 0 ? 0.0 : value);
  const std::string kind = h.kind();
  text += "\n  " + style.bold(kind);
  if (kind == "no critical point") text += fmt::format(": the gradient is {:.4g} long", h.slope());
  if (kind == "degenerate") text += ": along some direction the curvature is 0, and higher derivatives decide";
  return text + "\n";
}

nlohmann::json hessian_json(const LabHessian& h) {
  const auto complex_rows = [](const std::vector<std::vector<C>>& rows) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& row : rows) {
      nlohmann::json line = nlohmann::json::array();
      for (const C z : row) line.push_back({z.real(), z.imag()});
      all.push_back(line);
    }
    return all;
  };
  return {{"zz", complex_rows(h.zz)}, {"zzbar", complex_rows(h.zzbar)}, {"real", h.real},  {"numerical", h.numerical},
          {"error", h.error},         {"eigenvalues", h.eigenvalues},   {"kind", h.kind()}};
}

}  // namespace argand
