/// Registers the elementwise functions of autograd/ops/elementwise and autograd/ops/functions to be called by name.

#include "autograd/call/op_function.h"
#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/functions/hyperbolic.h"
#include "autograd/ops/functions/inverse.h"
#include "autograd/ops/functions/near_zero.h"
#include "autograd/ops/functions/special.h"
#include "autograd/ops/functions/variable_power.h"

namespace argand {

static const OpFunction elementwise_functions[] = {
    // Arithmetic.
    {"add",
     {"input", "other"},
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& a, const TensorOrNumber<B>& b) { return add(a, b); }},
    {"sub",
     {"input", "other"},
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& a, const TensorOrNumber<B>& b) { return sub(a, b); }},
    {"mul",
     {"input", "other"},
     []<Scalar T>(const Var<T>& z, RealOf<T> c) { return scale(z, c); },
     []<Scalar T>(RealOf<T> c, const Var<T>& z) { return scale(z, c); },
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& a, const TensorOrNumber<B>& b) { return mul(a, b); }},
    {"div",
     {"input", "other"},
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& a, const TensorOrNumber<B>& b) { return div(a, b); }},
    {"neg", {"input"}, []<Scalar T>(const Var<T>& z) { return neg(z); }},
    {"scale", {"input", "factor"}, []<Scalar T>(const Var<T>& z, RealOf<T> c) { return scale(z, c); }},
    {"square", {"input"}, []<Scalar T>(const Var<T>& z) { return square(z); }},
    {"pow",
     {"input", "exponent"},
     []<Scalar T>(const Var<T>& z, RealOf<T> p) { return pow(z, p); },
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& z, const TensorOrNumber<B>& p) { return pow<A, B>(z, p); }},
    {"power",
     {"input", "exponent"},
     []<Scalar A, Scalar B>(const TensorOrNumber<A>& z, const TensorOrNumber<B>& p) { return pow<A, B>(z, p); }},

    // Exponentials, circular and hyperbolic functions, and their inverses.
    {"exp", {"input"}, []<Scalar T>(const Var<T>& z) { return exp(z); }},
    {"expm1", {"input"}, []<Scalar T>(const Var<T>& z) { return expm1(z); }},
    {"log", {"input"}, []<Scalar T>(const Var<T>& z) { return log(z); }},
    {"log1p", {"input"}, []<Scalar T>(const Var<T>& z) { return log1p(z); }},
    {"sqrt", {"input"}, []<Scalar T>(const Var<T>& z) { return sqrt(z); }},
    {"sin", {"input"}, []<Scalar T>(const Var<T>& z) { return sin(z); }},
    {"cos", {"input"}, []<Scalar T>(const Var<T>& z) { return cos(z); }},
    {"tan", {"input"}, []<Scalar T>(const Var<T>& z) { return tan(z); }},
    {"sinh", {"input"}, []<Scalar T>(const Var<T>& z) { return sinh(z); }},
    {"cosh", {"input"}, []<Scalar T>(const Var<T>& z) { return cosh(z); }},
    {"tanh", {"input"}, []<Scalar T>(const Var<T>& z) { return tanh(z); }},
    {"sinc", {"input"}, []<Scalar T>(const Var<T>& z) { return sinc(z); }},
    {"asin", {"input"}, []<Scalar T>(const Var<T>& z) { return asin(z); }},
    {"acos", {"input"}, []<Scalar T>(const Var<T>& z) { return acos(z); }},
    {"atan", {"input"}, []<Scalar T>(const Var<T>& z) { return atan(z); }},
    {"asinh", {"input"}, []<Scalar T>(const Var<T>& z) { return asinh(z); }},
    {"acosh", {"input"}, []<Scalar T>(const Var<T>& z) { return acosh(z); }},
    {"atanh", {"input"}, []<Scalar T>(const Var<T>& z) { return atanh(z); }},
    {"sigmoid", {"input"}, []<Scalar T>(const Var<T>& z) { return sigmoid(z); }},

    // Functions of real numbers only.
    {"atan2",
     {"input", "other"},
     []<RealScalar R>(const TensorOrNumber<R>& y, const TensorOrNumber<R>& x) { return atan2<R>(y, x); }},
    {"logaddexp",
     {"input", "other"},
     []<RealScalar R>(const TensorOrNumber<R>& a, const TensorOrNumber<R>& b) { return logaddexp<R>(a, b); }},
    {"erf", {"input"}, []<RealScalar R>(const Var<R>& x) { return erf(x); }},
    {"erfc", {"input"}, []<RealScalar R>(const Var<R>& x) { return erfc(x); }},
    {"erfinv", {"input"}, []<RealScalar R>(const Var<R>& x) { return erfinv(x); }},
    {"lgamma", {"input"}, []<RealScalar R>(const Var<R>& x) { return lgamma(x); }},
    {"digamma", "ψ(x) = Γ'(x)/Γ(x), polygamma(0, x)", {"input"}, []<RealScalar R>(const Var<R>& x) { return digamma(x); }},
    {"polygamma", {"n", "input"}, []<RealScalar R>(int n, const Var<R>& x) { return polygamma(n, x); }},
    {"softplus", {"input"}, []<RealScalar R>(const Var<R>& x) { return softplus(x); }},
    {"log_sigmoid", {"input"}, []<RealScalar R>(const Var<R>& x) { return log_sigmoid(x); }},
    {"logsigmoid", "log_sigmoid", {"input"}, []<RealScalar R>(const Var<R>& x) { return log_sigmoid(x); }},
    {"relu", {"input"}, []<RealScalar R>(const Var<R>& x) { return relu(x); }},
    {"gelu", {"input"}, []<RealScalar R>(const Var<R>& x) { return gelu(x); }},
    {"silu", {"input"}, []<RealScalar R>(const Var<R>& x) { return silu(x); }},
    {"swiglu", {"gate", "up"}, []<RealScalar R>(const Var<R>& gate, const Var<R>& up) { return swiglu(gate, up); }},
};

}  // namespace argand
