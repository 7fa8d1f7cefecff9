/// Builds with -Dblas=plain have these instead: every one says what it needs.

#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {
namespace {

[[noreturn]] void needs_lapack(std::string_view op) {
  fail(op, "needs LAPACK, which this build (-Dblas=plain) has not; build with OpenBLAS");
}

}  // namespace

template <Scalar T>
Var<T> solve(const Var<T>&, const Var<T>&) {
  needs_lapack("solve");
}
template <Scalar T>
Var<T> inv(const Var<T>&) {
  needs_lapack("inv");
}
template <Scalar T>
Var<T> det(const Var<T>&) {
  needs_lapack("det");
}
template <Scalar T>
SignAndLog<T> slogdet(const Var<T>&) {
  needs_lapack("slogdet");
}
template <Scalar T>
Eigen<T> eigh(const Var<T>&, const EighOptions&) {
  needs_lapack("eigh");
}

#define ARGAND_WITHOUT_LAPACK(T)                       \
  template Var<T> solve(const Var<T>&, const Var<T>&); \
  template Var<T> inv(const Var<T>&);                  \
  template Var<T> det(const Var<T>&);                  \
  template SignAndLog<T> slogdet(const Var<T>&);       \
  template Eigen<T> eigh(const Var<T>&, const EighOptions&);
ARGAND_FOR_SCALAR(ARGAND_WITHOUT_LAPACK)

}  // namespace argand
