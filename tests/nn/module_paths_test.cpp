/// The tape gets an op's module from NameScope, but a parameter's name comes from the module that lists it in visit(). Every model
/// writes both by hand; this test checks that they agree.

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "tests/nn/whole_models.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(module_paths)

namespace {

/// The module of a parameter as the tape names it, such as "blocks.0.attn" for "blocks.0.attn.q.weight": the longest prefix among
/// `scopes`.
std::string scope_in(const std::string& name, const std::set<std::string>& scopes) {
  std::string longest;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    if (scopes.contains(name.substr(0, dot))) longest = name.substr(0, dot);
  return longest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_op_runs_in_the_module_whose_parameters_it_reads_or_in_a_part_of_it) {
  std::size_t read = 0;
  for_each_subject([&](const Subject& subject) {
    const ParameterList<double> parameters = subject.parameters();
    std::map<const SlotBase*, std::string> names;
    for (const Parameter<double>& p : parameters) names.emplace(p.slot(), p.name);
    const Tape tape;
    const Var<double> loss = subject.loss()();
    std::set<std::string> scopes;
    for (const TapeEntry& entry : tape.entries()) scopes.insert(entry.scope);
    const auto is_module = [&](const std::string& path) {
      return std::any_of(parameters.begin(), parameters.end(),
                         [&](const Parameter<double>& p) { return p.name.starts_with(path + "."); });
    };
    for (const std::string& scope : scopes) {
      // An encoder shared by all layers runs in the first layer that needs its output.
      const std::size_t shared = scope.find(".encoder");
      BOOST_TEST((scope.empty() || is_module(shared == std::string::npos ? scope : scope.substr(shared + 1))),
                 subject.name << ": no module is called " << scope);
    }
    for (const TapeEntry& entry : tape.entries())
      for (const auto& input : entry.inputs)
        if (const auto found = names.find(input.get()); found != names.end()) {
          const std::string& name = found->second;
          BOOST_TEST(entry.scope.starts_with(scope_in(name, scopes)),
                     subject.name << ": " << entry.op->name() << " of " << name << " in " << entry.scope);
          ++read;
        }
  });
  BOOST_TEST(read > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
