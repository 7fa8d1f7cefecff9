/// The program `argand`.

#include "apps/argand_main.h"

namespace argand {
extern const char* const program_commit;  ///< of runs/commit.cpp.in, with the commit put in by the build
}

int main(int argc, char** argv) { return argand::argand_main(argc, argv, ARGAND_VERSION, argand::program_commit); }
