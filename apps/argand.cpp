/// The program `argand`.

#include "apps/argand_main.h"

namespace argand {
extern const char* const program_commit;  ///< of commit.cpp, which the build makes
}

int main(int argc, char** argv) { return argand::argand_main(argc, argv, ARGAND_VERSION, argand::program_commit); }
