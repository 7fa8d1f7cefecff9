#include "nn/qic/number_linear.h"

#include "nn/qic/complex_linear.h"
#include "nn/qic/qic_linear.h"
#include "nn/qic/quaternion_linear.h"

namespace argand {

int parts_of(const std::string& algebra) { return algebra == "quaternion" ? 4 : 2; }

template <RealScalar R>
std::unique_ptr<NumberLinear<R>> make_number_linear(Init& init, const std::string& algebra, std::int64_t in, std::int64_t out) {
  if (algebra == "qic") return std::make_unique<QicLinear<R>>(init, in, out);
  if (algebra == "complex") return std::make_unique<ComplexLinear<R>>(init, in, out);
  if (algebra == "phase_gates") return std::make_unique<PhaseGatedLinear<R>>(init, in, out);
  if (algebra == "quaternion") return std::make_unique<QuaternionLinear<R>>(init, in, out);
  fail("algebra", "\"{}\" is not one of qic|complex|phase_gates|quaternion", algebra);
}

#define ARGAND_NUMBER_LINEAR(R) \
  template std::unique_ptr<NumberLinear<R>> make_number_linear(Init&, const std::string&, std::int64_t, std::int64_t);
ARGAND_FOR_REAL(ARGAND_NUMBER_LINEAR)

}  // namespace argand
