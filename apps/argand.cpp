/// The program `argand`.

#include "apps/argand_main.h"

int main(int argc, char** argv) { return argand::argand_main(argc, argv, ARGAND_VERSION); }
