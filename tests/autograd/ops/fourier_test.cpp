#include "autograd/ops/fourier/fourier.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/fourier/stft.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/fourier.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(fourier_ops)

namespace {

using C = std::complex<double>;

/// Σ_j e^{∓2πi jk/n} x_j, term by term.
C term_by_term(const Tensor<C>& x, std::int64_t k, double sign) {
  const std::int64_t n = x.size();
  C sum = 0;
  for (std::int64_t j = 0; j < n; ++j)
    sum += std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n)) * x(j);
  return sum;
}

template <Scalar T>
double distance(const Tensor<T>& a, const Tensor<T>& b) {
  BOOST_REQUIRE(a.shape().str() == b.shape().str());
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return largest;
}

template <Scalar T>
bool same_bits(const Tensor<T>& a, const Tensor<T>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

/// The lengths exercise KissFFT's butterflies, in two or more steps, and the convolution used for large prime factors.
BOOST_AUTO_TEST_CASE(every_length_is_what_the_sum_says) {
  std::vector<std::int64_t> lengths{256, 1000, 1009, 1018, 2 * 3 * 5 * 7 * 11, 47 * 47, 53 * 59, 4096, 5003, 3 * 4099};
  for (std::int64_t n = 1; n <= 130; ++n) lengths.push_back(n);
  for (const std::int64_t n : lengths) {
    const Tensor<C> x = randn<C>({n}, Random(1));
    const Tensor<C> X = fourier(x, 0, FourierSign::Minus), Y = fourier(x, 0, FourierSign::Plus, 2);
    const double bar = 2e-15 * std::sqrt(static_cast<double>(n)) * std::log2(static_cast<double>(n) + 1);
    for (std::int64_t k = 0; k < n; k += 1 + n / 40) {
      BOOST_TEST(std::abs(X(k) - term_by_term(x, k, -1)) < bar + 1e-13, "n = " << n);
      BOOST_TEST(std::abs(Y(k) - 2.0 * term_by_term(x, k, 1)) < 2 * bar + 1e-13, "n = " << n);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_single_precision_transform_is_rounded_once) {
  const Tensor<C> x = randn<C>({1 << 12}, Random(2));
  Tensor<std::complex<float>> narrow({1 << 12});
  std::copy(x.begin(), x.end(), narrow.begin());
  Tensor<C> wide({1 << 12});
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  const Tensor<std::complex<float>> in_float = fourier(narrow, 0, FourierSign::Minus);
  const Tensor<C> in_double = fourier(wide, 0, FourierSign::Minus);
  for (std::int64_t k = 0; k < x.size(); ++k) BOOST_REQUIRE(in_float(k) == static_cast<std::complex<float>>(in_double(k)));
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  const int before = num_threads();
  for (const Shape& shape : {Shape{70, 96}, Shape{1, 1 << 14}, Shape{3, 5003}, Shape{12, 1018, 3}}) {
    const Tensor<C> x = randn<C>(shape, Random(3));
    set_num_threads(1);
    const Tensor<C> alone = fourier(x, 1, FourierSign::Minus);
    for (const int threads : {2, 3}) {
      set_num_threads(threads);
      BOOST_TEST(same_bits(fourier(x, 1, FourierSign::Minus), alone));
    }
    set_num_threads(before);
  }
}

BOOST_AUTO_TEST_CASE(every_transform_has_its_inverse) {
  const Complex z = constant(randn<C>({3, 6, 5}, Random(4)));
  const Real x = constant(randn<double>({3, 6, 5}, Random(5)));
  for (const FourierNorm norm : {FourierNorm::Backward, FourierNorm::Ortho, FourierNorm::Forward}) {
    for (const int axis : {0, 1, 2}) {
      BOOST_TEST(distance(ifft(fft(z, {}, axis, norm), {}, axis, norm).value(), z.value()) < 1e-14);
      BOOST_TEST(distance(irfft(rfft(x, {}, axis, norm), x.dim(axis), axis, norm).value(), x.value()) < 1e-14);
    }
    BOOST_TEST(distance(ifftn(fftn(z, {}, {}, norm), {}, {}, norm).value(), z.value()) < 1e-14);
    BOOST_TEST(distance(irfftn(rfftn(x, {}, {}, norm), {-1, -1, 5}, {}, norm).value(), x.value()) < 1e-14);
    BOOST_TEST(distance(irfft2(rfft2(x, {}, {2, 1}, norm), {}, {2, 1}, norm).value(), x.value()) < 1e-14);
    BOOST_TEST(distance(ifft2(fft2(z, {}, {0, -1}, norm), {}, {0, -1}, norm).value(), z.value()) < 1e-14);
  }
  BOOST_TEST(distance(fft2(z).value(), fft(fft(z, {}, 1), {}, 2).value()) < 1e-13);
  BOOST_TEST(distance(fft(x).value(), fft(to_complex(x)).value()) == 0);
  BOOST_TEST(distance(rfft(x).value(), slice(fft(x), -1, 0, 3).value()) < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_unitary_transform_keeps_the_energy) {
  const Complex z = constant(randn<C>({101}, Random(6)));
  const double before = sum(abs2(z)).value().item();
  BOOST_TEST(std::abs(sum(abs2(fft(z, {}, -1, FourierNorm::Ortho))).value().item() - before) < 1e-12 * before);
}

/// By definition, these entries of a Hermitian spectrum are real: any imaginary part in them is ignored.
BOOST_AUTO_TEST_CASE(irfft_reads_no_imaginary_part_where_a_real_signal_has_none) {
  const Tensor<C> clean({4}, {{1, 0}, {2, 3}, {-1, 1}, {4, 0}});
  Tensor<C> dirty = clean.clone();
  dirty(0) = {1, 17};
  dirty(3) = {4, -9};
  BOOST_TEST(same_bits(irfft(constant(clean)).value(), irfft(constant(dirty)).value()));
  dirty(3) = {4, 0};  // an output of five samples reads X_0 to X_2 only
  BOOST_TEST(same_bits(irfft(constant(clean), 5).value(), irfft(constant(dirty), 5).value()));
  Complex X = variable(dirty);
  backward(sum(irfft(X) * constant(randn<double>({6}, Random(7)))));
  const Tensor<C> dX = X.grad();
  BOOST_TEST(dX(0).imag() == 0);
  BOOST_TEST(dX(3).imag() == 0);
  BOOST_TEST(dX(1).imag() != 0);
}

BOOST_AUTO_TEST_CASE(misuse_is_reported) {
  const Complex z = constant(Tensor<C>::ones({2, 3}));
  const Real x = constant(Tensor<double>::ones({2, 3}));
  BOOST_TEST(error_of([&] { fft(z, 0); }) == "fft: length must be at least 1, got 0");
  BOOST_TEST(error_of([&] { ifft(z, -2); }) == "ifft: length must be at least 1, got -2");
  BOOST_TEST(error_of([&] {
               fft(constant(Tensor<C>::ones({2, 0})));
             }) == "fft: length must be at least 1, got 0 along axis 1 of [2, 0]");
  BOOST_TEST(error_of([&] {
               irfft(constant(Tensor<C>::ones({2, 1})));
             }) == "irfft: length must be at least 1, got 0 along axis 1 of [2, 1]");
  BOOST_TEST(error_of([&] { fftn(z, {}, {0, -2}); }) == "fftn: axis 0 is repeated");
  BOOST_TEST(error_of([&] { fftn(z, {4}, {0, 1}); }) == "fftn: got 1 lengths for 2 axes; give one per axis");
  BOOST_TEST(error_of([&] { ifftn(z, {4, 4, 4}); }) == "ifftn: got 3 lengths for the 2 axes of [2, 3]");
  BOOST_TEST(error_of([&] { rfft(x, 4, 2); }) != "");
  BOOST_TEST(error_of([&] { rfftn(Real(Tensor<double>::scalar(1))); }) == "rfftn: needs an axis to transform along, got a scalar");
  BOOST_TEST(error_of([&] { stft(x, 8); }) ==
             "stft: 3 samples are too few to reflect for frames of 8; use a shorter frame or Padding::Zeros");
  BOOST_TEST(error_of([&] {
               StftOptions<double> o;
               o.center = false;
               stft(x, 4, o);
             }) == "stft: a signal of 3 samples is shorter than a frame of 4");
  BOOST_TEST(error_of([&] { stft(x, 2); }) == "stft: hop must be at least 1, got 0");
  BOOST_TEST(error_of([&] {
               StftOptions<double> o;
               o.window = Real(Tensor<double>::ones({5}));
               stft(x, 4, o);
             }) == "stft: a window of shape [5] does not fit into frames of 4");
}

/// Compared with the sum in stft.h, with the padding written out.
BOOST_AUTO_TEST_CASE(stft_is_what_its_equation_says) {
  const std::int64_t N = 11, n_fft = 6, hop = 2;
  const Tensor<double> x = randn<double>({N}, Random(8)), w = hann_window<double>(4);
  for (const bool zeros : {false, true}) {
    StftOptions<double> options;
    options.hop = hop;
    options.window = Real(w);
    options.padding = zeros ? Padding::Zeros : Padding::Reflect;
    const Tensor<C> X = stft(Real(x), n_fft, options).value();
    BOOST_REQUIRE(X.shape().str() == "[4, 6]");
    for (std::int64_t t = 0; t < X.dim(1); ++t) {
      Tensor<C> frame = Tensor<C>::zeros({n_fft});
      for (std::int64_t j = 1; j < 5; ++j) {  // the samples that the window covers
        std::int64_t at = t * hop + j - n_fft / 2;
        const bool inside = at >= 0 && at < N;
        if (at < 0) at = -at;
        if (at >= N) at = 2 * (N - 1) - at;
        frame(j) = inside || !zeros ? w(j - 1) * x(at) : 0;
      }
      for (std::int64_t k = 0; k < 4; ++k) BOOST_TEST(std::abs(X(k, t) - term_by_term(frame, k, -1)) < 1e-13);
    }
  }
}

BOOST_AUTO_TEST_CASE(stft_gives_gradients_to_signal_and_window) {
  const auto spectrogram = [](const auto& x, const Real& w) {
    StftOptions<double> options;
    options.hop = 3;
    options.window = w;
    options.normalized = true;
    return abs2(stft(x, 8, options));
  };
  const Tensor<double> w = rand<double>({8}, Random(9), 0.2, 1);
  const auto real = gradcheck(spectrogram, randn<double>({2, 13}, Random(10)), w);
  BOOST_TEST(real.ok(), report_text(real));
  const auto complex = gradcheck(spectrogram, randn<C>({13}, Random(11)), w);
  BOOST_TEST(complex.ok(), report_text(complex));
}

BOOST_AUTO_TEST_CASE(rfftn_is_the_half_of_fftn) {
  const Real x = constant(randn<double>({3, 4, 5}, Random(12)));
  BOOST_TEST(distance(rfftn(x).value(), slice(fftn(x), -1, 0, 3).value()) < 1e-13);
  BOOST_TEST(distance(rfft2(x, {6, 2}).value(), slice(fft2(x, {6, 2}), -1, 0, 2).value()) < 1e-13);
  const auto result = gradcheck([](const auto& X) { return irfftn(X, {3, 4}, {0, 1}); }, randn<C>({3, 2, 2}, Random(13)));
  BOOST_TEST(result.ok(), report_text(result));
}

BOOST_AUTO_TEST_CASE(istft_undoes_stft) {
  const Tensor<double> w = hann_window<double>(8);
  for (const bool center : {false, true})
    for (const bool normalized : {false, true}) {
      StftOptions<double> options;
      options.hop = 2;
      options.center = center;
      options.normalized = normalized;
      options.window = center ? Real(w) : Real(w) + 0.1;
      const Real x(randn<double>({2, 3, 24}, Random(14)));
      const Complex z(randn<C>({2, 24}, Random(15)));
      BOOST_TEST(distance(istft(stft(x, 8, options), 8, options).value(), x.value()) < 1e-14);
      BOOST_TEST(distance(complex_istft(stft(z, 8, options), 8, options).value(), z.value()) < 1e-14);
      BOOST_TEST(distance(istft(stft(x, 8, options), 8, options, 20).value(), slice(x, -1, 0, 20).value()) < 1e-14);
      options.onesided = false;
      BOOST_TEST(distance(istft(stft(x, 8, options), 8, options).value(), x.value()) < 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(istft_gives_gradients_to_spectrum_and_window) {
  const auto signal = [](const Complex& X, const Real& w) {
    StftOptions<double> options;
    options.hop = 3;
    options.window = w;
    return istft(X, 8, options);
  };
  const auto result = gradcheck(signal, randn<C>({2, 5, 4}, Random(16)), rand<double>({8}, Random(17), 0.2, 1));
  BOOST_TEST(result.ok(), report_text(result));
}

BOOST_AUTO_TEST_CASE(signals_that_istft_cannot_reconstruct_are_refused) {
  const Complex X(Tensor<C>::ones({5, 4}));
  StftOptions<double> options;
  options.window = Real(hann_window<double>(8));
  options.center = false;
  // A smaller hop would not help at the ends of the signal.
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) ==
             "istft: no window covers sample 0 of the signal; the window is 0 at its start, and no frame precedes the first; use "
             "centred frames, or a window that is nonzero there");
  options.window = Real(Tensor<double>({8}, {1, 1, 1, 1, 1, 1, 0, 0}));
  const std::string end =
      "istft: no window covers sample 12 of the signal; the window is 0 at its end, and no frame follows the last; use a length of "
      "at most 12";
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) == end);
  BOOST_TEST(istft(X, 8, options, 12).size() == 12);  // the length that the message advises
  options.hop = 7;
  BOOST_TEST(error_of([&] { istft(X, 8, options, 12); }) ==
             "istft: no window covers sample 6 of the signal; use a hop of at most 6, the length of the window without its zeros");
  options.hop = 6;
  BOOST_TEST(istft(X, 8, options, 12).size() == 12);
  options.window = Real(Tensor<double>({8}, {1, 0, 1, 1, 1, 1, 1, 1}));
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) ==
             "istft: no window covers sample 1 of the signal; use a window without zeros inside, or another hop");
  options.window = Real(Tensor<double>::zeros({8}));
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) ==
             "istft: no window covers sample 0 of the signal; the window is 0 everywhere; choose another");
  options.center = true;
  options.window = Real(Tensor<double>({8}, {0, 0, 0, 0, 0, 1, 1, 1}));
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) ==
             "istft: no window covers sample 0 of the signal; the window is 0 at its start, and no frame precedes the first; use a "
             "window that is nonzero there");
  // Only the shape of a window matters, not its scale.
  const Tensor<double> hann = hann_window<double>(8);
  options.hop = 2;
  options.window = Real(hann) * 1e-8;
  const Real x(randn<double>({24}, Random(14)));
  BOOST_TEST(distance(istft(stft(x, 8, options), 8, options).value(), x.value()) < 1e-14);
  options.window = Real(hann);
  BOOST_TEST(error_of([&] { istft(X, 8, options, 11); }) == "istft: 11 samples were requested, but the frames cover 10");
  BOOST_TEST(error_of([&] { istft(X, 6, options); }) ==
             "istft: frames of 6 have 4 frequencies: expected [..., 4, frames], got [5, 4]");
  options.hop = 0;
  BOOST_TEST(error_of([&] { istft(X, 8, options); }) == "istft: hop must be at least 1, got 0");
}

BOOST_AUTO_TEST_SUITE_END()
