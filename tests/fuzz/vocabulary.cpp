/// Fuzzes lists of words and of classes: an accepted list is written back unchanged.

#include "data/vocabulary.h"
#include "data/corpora/ag_news.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.contents(text_of(data, size));
  accepts([&] {
    const Vocabulary words = Vocabulary::load(file.path());
    expect(words.text() == text_of(data, size), "the list is written back unchanged");
    for (Vocabulary::Id id = 0; id < words.size(); ++id) expect(words.id(words.word(id)) == id, "word and id correspond");
  });
  accepts([&] {
    const std::vector<std::string> names = load_classes("classes", file.path());
    file.contents(classes_text(names));
    expect(load_classes("classes", file.path()) == names, "rereading gives the same names");
  });
  return 0;
}
