#include "nn/families/qic/number_linear.h"

#include "nn/families/qic/complex_linear.h"
#include "nn/families/qic/qic_linear.h"
#include "nn/families/qic/quaternion_linear.h"

namespace argand {

template <RealScalar R>
std::unique_ptr<NumberLinear<R>> make_number_linear(Init& init, Algebra algebra, std::int64_t in, std::int64_t out) {
  switch (algebra) {
    case Algebra::Qic: return std::make_unique<QicLinear<R>>(init, in, out);
    case Algebra::Complex: return std::make_unique<ComplexLinear<R>>(init, in, out);
    case Algebra::PhaseGates: return std::make_unique<PhaseGatedLinear<R>>(init, in, out);
    case Algebra::Quaternion: return std::make_unique<QuaternionLinear<R>>(init, in, out);
    default: fail("algebra", "{} numbers have no layers of this kind", word_of(algebra));
  }
}

#define ARGAND_NUMBER_LINEAR(R) \
  template std::unique_ptr<NumberLinear<R>> make_number_linear(Init&, Algebra, std::int64_t, std::int64_t);
ARGAND_FOR_REAL(ARGAND_NUMBER_LINEAR)

}  // namespace argand
