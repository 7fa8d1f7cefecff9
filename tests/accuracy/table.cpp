#include "tests/accuracy/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "autograd/op.h"

namespace accuracy {
namespace {

const std::vector<std::string> scalars = {"float32", "float64", "complex64", "complex128"};
constexpr Range all_ranges[] = {Range::Ordinary, Range::Extreme, Range::Rows, Range::Hostile, Range::Ends};
/// The largest error that needs no explanation.
double bound_of(Range range) { return range == Range::Hostile || range == Range::Ends ? 64 : 16; }

std::string number(double ulps) {
  if (ulps >= 1e300) return "∞";
  return ulps < 1000 ? fmt::format("{:.1f}", ulps) : fmt::format("{:.0e}", ulps);
}
std::string emphasised(double ulps, double bound) { return ulps > bound ? "**" + number(ulps) + "**" : number(ulps); }

/// A cell "1.2 / 3.4": the errors of the value and of the gradient.
std::string text(const Row& row, const std::string& scalar) {
  const auto cell = row.cells.find(scalar);
  if (cell == row.cells.end()) return "";
  const double bound = bound_of(row.range);
  return emphasised(cell->second.value.ulps, bound) + " / " + emphasised(cell->second.gradient.ulps, bound);
}

std::string name(const Row& row) { return row.what.empty() ? row.op : row.op + ", " + row.what; }

constexpr std::string_view headings[] = {"## Ordinary numbers", "## Extreme numbers", "## Rows", "## Hostile matrices",
                                         "## Hostile matrices at the ends of the range"};

constexpr std::string_view introduction = R"(# Accuracy

The worst error of every op that computes, in units in the last place (ulp), value and gradient, against the exact result in 500 bits
(MPFR). Made by `build/tests/accuracy --markdown > docs/accuracy.md`; a test compares it with what the library does today. The
smallest possible error of a rounded result is 0.5.

- **An ulp** is the distance of neighbouring numbers of the type around the exact result; around a complex result w, that of the real
  numbers around |w|. (A part of a complex product may cancel to nothing, so no part has an error of its own.) Below the normal numbers
  it is the smallest number there is.
- **A gradient** is g_z = conj(∂w/∂z) g_w + (∂w/∂z̄) conj(g_w) for incoming gradients g_w of modulus 1/2 … 2 in all directions. Its
  error counts in ulp of (|∂w/∂z| + |∂w/∂z̄|) |g_w|, the largest that such a g_w can cause: for holomorphic and for real-valued functions
  that is |g_z| itself. It is not asked for where the value or a derivative is beyond the type.
- **Infinity** is right where the exact result is beyond the largest number.
- Inputs are exact numbers of the type, seeded: 1500 of random sizes (logarithms uniform), a quarter of the complex ones close to a
  half-axis, and the surroundings z (1 ± 2^-k) of zeros, poles and kinks.
- **Rows** are ops that add up many numbers: they are measured on rows of 1, 7, 64 and 1000 (attention: as many keys; matrix products:
  as long sums), with entries of random sizes, entries near 100, and entries below 10; "huge" are these times 1e20 in float32 and 1e200
  in float64 (logits in float32: 1e30). What cancels in a sum is lost before the op sees it. So the error of an entry counts in ulp of the
  same formula with every term that it adds taken by its absolute value: of Σ|x_i| for a sum, of (|x_i| + mean|x|)/σ |γ| + |b| for
  layer_norm. An exponential e^(x_i - max) counts 1 + (max - x_i) fold, the rounding of its exponent; where x is itself a product, the
  terms of the product count there, too. What the op must not lose is measured in full: 1 - p of a class that is well predicted is
  the sum of the others' p, and so is an attention weight's in selected_attention.
- **Hostile matrices** (tests/hostile) are triangular and block triangular with numbers beside the diagonal from 1e-100 to 1e100
  (float32: 1e-12 to 1e12), nilpotent, graded, badly scaled by rows and by columns, nearly singular, singular of every rank, defective,
  with coinciding and with close eigenvalues, and at the ends of the range; n from 0 to 8, in batches, more than 20 000 of them. Exact
  values have 150 digits, exact gradients are those of a tape of such numbers. The unit is condition times rounding: ε times the size of
  the exact result, plus how much it changes when the input changes by ε at random, twice, in 150 digits. Reductions, matmul and
  matrix_exp: every number by ε of itself, and every number of the result counts alone; the others: by ε of the largest number, and the
  largest number of the result counts. Up to 64 units need no reason. An op may refuse what a rounding of the input takes away.

Each cell is value / gradient. What is above 16 (hostile matrices: 64) is bold, and its reason stands under the table. At another level of x86-64 or with another C
library some numbers differ a little, as their elementary functions do, and the order of sums.
)";

/// The cells of a line "| a | b | ... |", without emphasis.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  std::string cell;
  std::getline(in, cell, '|');
  while (std::getline(in, cell, '|')) {
    std::erase(cell, '*');
    const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

/// The numbers in a cell "1.2 / 3.4".
std::vector<double> numbers_of(std::string cell) {
  std::vector<double> found;
  std::erase(cell, '*');
  std::istringstream in(cell);
  for (std::string word; in >> word;)
    if (word != "/") found.push_back(word == "∞" ? std::numeric_limits<double>::infinity() : std::stod(word));
  return found;
}

}  // namespace

double Row::worst() const {
  double worst = 0;
  for (const auto& [scalar, cell] : cells) worst = std::max({worst, cell.value.ulps, cell.gradient.ulps});
  return worst;
}

Cell& Table::cell(Range range, const std::string& op, const std::string& what, std::string_view scalar) {
  const auto same = [&](const Row& r) { return r.range == range && r.op == op && r.what == what; };
  auto row = std::find_if(rows_.begin(), rows_.end(), same);
  if (row == rows_.end()) row = rows_.insert(rows_.end(), {range, op, what, {}});
  return row->cells[std::string(scalar)];
}

std::string Table::markdown() const {
  std::string page(introduction);
  for (const Range range : all_ranges) {
    const double bound = bound_of(range);
    std::string rows, reasons;
    for (const Row& row : rows_) {
      if (row.range != range) continue;
      rows += fmt::format("| {} |", name(row));
      for (const std::string& scalar : scalars) rows += fmt::format(" {} |", text(row, scalar));
      rows += "\n";
      if (row.worst() > bound) reasons += fmt::format("- {}: {}\n", name(row), reason(row));
    }
    if (rows.empty()) continue;
    page += fmt::format("\n{}\n\n| op | float32 | float64 | complex64 | complex128 |\n|---|---|---|---|---|\n{}",
                        headings[static_cast<std::size_t>(range)], rows);
    if (!reasons.empty()) page += fmt::format("\nAbove {}:\n\n{}", bound, reasons);
  }
  page += "\n## Not measured\n\n";
  for (const auto& [op, why] : not_measured()) page += fmt::format("- {}: {}\n", op, why);
  return page;
}

std::string Table::places() const {
  std::string all;
  for (const Row& row : rows_)
    for (const auto& [scalar, cell] : row.cells)
      all += fmt::format("{} {}, {}: value {} at {}, gradient {} at {}\n", static_cast<int>(row.range), name(row), scalar,
                         number(cell.value.ulps), cell.value.at, number(cell.gradient.ulps), cell.gradient.at);
  return all;
}

std::vector<std::string> Table::faults(const std::string& page) const {
  std::vector<std::string> found;
  std::map<std::string, std::vector<std::string>> written;  // heading and name -> cells
  std::istringstream in(page);
  std::string heading;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) heading = line;
    if (!line.starts_with("| ") || line.starts_with("| op ")) continue;
    std::vector<std::string> cells = cells_of(line);
    const std::string key = heading + ": " + cells.at(0);
    written[key] = std::move(cells);
  }
  for (const Row& row : rows_) {
    const std::string key = fmt::format("{}: {}", headings[static_cast<std::size_t>(row.range)], name(row));
    if (row.worst() > bound_of(row.range) && reason(row).empty())
      found.push_back(fmt::format("{}: {} ulp and no reason", key, number(row.worst())));
    const auto line = written.find(key);
    if (line == written.end()) {
      found.push_back(key + ": not on the page");
      continue;
    }
    for (std::size_t s = 0; s < scalars.size(); ++s) {
      const std::vector<double> old = numbers_of(line->second.at(s + 1)), now = numbers_of(text(row, scalars[s]));
      const bool hostile = row.range == Range::Hostile || row.range == Range::Ends;
      const double more = row.range == Range::Rows ? 4 : 2;  // with shorter SIMD vectors, each lane sums more terms
      bool same = old.size() == now.size();
      for (std::size_t i = 0; same && i < old.size(); ++i)
        // Results without correct digits differ between processors, so for hostile matrices only larger errors count.
        same = hostile ? old[i] > bound_of(row.range) || now[i] <= 8 * old[i] + 8
                       : std::isinf(old[i]) == std::isinf(now[i]) &&
                             (std::isinf(old[i]) || (now[i] <= more * old[i] + more && old[i] <= 4 * now[i] + 4));
      if (!same)
        found.push_back(
            fmt::format("{}, {}: the page has \"{}\", today {}", key, scalars[s], line->second.at(s + 1), text(row, scalars[s])));
    }
    written.erase(line);
  }
  for (const auto& [key, cells] : written) found.push_back(key + ": on the page, but not measured");
  std::set<std::string> measured;
  for (const Row& row : rows_) measured.insert(row.op);
  for (const argand::Op* op : argand::Op::all())
    if (measured.contains(op->name()) == not_measured().contains(op->name()))
      found.push_back(op->name() + ": must be measured or named with a reason why not, one of the two");
  return found;
}

}  // namespace accuracy
