/// Registers autograd/ops/elementwise to be called by name: complex numbers and their parts, phases, rotations, and dropout.

#include "autograd/call/functions/random_of.h"
#include "autograd/call/op_function.h"
#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/dropout.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/elementwise/rotation.h"
#include "autograd/ops/elementwise/sinusoid.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// [..., n] -> [..., n, 1], and back.
Shape with_axis_behind(Shape shape) {
  shape.push_back(1);
  return shape;
}
Shape without_axis_behind(Shape shape) {
  shape.erase(-1);
  return shape;
}

template <RealScalar R>
Rotary<R> rotary_of(std::string_view op, const std::optional<Var<R>>& frequencies, std::int64_t first_position) {
  require(!frequencies || !frequencies->requires_grad(), op, "'frequencies' must not require gradients; detach it");
  return {frequencies ? frequencies->value() : Tensor<R>(), first_position};
}

}  // namespace

static const OpFunction complex_functions[] = {
    {"real",
     {"input"},
     []<RealScalar R>(const Var<std::complex<R>>& z) { return real(z); },
     []<RealScalar R>(const Var<R>& x) { return x; }},
    {"imag", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return imag(z); }},
    {"conj",
     {"input"},
     []<RealScalar R>(const Var<std::complex<R>>& z) { return conj(z); },
     []<RealScalar R>(const Var<R>& x) { return x; }},
    {"abs", {"input"}, []<Scalar T>(const Var<T>& z) { return abs(z); }},
    {"abs2", {"input"}, []<Scalar T>(const Var<T>& z) { return abs2(z); }},
    {"angle",
     {"input"},
     []<RealScalar R>(const Var<std::complex<R>>& z) { return angle(z); },
     []<RealScalar R>(const Var<R>& x) { return angle(to_complex(x)); }},
    {"polar", {"abs", "angle"}, []<RealScalar R>(const Var<R>& r, const Var<R>& phi) { return polar(r, phi); }},
    {"make_complex", {"real", "imag"}, []<RealScalar R>(const Var<R>& re, const Var<R>& im) { return make_complex(re, im); }},
    {"complex",
     "make_complex",
     {"real", "imag"},
     []<RealScalar R>(const Var<R>& re, const Var<R>& im) { return make_complex(re, im); }},
    {"to_complex",
     {"input"},
     []<RealScalar R>(const Var<R>& x) { return to_complex(x); },
     []<RealScalar R>(const Var<std::complex<R>>& z) { return z; }},
    // Pairs are a trailing axis of 2, as in PyTorch; in C++ they are interleaved in the last axis, [..., 2n].
    {"view_as_real",
     {"input"},
     []<RealScalar R>(const Var<std::complex<R>>& z) { return view_as_real(reshape(z, with_axis_behind(z.shape()))); }},
    {"view_as_complex",
     {"input"},
     []<RealScalar R>(const Var<R>& x) {
       require(x.rank() > 0 && x.dim(-1) == 2, "view_as_complex", "expects (re, im) pairs [..., 2], got {}", x.shape());
       return reshape(view_as_complex(x), without_axis_behind(x.shape()));
     }},

    // Activations and rotations.
    {"modrelu", {"input", "bias"}, []<RealScalar R>(const Var<std::complex<R>>& z, const Var<R>& c) { return modrelu(z, c); }},
    {"cardioid", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return cardioid(z); }},
    {"zrelu", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return zrelu(z); }},
    {"crelu", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return crelu(z); }},
    {"cgelu", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return cgelu(z); }},
    {"unit_phasor", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return unit_phasor(z); }},
    {"sgn", "unit_phasor", {"input"}, []<RealScalar R>(const Var<std::complex<R>>& z) { return unit_phasor(z); }},
    {"rotate",
     {"input", "theta"},
     []<RealScalar R>(const Var<std::complex<R>>& z, const Var<R>& theta) { return rotate(z, theta); }},
    {"rotary",
     {"input", "frequencies", {"first_position", 0}},
     []<RealScalar R>(const Var<std::complex<R>>& z, const Var<R>& frequencies, std::int64_t first_position) {
       return rotary(z, rotary_of<R>("rotary", frequencies, first_position));
     }},
    {"phase_rotation",
     {"input", "delta", "beta", {"frequencies", none}, {"first_position", 0}},
     []<RealScalar R>(const Var<std::complex<R>>& z, const Var<R>& delta, const Var<R>& beta,
                      const std::optional<Var<R>>& frequencies, std::int64_t first_position) {
       return phase_rotation(z, delta, beta, rotary_of("phase_rotation", frequencies, first_position));
     }},
    {"sinusoid",
     {"phase", "first", "length"},
     []<RealScalar R>(const Var<R>& phase, std::int64_t first, std::int64_t T) { return sinusoid(phase, first, T); }},
    {"dropout",
     {"input", {"p", 0.5}, {"training", true}, {"seed", none}},
     []<Scalar T>(const Var<T>& x, double p, bool training, std::optional<std::int64_t> seed) {
       return dropout(x, p, training, random_of(seed));
     }},
};

}  // namespace argand
