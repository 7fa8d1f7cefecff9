/// Registers autograd/ops/linear_algebra and autograd/ops/fourier under the names of torch.linalg and torch.fft.

#include "autograd/call/op_function.h"
#include "autograd/ops/fourier/fourier.h"
#include "autograd/ops/fourier/stft.h"
#include "autograd/ops/linear_algebra/eig.h"
#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/linear_algebra/least_squares.h"
#include "autograd/ops/linear_algebra/matrix_exp.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {
namespace {

using Sizes = std::vector<std::int64_t>;
using Dims = std::vector<int>;

FourierNorm norm_named(std::string_view op, std::string_view word) {
  if (word == "backward") return FourierNorm::Backward;
  if (word == "ortho") return FourierNorm::Ortho;
  require(word == "forward", op, "unknown norm '{}'; use backward, ortho or forward", word);
  return FourierNorm::Forward;
}

/// If `length` is given, the default window consists of ones.
template <RealScalar R>
StftOptions<R> stft_options(std::string_view op, std::optional<std::int64_t> hop, std::optional<std::int64_t> length,
                            std::optional<Var<R>> window, bool center, std::string_view padding, bool normalized, bool onesided) {
  require(padding == "reflect" || padding == "constant", op, "unknown pad_mode '{}'; use reflect or constant", padding);
  if (length && !window) window = Var<R>(Tensor<R>::ones({*length}));
  require(!length || window->size() == *length, op, "window of shape {} does not match win_length {}",
          window ? window->shape() : Shape(), length.value_or(0));
  return {hop, window, center, padding == "reflect" ? Padding::Reflect : Padding::Zeros, normalized, onesided};
}

}  // namespace

static const OpFunction matrix_functions[] = {
    {"solve", {"A", "B"}, []<Scalar T>(const Var<T>& A, const Var<T>& B) { return solve(A, B); }},
    {"inv", {"A"}, []<Scalar T>(const Var<T>& A) { return inv(A); }},
    {"det", {"A"}, []<Scalar T>(const Var<T>& A) { return det(A); }},
    {"slogdet",
     {"A"},
     Results{"sign", "logabsdet"},
     []<Scalar T>(const Var<T>& A) {
       const SignAndLog<T> d = slogdet(A);
       return std::tuple(d.sign, d.logabsdet);
     }},
    {"lstsq",
     {"A", "B", {"rcond", none}},
     []<Scalar T>(const Var<T>& A, const Var<T>& B, std::optional<double> rcond) { return lstsq(A, B, rcond); }},
    {"pinv",
     "the Moore-Penrose pseudoinverse",
     {"A", {"rcond", none}},
     []<Scalar T>(const Var<T>& A, std::optional<double> rcond) { return pinv(A, rcond); }},
    {"cholesky", {"A"}, []<Scalar T>(const Var<T>& A) { return cholesky(A); }},
    {"qr",
     {"A"},
     Results{"Q", "R"},
     []<Scalar T>(const Var<T>& A) {
       const OrthogonalFactors<T> f = qr(A);
       return std::tuple(f.Q, f.R);
     }},
    {"svd",
     {"A", {"broadening", 0.0}},
     Results{"U", "S", "Vh"},
     []<Scalar T>(const Var<T>& A, double broadening) {
       const SingularFactors<T> f = svd(A, {.broadening = broadening});
       return std::tuple(f.U, f.S, f.Vh);
     }},
    {"svdvals", "the singular values, in descending order", {"A"}, []<Scalar T>(const Var<T>& A) { return svdvals(A); }},
    {"eig",
     {"A"},
     Results{"eigenvalues", "eigenvectors"},
     []<Scalar T>(const Var<T>& A) {
       const GeneralEigen<RealOf<T>> e = eig(A);
       return std::tuple(e.values, e.vectors);
     }},
    {"eigvals", "the eigenvalues, complex, in LAPACK's order", {"A"}, []<Scalar T>(const Var<T>& A) { return eigvals(A); }},
    {"eigh",
     {"A", {"broadening", 0.0}},
     Results{"eigenvalues", "eigenvectors"},
     []<Scalar T>(const Var<T>& A, double broadening) {
       const Eigen<T> e = eigh(A, {.broadening = broadening});
       return std::tuple(e.values, e.vectors);
     }},
    {"eigvalsh",
     "the eigenvalues of a Hermitian matrix, in ascending order",
     {"A"},
     []<Scalar T>(const Var<T>& A) { return eigvalsh(A); }},
    {"matrix_exp", {"A"}, []<Scalar T>(const Var<T>& A) { return matrix_exp(A); }},
    {"matrix_power", {"A", "n"}, []<Scalar T>(const Var<T>& A, std::int64_t n) { return matrix_power(A, n); }},
    {"sqrtm", {"A"}, []<Scalar T>(const Var<T>& A) { return sqrtm(A); }},
    {"logm", {"A"}, []<Scalar T>(const Var<T>& A) { return logm(A); }},
};

static const OpFunction fourier_functions[] = {
    {"fft",
     {"input", {"n", none}, {"dim", -1}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, std::optional<std::int64_t> n, int dim, const std::string& norm) {
       return fft(x, n, dim, norm_named("fft", norm));
     }},
    {"ifft",
     {"input", {"n", none}, {"dim", -1}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, std::optional<std::int64_t> n, int dim, const std::string& norm) {
       return ifft(x, n, dim, norm_named("ifft", norm));
     }},
    {"rfft",
     {"input", {"n", none}, {"dim", -1}, {"norm", "backward"}},
     []<RealScalar R>(const Var<R>& x, std::optional<std::int64_t> n, int dim, const std::string& norm) {
       return rfft(x, n, dim, norm_named("rfft", norm));
     }},
    {"irfft",
     {"input", {"n", none}, {"dim", -1}, {"norm", "backward"}},
     []<RealScalar R>(const Var<std::complex<R>>& X, std::optional<std::int64_t> n, int dim, const std::string& norm) {
       return irfft(X, n, dim, norm_named("irfft", norm));
     }},
    {"fftn",
     {"input", {"s", none}, {"dim", none}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, const std::optional<Sizes>& s, const std::optional<Dims>& dim, const std::string& norm) {
       return fftn(x, s.value_or(Sizes()), dim.value_or(Dims()), norm_named("fftn", norm));
     }},
    {"ifftn",
     {"input", {"s", none}, {"dim", none}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, const std::optional<Sizes>& s, const std::optional<Dims>& dim, const std::string& norm) {
       return ifftn(x, s.value_or(Sizes()), dim.value_or(Dims()), norm_named("ifftn", norm));
     }},
    {"rfftn",
     "the transform of a real x along several axes: rfft along the last, fftn along the others",
     {"input", {"s", none}, {"dim", none}, {"norm", "backward"}},
     []<RealScalar R>(const Var<R>& x, const std::optional<Sizes>& s, const std::optional<Dims>& dim, const std::string& norm) {
       return rfftn(x, s.value_or(Sizes()), dim.value_or(Dims()), norm_named("rfftn", norm));
     }},
    {"irfftn",
     "the real x whose rfftn is X",
     {"input", {"s", none}, {"dim", none}, {"norm", "backward"}},
     []<RealScalar R>(const Var<std::complex<R>>& X, const std::optional<Sizes>& s, const std::optional<Dims>& dim,
                      const std::string& norm) {
       return irfftn(X, s.value_or(Sizes()), dim.value_or(Dims()), norm_named("irfftn", norm));
     }},
    {"fft2",
     "fftn along two axes",
     {"input", {"s", none}, {"dim", {-2, -1}}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, const std::optional<Sizes>& s, const Dims& dim, const std::string& norm) {
       return fft2(x, s.value_or(Sizes()), dim, norm_named("fft2", norm));
     }},
    {"ifft2",
     "ifftn along two axes",
     {"input", {"s", none}, {"dim", {-2, -1}}, {"norm", "backward"}},
     []<Scalar T>(const Var<T>& x, const std::optional<Sizes>& s, const Dims& dim, const std::string& norm) {
       return ifft2(x, s.value_or(Sizes()), dim, norm_named("ifft2", norm));
     }},
    {"rfft2",
     "rfftn along two axes",
     {"input", {"s", none}, {"dim", {-2, -1}}, {"norm", "backward"}},
     []<RealScalar R>(const Var<R>& x, const std::optional<Sizes>& s, const Dims& dim, const std::string& norm) {
       return rfft2(x, s.value_or(Sizes()), dim, norm_named("rfft2", norm));
     }},
    {"irfft2",
     "irfftn along two axes",
     {"input", {"s", none}, {"dim", {-2, -1}}, {"norm", "backward"}},
     []<RealScalar R>(const Var<std::complex<R>>& X, const std::optional<Sizes>& s, const Dims& dim, const std::string& norm) {
       return irfft2(X, s.value_or(Sizes()), dim, norm_named("irfft2", norm));
     }},
    {"stft",
     "the short-time Fourier transform, always complex",
     {"input",
      "n_fft",
      {"hop_length", none},
      {"win_length", none},
      {"window", none},
      {"center", true},
      {"pad_mode", "reflect"},
      {"normalized", false},
      {"onesided", true}},
     []<Scalar T>(const Var<T>& x, std::int64_t n_fft, std::optional<std::int64_t> hop, std::optional<std::int64_t> length,
                  const std::optional<Var<RealOf<T>>>& window, bool center, const std::string& padding, bool normalized,
                  bool onesided) {
       return stft(x, n_fft, stft_options<RealOf<T>>("stft", hop, length, window, center, padding, normalized, onesided));
     }},
    {"istft",
     "the signal of a short-time Fourier transform",
     {"input",
      "n_fft",
      {"hop_length", none},
      {"win_length", none},
      {"window", none},
      {"center", true},
      {"normalized", false},
      {"onesided", true},
      {"length", none}},
     []<RealScalar R>(const Var<std::complex<R>>& X, std::int64_t n_fft, std::optional<std::int64_t> hop,
                      std::optional<std::int64_t> win_length, const std::optional<Var<R>>& window, bool center, bool normalized,
                      bool onesided, std::optional<std::int64_t> length) {
       return istft(X, n_fft, stft_options<R>("istft", hop, win_length, window, center, "reflect", normalized, onesided), length);
     }},
    {"complex_istft",
     "the complex signal of a short-time Fourier transform with all its frequencies",
     {"input",
      "n_fft",
      {"hop_length", none},
      {"win_length", none},
      {"window", none},
      {"center", true},
      {"normalized", false},
      {"length", none}},
     []<RealScalar R>(const Var<std::complex<R>>& X, std::int64_t n_fft, std::optional<std::int64_t> hop,
                      std::optional<std::int64_t> win_length, const std::optional<Var<R>>& window, bool center, bool normalized,
                      std::optional<std::int64_t> length) {
       const auto options = stft_options<R>("complex_istft", hop, win_length, window, center, "reflect", normalized, false);
       return complex_istft(X, n_fft, options, length);
     }},
};

}  // namespace argand
