/// Replaces libFuzzer where it is missing: feeds a target all its seeds, and mutations of them that are the same in every run.
///
///     fuzz_TARGET SEEDS_FOLDER MUTATIONS        as the tests run it
///     fuzz_TARGET FILE...                       replays inputs that libFuzzer found

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  argand::expect(file.good(), "the file can be read: " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void feed(const std::string& input) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()); }

/// A source of random mutations. mt19937_64 gives the same numbers everywhere, but the standard distributions do not, so this uses
/// remainders instead.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

  void edit(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(7)) {
      case 0:  // flips a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:  // replaces a byte
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2: text.erase(at, 1 + below(8)); break;
      case 3: text.insert(at, 1, static_cast<char>(below(256))); break;
      case 4: text.insert(at, text.substr(below(text.size() + 1), below(40))); break;  // repeats part of the text
      case 5: text.resize(at); break;
      default: {  // inserts part of another seed
        const std::string& other = seeds_[below(seeds_.size())];
        text.insert(at, other.substr(below(other.size() + 1), below(40)));
      }
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 2) return std::fprintf(stderr, "usage: %s SEEDS_FOLDER MUTATIONS | FILE...\n", argv[0]), 2;
  if (!fs::is_directory(argv[1])) {
    for (int i = 1; i < argc; ++i) feed(contents_of(argv[i]));
    return 0;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(argv[1])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) feed(seeds.emplace_back(contents_of(path)));
  if (seeds.empty()) return std::fprintf(stderr, "no seeds in %s\n", argv[1]), 1;
  const long mutations = argc > 2 ? std::atol(argv[2]) : 0;
  Mutator mutator(seeds);
  for (long i = 0; i < mutations; ++i) feed(mutator.next());
  std::printf("%zu seeds and %ld mutations\n", seeds.size(), mutations);
  return 0;
}
