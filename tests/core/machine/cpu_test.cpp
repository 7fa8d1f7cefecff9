#include "core/machine/cpu.h"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>

using namespace argand;

BOOST_AUTO_TEST_SUITE(cpu)

BOOST_AUTO_TEST_CASE(a_processor_is_named_as_the_system_names_it) {
  struct Case {
    std::string cpuinfo, name;
  };
  const Case cases[] = {
      {"processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7B13\n", "AMD EPYC 7B13"},
      {"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n", "Neoverse-N1"},
      // A processor with cores of two sizes: the large ones come last.
      {"CPU implementer\t: 0x41\nCPU part\t: 0xd05\n\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n", "Cortex-A76"},
      {"CPU implementer\t: 0x48\nCPU part\t: 0xd01\n", "ARM implementer 0x48, part 0xd01"},
      {"CPU implementer\t: 0x41\n", ""},
      {"model name\t:\n", ""},
      {"model name without a colon\n", ""},
      {"", ""},
  };
  for (const Case& c : cases) {
    std::istringstream text(c.cpuinfo);
    BOOST_TEST(processor_name_in(text) == c.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
