#pragma once
/// Activations of complex numbers. Some scale z by a real factor, keeping its phase; the split ones act on Re and Im separately.

#include "autograd/var.h"

namespace argand {

/// ReLU(|z| + c) z/|z| with a learnable real c that broadcasts to z: [n] for z [..., n], [n, 1] for channels z [..., n, L], or a
/// single number. 0 at z = 0. (Arjovsky, Shah, Bengio, arXiv:1511.06464, eq. 8.) Throws when c does not broadcast to z.
template <RealScalar R>
Var<std::complex<R>> modrelu(const Var<std::complex<R>>& z, const Var<R>& c);
/// ½(1 + cos arg z) z: z on the positive real axis, 0 on the negative (Virtue, Yu, Lustig, arXiv:1707.00070, eq. 4).
template <RealScalar R>
Var<std::complex<R>> cardioid(const Var<std::complex<R>>& z);
/// z where Re z >= 0 and Im z >= 0, otherwise 0 (Guberman, arXiv:1602.09046).
template <RealScalar R>
Var<std::complex<R>> zrelu(const Var<std::complex<R>>& z);
/// relu(Re z) + i relu(Im z) (Trabelsi et al., arXiv:1705.09792).
template <RealScalar R>
Var<std::complex<R>> crelu(const Var<std::complex<R>>& z);
/// gelu(Re z) + i gelu(Im z).
template <RealScalar R>
Var<std::complex<R>> cgelu(const Var<std::complex<R>>& z);

}  // namespace argand
