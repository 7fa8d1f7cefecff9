/// A complex network of two layers with hand-written gradients, using only the C++ standard library and fmt. It learns what a
/// travelling-wave tube does to a signal, s -> A(|s|) e^{iΦ(|s|)} s/|s|, from samples whose phases fill a quarter of the circle.
///
///     H = W x (one column for each sample),   Z = modReLU(H, c),   y = V Z,   L = mean |y - t|²

#include <fmt/core.h>

#include <complex>
#include <functional>
#include <vector>

using C = std::complex<double>;

struct Matrix {
  std::size_t rows, columns;
  std::vector<C> entries = std::vector<C>(rows * columns);
  C& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
  C operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

Matrix operator*(const Matrix& A, const Matrix& B) {
  Matrix P{A.rows, B.columns};
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t k = 0; k < A.columns; ++k)
      for (std::size_t j = 0; j < B.columns; ++j) P(i, j) += A(i, k) * B(k, j);
  return P;
}
Matrix hermitian(const Matrix& A) {
  Matrix T{A.columns, A.rows};
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t j = 0; j < A.columns; ++j) T(j, i) = std::conj(A(i, j));
  return T;
}

struct Network {
  Matrix W, V;
  std::vector<double> c;
};

/// The intermediate results of the two layers that the backward pass needs.
struct Forward {
  Matrix H, Z, y;
};
Forward forward(const Network& net, const Matrix& x) {
  Forward f{net.W * x, {net.W.rows, x.columns}, {1, x.columns}};
  for (std::size_t i = 0; i < f.H.rows; ++i)
    for (std::size_t n = 0; n < f.H.columns; ++n) {
      const double r = std::abs(f.H(i, n));
      if (r > 0 && r + net.c[i] > 0) f.Z(i, n) = (r + net.c[i]) / r * f.H(i, n);
    }
  f.y = net.V * f.Z;
  return f;
}

double loss(const Network& net, const Matrix& x, const Matrix& t) {
  const Matrix y = forward(net, x).y;
  double sum = 0;
  for (std::size_t n = 0; n < x.columns; ++n) sum += std::norm(y(0, n) - t(0, n));
  return sum / static_cast<double>(x.columns);
}

/// dL/dx + i dL/dy of every parameter, from the last layer to the first.
Network gradient(const Network& net, const Matrix& x, const Matrix& t) {
  const Forward f = forward(net, x);
  Matrix dy{1, x.columns};
  for (std::size_t n = 0; n < x.columns; ++n) dy(0, n) = 2.0 * (f.y(0, n) - t(0, n)) / static_cast<double>(x.columns);
  const Matrix dV = dy * hermitian(f.Z), dZ = hermitian(net.V) * dy;
  Matrix dH{f.H.rows, f.H.columns};
  std::vector<double> dc(net.c.size());
  for (std::size_t i = 0; i < dH.rows; ++i)
    for (std::size_t n = 0; n < dH.columns; ++n) {
      const double r = std::abs(f.H(i, n)), c = net.c[i];
      if (r == 0 || r + c <= 0) continue;
      const C u = f.H(i, n) / r, g = dZ(i, n);
      dH(i, n) = (1 + c / (2 * r)) * g - c / (2 * r) * u * u * std::conj(g);  // conj(a) g + b conj(g)
      dc[i] += (std::conj(u) * g).real();
    }
  return {dH * hermitian(x), dV, dc};
}

/// The tube's response to a signal (Saleh, IEEE Trans. Commun. 29(11), 1981, table I).
C tube(C s) {
  const double r2 = std::norm(s);
  return 2.1587 / (1 + 1.1517 * r2) * s * std::polar(1.0, 4.0033 * r2 / (1 + 9.1040 * r2));
}

int main() {
  constexpr std::size_t samples = 200, width = 8;
  Matrix x{1, samples}, t{1, samples};
  for (std::size_t n = 0; n < samples; ++n) {
    const double k = static_cast<double>(n), quarter = 1.5707963267948966;
    x(0, n) = std::polar((k + 0.5) / samples, std::fmod(2.4 * k, quarter));  // moduli from 0 to 1, phases from 0° to 90°
    t(0, n) = tube(x(0, n));
  }
  Network net{{width, 1}, {1, width}, std::vector<double>(width)};
  for (std::size_t i = 0; i < width; ++i) {
    const double k = static_cast<double>(i);
    net.W(i, 0) = std::polar(1.0, 2.4 * k);
    net.c[i] = -k / width;  // the i-th hidden unit becomes nonzero at |x| = i/8
    net.V(0, i) = std::polar(0.3, -2.4 * k);
  }

  const Network g = gradient(net, x, t);
  const auto quotient = [&](const std::function<void(Network&, double)>& move) {
    Network up = net, down = net;
    move(up, 1e-5), move(down, -1e-5);
    return (loss(up, x, t) - loss(down, x, t)) / 2e-5;
  };
  fmt::print("{:<18}{:>12}{:>14}\n", "slope of L along", "by hand", "quotient");
  fmt::print("{:<18}{:12.7f}{:14.7f}\n", "Re W_3", g.W(3, 0).real(), quotient([](Network& p, double h) { p.W(3, 0) += h; }));
  fmt::print("{:<18}{:12.7f}{:14.7f}\n", "Im W_3", g.W(3, 0).imag(), quotient([](Network& p, double h) { p.W(3, 0) += C(0, h); }));
  fmt::print("{:<18}{:12.7f}{:14.7f}\n", "c_3", g.c[3], quotient([](Network& p, double h) { p.c[3] += h; }));
  fmt::print("{:<18}{:12.7f}{:14.7f}\n", "Im V_3", g.V(0, 3).imag(), quotient([](Network& p, double h) { p.V(0, 3) += C(0, h); }));

  for (int step = 0; step <= 3000; ++step) {
    if (step % 1000 == 0) fmt::print("step {:4}  L = {:.6f}\n", step, loss(net, x, t));
    const Network d = gradient(net, x, t);
    for (std::size_t i = 0; i < width; ++i) {
      net.W(i, 0) -= 0.1 * d.W(i, 0);
      net.V(0, i) -= 0.1 * d.V(0, i);
      net.c[i] -= 0.1 * d.c[i];
    }
  }

  fmt::print("{:<26}{:>19}{:>19}\n", "a signal", "the tube", "the network");
  for (const double degrees : {45.0, 225.0}) {
    const C s = std::polar(0.6, degrees / 57.29577951308232), w = tube(s), y = forward(net, {1, 1, {s}}).y(0, 0);
    fmt::print("0.6 at {:3}°, {:<14}{:>9.4f} {:+.4f}i{:>10.4f} {:+.4f}i\n", degrees, degrees < 90 ? "as trained" : "never seen",
               w.real(), w.imag(), y.real(), y.imag());
  }
}
