/// The list of families. To add one, create nn/families/NAME/ and add a line for it here.

#include <algorithm>

#include "core/error.h"
#include "nn/family.h"

namespace argand {

// Each function is defined in the family.cpp of its family.
#ifndef ARGAND_FAMILIES  // web/model compiles only two families
#define ARGAND_FAMILIES(f) f(transformer) f(complexformer) f(crope) f(crat) f(qic)
#endif

#define ARGAND_DECLARE(name) Family name##_family();
ARGAND_FAMILIES(ARGAND_DECLARE)

const Family& default_family() { return family_named("complexformer"); }

namespace {

struct List {
  std::deque<Family> all;
  std::string choices;

  List() {
#define ARGAND_ADD(name) add(name##_family());
    ARGAND_FAMILIES(ARGAND_ADD)
  }

  void add(Family family) {
    require(!family.name.empty() && family.configuration && family.make_float && family.make_double, "family",
            "\"{}\" needs a name, a configuration, and float and double models", family.name);
    require(std::none_of(all.begin(), all.end(), [&](const Family& f) { return f.name == family.name; }), "family",
            "\"{}\" is already registered", family.name);
    if (family.variants)
      for (Variant& row : family.variants->rows)
        if (std::none_of(row.settings.begin(), row.settings.end(), [](const auto& s) { return s.first == "family"; }))
          row.settings.insert(row.settings.begin(), {"family", family.name});
    choices += (choices.empty() ? "" : "|") + family.name;
    all.push_back(std::move(family));
  }
};

List& list() {
  static List families;
  return families;
}

}  // namespace

const std::deque<Family>& families() { return list().all; }
const std::string& family_choices() { return list().choices; }
void add_family(Family family) { list().add(std::move(family)); }

bool name_ends_with(std::string_view name, std::string_view called) {
  return name == called || (name.ends_with(called) && name[name.size() - called.size() - 1] == '.');
}

const Family& family_named(const std::string& name) {
  return families()[static_cast<std::size_t>(index_of_word("family", name, family_choices()))];
}

}  // namespace argand
