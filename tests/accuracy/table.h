#pragma once
/// The table of worst errors. The measurements fill it; it is written to docs/accuracy.md, or compared with that page.

#include <map>
#include <string>
#include <vector>

namespace accuracy {

/// A worst error, and where it occurred.
struct Worst {
  double ulps = 0;
  std::string at;  ///< the inputs, as text
  void update(double error, const std::string& where) {
    if (error > ulps || at.empty()) *this = {error > ulps ? error : ulps, where};
  }
};

/// The worst errors for one op, one range of inputs and one scalar type.
struct Cell {
  Worst value, gradient;
};

enum class Range {
  Ordinary,  ///< |z| in 1e-3 ... 1e3
  Extreme,   ///< the whole range of the type
  Rows,      ///< row-wise ops on ordinary numbers
  Hostile,   ///< ops on matrices that are far from normal, singular, badly scaled, ...; in units of condition times rounding
  Ends,      ///< the same for matrices at the ends of the range
};

struct Row {
  Range range;
  std::string op;                     ///< a registered op's name
  std::string what;                   ///< which inputs or options; may be empty
  std::map<std::string, Cell> cells;  ///< by scalar type, "float32" ...

  /// The largest of all its errors.
  double worst() const;
};

class Table {
 public:
  Cell& cell(Range range, const std::string& op, const std::string& what, std::string_view scalar);

  /// The page, docs/accuracy.md.
  std::string markdown() const;
  /// Every cell, with the inputs that caused its worst errors.
  std::string places() const;
  /// The faults found in `page`, one line each; none if the page is current: it has the same rows, has the same numbers up
  /// to differences between processors' elementary functions, names every registered op, and gives a reason for every error above
  /// 16 ulp.
  std::vector<std::string> faults(const std::string& page) const;

 private:
  std::vector<Row> rows_;
};

/// Why the errors of a row may exceed 16 ulp; empty if they may not.
std::string reason(const Row& row);

/// Registered ops that are not measured, and the reasons.
const std::map<std::string, std::string>& not_measured();

}  // namespace accuracy
