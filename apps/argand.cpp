/// The program `argand`.

#include "apps/argand_main.h"

namespace argand {
extern const char* const program_commit;  ///< defined in runs/commit.cpp.in, where the build inserts the commit
}

int main(int argc, char** argv) { return argand::argand_main(argc, argv, ARGAND_VERSION, argand::program_commit); }
