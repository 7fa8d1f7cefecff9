/// Replacements for builds with -Dblas=plain; each throws an error that names what is missing.

#include "autograd/ops/linear_algebra/eig.h"
#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/linear_algebra/least_squares.h"
#include "autograd/ops/linear_algebra/matrix_exp.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {
namespace {

[[noreturn]] void needs_lapack(std::string_view op) {
  fail(op, "needs LAPACK, which this build (-Dblas=plain) lacks; build with OpenBLAS");
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

template <Scalar T>
Var<T> cholesky(const Var<T>&) {
  needs_lapack("cholesky");
}
template <Scalar T>
OrthogonalFactors<T> qr(const Var<T>&) {
  needs_lapack("qr");
}
template <Scalar T>
SingularFactors<T> svd(const Var<T>&, const SvdOptions&) {
  needs_lapack("svd");
}
template <Scalar T>
Var<T> lstsq(const Var<T>&, const Var<T>&, std::optional<double>) {
  needs_lapack("lstsq");
}
template <Scalar T>
Var<T> matrix_exp(const Var<T>&) {
  needs_lapack("matrix_exp");
}
template <Scalar T>
GeneralEigen<RealOf<T>> eig(const Var<T>&) {
  needs_lapack("eig");
}
template <Scalar T>
Var<T> matrix_power(const Var<T>&, std::int64_t) {
  needs_lapack("matrix_power");
}
template <Scalar T>
Var<T> sqrtm(const Var<T>&) {
  needs_lapack("sqrtm");
}
template <Scalar T>
Var<T> logm(const Var<T>&) {
  needs_lapack("logm");
}

#define ARGAND_WITHOUT_LAPACK(T)                                              \
  template Var<T> solve(const Var<T>&, const Var<T>&);                        \
  template Var<T> inv(const Var<T>&);                                         \
  template Var<T> det(const Var<T>&);                                         \
  template SignAndLog<T> slogdet(const Var<T>&);                              \
  template Eigen<T> eigh(const Var<T>&, const EighOptions&);                  \
  template Var<T> cholesky(const Var<T>&);                                    \
  template OrthogonalFactors<T> qr(const Var<T>&);                            \
  template SingularFactors<T> svd(const Var<T>&, const SvdOptions&);          \
  template Var<T> lstsq(const Var<T>&, const Var<T>&, std::optional<double>); \
  template Var<T> matrix_exp(const Var<T>&);                                  \
  template GeneralEigen<RealOf<T>> eig(const Var<T>&);                        \
  template Var<T> matrix_power(const Var<T>&, std::int64_t);                  \
  template Var<T> sqrtm(const Var<T>&);                                       \
  template Var<T> logm(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_WITHOUT_LAPACK)

}  // namespace argand
