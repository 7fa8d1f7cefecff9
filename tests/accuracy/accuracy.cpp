/// Measures every op against exact results and prints, or checks, the page docs/accuracy.md.

#include <fmt/core.h>

#include <fstream>
#include <iterator>

#include "tests/accuracy/cases.h"
#include "tests/hostile/hostile.h"

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (!(argc == 2 && (how == "--markdown" || how == "--places")) && !(argc == 3 && how == "--compare")) {
    fmt::print(stderr, "usage: accuracy --markdown | --places | --compare PAGE\n");
    return 2;
  }
  accuracy::Table table;
  accuracy::measure_holomorphic(table);
  accuracy::measure_real(table);
  accuracy::measure_arithmetic(table);
  accuracy::measure_parts(table);
  accuracy::measure_complex(table);
  accuracy::measure_row_norms(table);
  accuracy::measure_row_softmax(table);
  const hostile::Seen seen = hostile::measure_hostile(table);
  if (how == "--places") fmt::print("{} hostile cases, {} refused\n", seen.cases, seen.refused);
  if (how == "--markdown") fmt::print("{}", table.markdown());
  if (how == "--places") fmt::print("{}", table.places());
  if (how != "--compare") return 0;
  std::ifstream in(argv[2]);
  if (!in) {
    fmt::print(stderr, "accuracy: cannot read {}\n", argv[2]);
    return 1;
  }
  std::vector<std::string> faults = table.faults(std::string(std::istreambuf_iterator<char>(in), {}));
  if (seen.cases < 20'000) faults.push_back(fmt::format("only {} hostile cases; the page promises at least 20000", seen.cases));
  for (const std::string& fault : faults) fmt::print("{}\n", fault);
  if (!faults.empty())
    fmt::print(
        "The page is out of date, or an op has become less accurate. To regenerate it: accuracy --markdown > docs/accuracy.md\n");
  return faults.empty() ? 0 : 1;
}
