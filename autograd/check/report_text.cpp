#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/check/report.h"

namespace argand {
namespace {

using Cells = std::array<std::string, 6>;
constexpr std::array<bool, 6> right_aligned{false, false, false, true, true, false};

std::string counted_units(std::int64_t n, const std::string& unit) { return fmt::format("{} {}{}", n, unit, n == 1 ? "" : "s"); }

std::string checked(const ReportRow& row) {
  if (row.unit == "element" && !row.scalar.empty() && row.compared < row.shape.size())
    return fmt::format("{} of {} elements", row.compared, row.shape.size());
  return counted_units(row.compared, row.unit);
}

/// "pass", or "5 pass, 1 fail".
std::string verdict_cell(const ReportRow& row) {
  if (row.compared == 0) return "nothing to check";
  std::vector<std::string> parts;
  for (const Verdict v : {Verdict::Pass, Verdict::Kink, Verdict::BranchCut, Verdict::Inconclusive, Verdict::Fail}) {
    const auto n = std::count_if(row.elements.begin(), row.elements.end(), [v](const auto& e) { return e.verdict == v; });
    if (n > 0) parts.push_back(fmt::format("{} {}", n, verdict_name(v)));
  }
  return parts.size() > 1 ? joined(parts, ", ") : std::string(verdict_name(row.verdict));
}

std::string error_cell(double error) { return std::isnan(error) ? "-" : fmt::format("{:.1e}", error); }

Cells cells(const ReportRow& row) {
  const bool nothing = row.compared == 0;
  return {row.name,
          row.scalar.empty() ? "" : row.scalar + row.shape.str(),
          checked(row),
          nothing ? "-" : error_cell(row.worst_error),
          nothing ? "-" : error_cell(row.verdict.bar()),
          verdict_cell(row)};
}

std::string element_line(const Report& report, const ElementCheck& e) {
  return fmt::format("{}: {}", report.element_name(e), describe(e.values, e.verdict, report.rows[e.input].is_complex()));
}

/// The worst element first, then, for each row and each verdict other than pass, one line about the worst such element.
std::vector<std::string> trouble(const Report& report) {
  constexpr std::size_t most = 8;
  std::vector<std::string> lines;
  if (report.verdict() == Verdict::Pass) {
    for (const ReportRow& row : report.rows)
      if (const ElementCheck* kink = row.worst(Verdict::Kink); kink != nullptr) lines.push_back(element_line(report, *kink));
    return lines;
  }
  const std::string said = report.diagnosis();
  const ElementCheck* first = report.worst();
  const auto ending = [&](const ReportRow& row, Verdict v) {
    return v != Verdict::Fail || row.diagnosis.empty() || row.diagnosis == said ? "" : ": " + row.diagnosis;
  };
  if (first != nullptr && first->verdict != Verdict::Pass)
    lines.push_back("worst: " + element_line(report, *first) + ending(report.rows[first->input], first->verdict));
  for (const ReportRow& row : report.rows) {
    if (row.elements.empty() && row.compared > 0 && row.verdict != Verdict::Pass) {
      const std::vector<std::string> faults = row.faults.empty() ? std::vector<std::string>{row.diagnosis} : row.faults;
      for (std::size_t k = 0; k < std::min<std::size_t>(faults.size(), 2); ++k)
        if (!faults[k].empty() && faults[k] != said) lines.push_back(fmt::format("{}: {}", row.name, faults[k]));
      if (faults.size() > 2) lines.push_back(fmt::format("{}: and {} more like these", row.name, faults.size() - 2));
    }
    for (const Verdict v : {Verdict::Fail, Verdict::Inconclusive, Verdict::BranchCut, Verdict::Kink}) {
      const ElementCheck* worst = row.worst(v);
      if (worst != nullptr && worst != first) lines.push_back(element_line(report, *worst) + ending(row, v));
    }
  }
  if (lines.size() > most) {
    const std::size_t more = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("and {} more", counted_units(static_cast<std::int64_t>(more), "line")));
  }
  return lines;
}

/// "for it: differences (relative error 1e-15), taylor (order 2.00 ...)": one line per opinion and subject.
std::vector<std::string> opinions(const Report& report) {
  std::vector<std::string> subjects, lines;
  for (const IndependentCheck& c : report.independent)
    if (std::find(subjects.begin(), subjects.end(), c.of) == subjects.end()) subjects.push_back(c.of);
  for (const std::string& subject : subjects)
    for (const auto& [words, opinion] : {std::pair("for it", Opinion::Agrees), std::pair("against it", Opinion::Disagrees),
                                         std::pair("silent", Opinion::Silent)}) {
      std::vector<std::string> said;
      for (const IndependentCheck& c : report.independent)
        if (c.of == subject && c.opinion == opinion) said.push_back(c.str());
      if (!said.empty())
        lines.push_back(fmt::format("{}{}{}: {}", subject, subject.empty() ? "" : ": ", words, joined(said, ", ")));
    }
  return lines;
}

/// Everything below the table.
std::vector<std::string> remarks(const Report& report) {
  std::vector<std::string> lines = trouble(report);
  for (std::string& line : opinions(report)) lines.push_back(std::move(line));
  if (!report.blamed.empty()) lines.push_back(fmt::format("the check of {} fails as well", joined(report.blamed, ", ")));
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  return lines;
}

/// Terminal columns: one per character, none for a combining mark such as the bar of z̄ (U+0300 to U+036F).
std::size_t columns(const std::string& text) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]), next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
    const bool combining = byte == 0xCC || (byte == 0xCD && next < 0xB0);
    if ((byte & 0xC0U) != 0x80U && !combining) ++n;
  }
  return n;
}

std::string escaped_html(const std::string& text) {
  std::string html;
  for (const char c : text) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '"')
      html += "&quot;";
    else if (c == '\'')
      html += "&#x27;";
    else
      html += c;
  }
  return html;
}

std::string coloured_headline(const Report& report, bool coloured) {
  const std::string line = report.headline();
  const Verdict verdict = report.verdict();
  const std::string word = verdict == Verdict::Fail ? "FAIL" : "pass";
  if (!coloured || verdict == Verdict::Inconclusive) return line;
  const std::size_t place = report.name.size() + 2;
  return line.substr(0, place) + (verdict == Verdict::Fail ? "\x1b[31m" : "\x1b[32m") + word + "\x1b[0m" +
         line.substr(place + word.size());
}

std::vector<Cells> table(const Report& report) {
  std::vector<Cells> rows{{report.subject, "shape", "checked", "worst error", "bar", "verdict"}};
  for (const ReportRow& row : report.rows) rows.push_back(cells(row));
  return rows;
}

}  // namespace

std::string report_text(const Report& report, const ReportStyle& style) {
  const std::vector<Cells> rows = table(report);
  std::array<std::size_t, 6> widths{};
  for (const Cells& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], columns(row[k]));
  std::string text = coloured_headline(report, style.coloured) + "\n";
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - columns(row[k]), ' ');
      line += "  " + (right_aligned[k] ? space + row[k] : row[k] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (style.elements)
    for (const ElementCheck& e : report.elements())
      text += fmt::format("  {}, relative error {:.1e}: {}\n", element_line(report, e), e.relative_error, verdict_name(e.verdict));
  for (const std::string& line : remarks(report)) text += "  " + line + "\n";
  return text;
}

std::string report_html(const Report& report) {
  const Verdict verdict = report.verdict();
  const std::string_view colour = verdict == Verdict::Pass ? "#207227" : verdict == Verdict::Fail ? "#b3261e" : "#8a6d00";
  std::string lines;
  for (const Cells& row : table(report)) {
    const std::string_view tag = lines.empty() ? "th" : "td";
    lines += "<tr>";
    for (const std::string& cell : row) lines += fmt::format("<{0}>{1}</{0}>", tag, escaped_html(cell));
    lines += "</tr>";
  }
  std::string below;
  for (const std::string& line : remarks(report)) below += fmt::format("<div>{}</div>", escaped_html(line));
  return fmt::format("<div><b style=\"color: {}\">{}</b><table>{}</table>{}</div>", colour, escaped_html(report.headline()), lines,
                     below);
}

}  // namespace argand
