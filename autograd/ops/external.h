#pragma once
/// A function written outside the library, with its gradient written by hand: from here on an op like any other.

#include <functional>
#include <type_traits>

#include "autograd/var.h"

namespace argand {

/// T, but decided by the other arguments: a lambda then turns into a std::function of it.
template <class T>
using Given = std::type_identity_t<T>;

/// L = value(z), a real number made of a tensor by code that knows nothing of tapes. `gradient(z)` is what that code holds for
///
///     grad(z) = ∂L/∂x + i ∂L/∂y = 2 ∂L/∂z̄          (∂L/∂x for a real z)
///
/// and has z's shape. Both must be pure functions of z. To find out whether they belong together:
///
///     report_text(gradcheck([](const Complex& z) { return external(z, value, gradient); }, point))
///
/// Its second derivative is unknown: where tangents are recorded (hvp()) it throws when z moves and wants a gradient; jvp() is
/// welcome. Throws `external: the gradient has shape [3], its input [4]` in the backward pass.
template <Scalar T>
Var<RealOf<T>> external(const Var<T>& z, const std::function<RealOf<Given<T>>(const Tensor<Given<T>>&)>& value,
                        const std::function<Tensor<Given<T>>(const Tensor<Given<T>>&)>& gradient);

}  // namespace argand
