#include "train/ablation/ablation_tables.h"

#include "core/error.h"
#include "core/text/keys.h"

namespace argand {

std::string ablation_families() {
  std::string names;
  for (const Family& family : families())
    if (family.variants) names += (names.empty() ? "" : "|") + family.name;
  return names;
}

bool is_row_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+") == name.npos &&
         name.front() != '.';
}

AblationTable ablation_table(const std::string& family) {
  for (const Family& f : families())
    if (f.name == family && f.variants) {
      const Variants& v = *f.variants;
      AblationTable table{
          .task = v.task, .preset = v.preset, .source = {}, .rows = {}, .interventions = v.interventions, .family = f.name};
      for (const Variant& row : v.rows) table.rows.push_back({row.name, row.what, row.settings, "", row.extra});
      return table;
    }
  input_fail("ablate", "\"{}\" has no table; families with tables: {}{}", family, ablation_families(),
             did_you_mean(family, split_choices(ablation_families())));
}

}  // namespace argand
