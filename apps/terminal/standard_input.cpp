#include "apps/terminal/standard_input.h"

#include <iostream>
#include <iterator>

#include "data/corpora/text_parts.h"

namespace argand {

std::string text_on_standard_input() { return clean_text({std::istreambuf_iterator<char>(std::cin), {}}, "standard input"); }

}  // namespace argand
