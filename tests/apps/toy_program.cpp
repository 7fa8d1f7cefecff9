/// The program `argand` with one more family.

#include "apps/argand_main.h"
#include "tests/apps/toy_family.h"

int main(int argc, char** argv) {
  argand::add_family(argand::toy_family());
  return argand::argand_main(argc, argv, "with toys");
}
