#include "apps/corpora.h"

#include "data/grammar.h"
#include "data/wikitext.h"

namespace argand {

Corpus open_corpus(const std::string& data) {
  // The same text for every run, whatever its seed: runs shall be comparable.
  if (data == "grammar") return Grammar().corpus(1'000'000, 20'000, 20'000, 0);
  return load_wikitext(data);
}

}  // namespace argand
