#include "train/ablation/ablation_tables.h"

#include "core/error.h"
#include "core/text/keys.h"

namespace argand {

std::string ablation_families() {
  std::string names;
  for (const Family& family : families())
    if (family.ablation) names += (names.empty() ? "" : "|") + family.name;
  return names;
}

const AblationTable& ablation_table(const std::string& family) {
  for (const Family& f : families())
    if (f.name == family && f.ablation) return *f.ablation;
  input_fail("ablate", "\"{}\" has no table; there are those of {}{}", family, ablation_families(),
             did_you_mean(family, split_choices(ablation_families())));
}

}  // namespace argand
