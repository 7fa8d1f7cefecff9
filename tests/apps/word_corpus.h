#pragma once
/// A text that any word model learns in a moment, in three files laid out like WikiText-2.

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/data/temporary_directory.h"

namespace argand {

/// Writes train.txt, valid.txt and test.txt with 200 lines each and returns their folder. An <unk> in the training part marks the
/// text as word-level.
inline std::string word_corpus(const TemporaryDirectory& scratch) {
  const std::string folder = scratch / "words";
  std::filesystem::create_directories(folder);
  for (const char* part : {"train", "valid", "test"}) {
    std::ofstream file(folder + "/" + part + ".txt");
    for (int i = 0; i < 200; ++i) {
      const bool unknown = i == 199 && part == std::string("train");
      file << "the cat " << (unknown ? "<unk>" : i % 3 == 0 ? "sat" : "ran") << " on mat " << i % 7 << "\n";
    }
  }
  return folder;
}

}  // namespace argand
