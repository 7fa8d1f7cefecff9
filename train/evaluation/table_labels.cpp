#include "train/evaluation/table_labels.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t rows_to_look_at = 50;

double rounded(double probability) { return std::round(probability * 1e6) / 1e6; }

/// Formats the output rows.
struct Output {
  bool json;
  char delimiter;
  std::size_t top;

  Output(const LabelledForm& asked, const TableRows& rows)
      : json(asked.json.value_or(rows.is_json())), delimiter(asked.delimiter), top(asked.top) {
    if (delimiter == 0) delimiter = rows.delimiter();
    const bool has_tabs =
        delimiter == '\t' && asked.delimiter == 0 && asked.json;  // tabs only if --delimiter requests them: a .csv file has commas
    if (delimiter == 0 || has_tabs) delimiter = ',';
  }

  /// The names of the added columns: "predicted", "probability", "predicted_2", ...
  std::vector<std::string> added() const {
    if (json) return {"predicted", "probability", "probabilities"};
    std::vector<std::string> names;
    for (std::size_t k = 1; k <= top; ++k)
      for (const char* name : {"predicted", "probability"}) names.push_back(k == 1 ? name : fmt::format("{}_{}", name, k));
    return names;
  }

  void require_new(const std::vector<std::string>& names, const std::string& path) const {
    for (const std::string& name : added())
      require(std::find(names.begin(), names.end(), name) == names.end(), "classify", "{} already has a column {}; rename it", path,
              in_quotes(name));
  }

  std::string header(std::vector<std::string> names) const {
    for (std::string& name : added()) names.push_back(std::move(name));
    return table_line("classify", names, delimiter);
  }

  std::string line(std::vector<std::string> fields, const std::vector<Guess>& best) const {
    for (std::size_t k = 0; k < top; ++k) {
      fields.push_back(k < best.size() ? best[k].label : "");
      fields.push_back(k < best.size() ? fmt::format("{:.6f}", best[k].probability) : "");
    }
    return table_line("classify", fields, delimiter);
  }

  static std::string object(const std::vector<std::string>& names, const std::vector<std::string>& fields) {
    Json object = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i)
      object[names.empty() || names[i].empty() ? fmt::format("column_{}", i + 1) : names[i]] = fields[i];
    return object.dump();
  }

  /// Appends the prediction to the JSON text of a non-empty object.
  static std::string json_line(const std::string& object, const std::vector<Guess>& best) {
    Json added = {{"predicted", nullptr}, {"probability", nullptr}, {"probabilities", Json::object()}};
    if (!best.empty()) added["predicted"] = best.front().label, added["probability"] = rounded(best.front().probability);
    for (const Guess& guess : best) added["probabilities"][guess.label] = rounded(guess.probability);
    return object.substr(0, object.rfind('}')) + "," + added.dump().substr(1) + "\n";
  }
};

}  // namespace

LabelledForm form_of(const std::string& name) {
  const auto ends = [&](std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
  };
  if (ends({".jsonl", ".ndjson"})) return {.json = true};
  if (ends({".tsv", ".tab"})) return {.json = false, .delimiter = '\t'};
  return ends({".csv"}) ? LabelledForm{.json = false} : LabelledForm{};
}

LabelledRows label_rows(const std::string& path, TableColumns wanted, const std::string& usual, const LabelledForm& asked,
                        const GuessLabels& guess, const std::function<void(const std::string&)>& write) {
  TableRows rows("classify", path, wanted.delimiter);
  Table beginning;
  std::vector<std::string> sources;
  while (beginning.rows.size() < rows_to_look_at) {
    std::optional<TableRow> row = rows.next();
    if (!row) break;
    beginning.rows.push_back(std::move(*row));
    sources.push_back(rows.source());
  }
  require(!beginning.rows.empty(), "classify", "{} has no rows", path);
  beginning.keys = rows.keys(), beginning.delimiter = rows.delimiter();
  const std::vector<std::string>& top = beginning.keys.empty() ? beginning.rows.front().fields : beginning.keys;
  if (wanted.text.empty() && std::find(top.begin(), top.end(), usual) != top.end()) wanted.text = usual;
  const TextColumn texts = find_texts(beginning, path, wanted);
  const Output out(asked, rows);
  out.require_new(texts.names, path);
  if (!out.json && !texts.names.empty()) write(out.header(texts.names));
  LabelledRows done;
  const auto label = [&](const TableRow& row, const std::string& source) {
    std::vector<Guess> best = guess(row.fields[texts.column]);
    ++done.rows;
    done.without_words += best.empty();
    best.resize(std::min(out.top, best.size()));
    write(out.json ? out.json_line(rows.is_json() ? source : out.object(texts.names, row.fields), best)
                   : out.line(row.fields, best));
  };
  for (std::size_t i = texts.has_header ? 1 : 0; i < beginning.rows.size(); ++i) label(beginning.rows[i], sources[i]);
  while (const std::optional<TableRow> row = rows.next()) label(*row, rows.source());
  return done;
}

}  // namespace argand
