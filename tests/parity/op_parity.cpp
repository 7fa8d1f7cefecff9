/// Computes values and gradients of ops for op_parity.py, which compares them with PyTorch's, and times them for bench/ops.py.
///
///   op_parity CASES.json INPUTS.npz OUTPUTS.npz     writes k.value, k.d0, k.d1, ... for case k; prints errors as JSON
///   op_parity --time CASES.json INPUTS.npz          prints the median seconds of value and gradient, one line per case
///
/// A case is {"op": "fft", "inputs": 1, "args": {"n": 7}}; INPUTS.npz has its inputs k.x0, k.x1, ... and k.W, the gradient of the
/// loss L = Re Σ conj(W) f with respect to f. To add an op, add a line to the table below.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/terminal/start.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "data/files/npz.h"
#include "data/files/text_file.h"

using namespace argand;

namespace {

using Sizes = std::vector<std::int64_t>;

/// The arguments of a case, by their names in PyTorch.
class Args {
 public:
  explicit Args(nlohmann::json values) : values_(std::move(values)) {}
  template <class T>
  T get(const char* name, const T& otherwise) const {
    return values_.contains(name) && !values_[name].is_null() ? values_[name].get<T>() : otherwise;
  }
  std::optional<std::int64_t> size(const char* name) const {
    return values_.contains(name) && !values_[name].is_null() ? std::optional(values_[name].get<std::int64_t>()) : std::nullopt;
  }
  int dim() const { return get("dim", -1); }
  std::vector<int> dims(const std::vector<int>& otherwise = {}) const { return get("dim", otherwise); }
  FourierNorm norm() const {
    const auto word = get<std::string>("norm", "backward");
    return word == "ortho" ? FourierNorm::Ortho : word == "forward" ? FourierNorm::Forward : FourierNorm::Backward;
  }
  PadMode pad_mode() const {
    const auto word = get<std::string>("mode", "constant");
    return word == "reflect"     ? PadMode::Reflect
           : word == "replicate" ? PadMode::Replicate
           : word == "circular"  ? PadMode::Circular
                                 : PadMode::Constant;
  }
  /// The argument for each axis, given as one number for all axes or as one for each.
  template <std::size_t n>
  std::array<std::int64_t, n> axes(const char* name, std::int64_t otherwise) const {
    std::array<std::int64_t, n> numbers;
    if (values_.contains(name) && values_[name].is_array())
      numbers = values_[name].get<std::array<std::int64_t, n>>();
    else
      numbers.fill(get<std::int64_t>(name, otherwise));
    return numbers;
  }
  std::array<std::int64_t, 2> pair(const char* name, std::int64_t otherwise) const { return axes<2>(name, otherwise); }
  template <std::size_t n = 2>
  ConvolutionOptionsOf<n> convolution() const {
    return {.stride = axes<n>("stride", 1),
            .padding = axes<n>("padding", 0),
            .dilation = axes<n>("dilation", 1),
            .groups = get<std::int64_t>("groups", 1),
            .output_padding = axes<n>("output_padding", 0)};
  }
  PoolingOptions pooling() const { return {.stride = pair("stride", 0), .padding = pair("padding", 0)}; }
  StftOptions<double> stft() const {
    return {.hop = size("hop_length"),
            .window = get("window", 0) == 0 ? std::nullopt : std::optional<Real>(hann_window<double>(get("window", 0))),
            .center = get("center", true),
            .padding = get<std::string>("pad_mode", "reflect") == "reflect" ? Padding::Reflect : Padding::Zeros,
            .normalized = get("normalized", false),
            .onesided = get("onesided", true)};
  }

 private:
  nlohmann::json values_;
};

using Function = std::function<AnyVar(const Args&, const std::vector<AnyVar>&)>;

/// Wraps f(args, x...) as a Function, which calls f with the types that its inputs have.
template <class F>
Function function(F f) {
  return [f](const Args& args, const std::vector<AnyVar>& x) -> AnyVar {
    const auto call = [&](const auto&... z) -> AnyVar {
      if constexpr (requires { f(args, z...); })
        return f(args, z...);
      else
        fail("op_parity", "the op does not take this number of inputs of these types");
    };
    switch (x.size()) {
      case 1: return std::visit(call, x[0]);
      case 2: return std::visit(call, x[0], x[1]);
      default: fail("op_parity", "{} inputs", x.size());
    }
  };
}

template <Scalar T>
Var<T> adjoint(const Var<T>& A) {
  if constexpr (ComplexScalar<T>)
    return conj(transpose(A));
  else
    return transpose(A);
}
/// Reshapes [..., n] to [..., 1, n].
Real row(const Real& x) {
  Shape shape = x.shape();
  shape[-1] = 1;
  shape.push_back(x.dim(-1));
  return reshape(x, shape);
}
/// The function λ/(λ² + 2).
Real bell(const Real& x) { return x / (x * x + 2.0); }
Real identity(std::int64_t n) {
  Tensor<double> I = Tensor<double>::zeros({n, n});
  for (std::int64_t i = 0; i < n; ++i) I(i, i) = 1;
  return I;
}
/// W as a gradient for A: its real part if A is real.
Real as(const Real&, const Complex& W) { return real(W); }
Complex as(const Complex&, const Complex& W) { return W; }
/// A Aᴴ + I/2, which is positive definite.
template <Scalar T>
Var<T> positive(const Var<T>& A) {
  return matmul(A, A, Transpose::No, Transpose::Conjugate) + scale(identity(A.dim(-1)), 0.5);
}

const auto& table() {
  static const std::map<std::string, Function> all{
      {"fft", function([](const Args& a, const auto& x) { return fft(x, a.size("n"), a.dim(), a.norm()); })},
      {"ifft", function([](const Args& a, const auto& x) { return ifft(x, a.size("n"), a.dim(), a.norm()); })},
      {"rfft", function([](const Args& a, const Real& x) { return rfft(x, a.size("n"), a.dim(), a.norm()); })},
      {"irfft", function([](const Args& a, const Complex& x) { return irfft(x, a.size("n"), a.dim(), a.norm()); })},
      {"fft2", function([](const Args& a, const auto& x) {
         return fft2(x, a.get<Sizes>("s", {}), a.dims({-2, -1}), a.norm());
       })},
      {"ifft2", function([](const Args& a, const auto& x) {
         return ifft2(x, a.get<Sizes>("s", {}), a.dims({-2, -1}), a.norm());
       })},
      {"rfft2", function([](const Args& a, const Real& x) {
         return rfft2(x, a.get<Sizes>("s", {}), a.dims({-2, -1}), a.norm());
       })},
      {"irfft2", function([](const Args& a, const Complex& x) {
         return irfft2(x, a.get<Sizes>("s", {}), a.dims({-2, -1}), a.norm());
       })},
      {"fftn", function([](const Args& a, const auto& x) { return fftn(x, a.get<Sizes>("s", {}), a.dims(), a.norm()); })},
      {"ifftn", function([](const Args& a, const auto& x) { return ifftn(x, a.get<Sizes>("s", {}), a.dims(), a.norm()); })},
      {"rfftn", function([](const Args& a, const Real& x) { return rfftn(x, a.get<Sizes>("s", {}), a.dims(), a.norm()); })},
      {"irfftn", function([](const Args& a, const Complex& x) { return irfftn(x, a.get<Sizes>("s", {}), a.dims(), a.norm()); })},
      {"stft", function([](const Args& a, const auto& x) { return stft(x, a.get("n_fft", 8), a.stft()); })},
      {"istft", function([](const Args& a, const Complex& X) { return istft(X, a.get("n_fft", 8), a.stft(), a.size("length")); })},
      {"complex_istft",
       function([](const Args& a, const Complex& X) { return complex_istft(X, a.get("n_fft", 8), a.stft(), a.size("length")); })},
      {"solve", function([]<Scalar T>(const Args&, const Var<T>& A, const Var<T>& B) { return solve(A, B); })},
      {"inv", function([](const Args&, const auto& A) { return inv(A); })},
      {"det", function([](const Args&, const auto& A) { return det(A); })},
      {"slogdet sign", function([](const Args&, const auto& A) { return slogdet(A).sign; })},
      {"slogdet log", function([](const Args&, const auto& A) { return slogdet(A).logabsdet; })},
      {"eigvalsh", function([](const Args&, const auto& A) { return eigvalsh(A); })},
      {"eigh vectors", function([](const Args&, const auto& A) { return eigh(A).vectors; })},
      {"eigh |v|^2", function([](const Args&, const auto& A) { return abs2(eigh(A).vectors); })},
      {"eigh function", function([](const Args&, const auto& A) {
         const auto e = eigh(A);
         return matmul(e.vectors * row(bell(e.values)), e.vectors, Transpose::No, Transpose::Conjugate);
       })},
      {"cholesky", function([](const Args&, const auto& A) { return cholesky(positive(A)); })},
      {"qr Q", function([](const Args&, const auto& A) { return qr(A).Q; })},
      {"qr R", function([](const Args&, const auto& A) { return qr(A).R; })},
      {"svdvals", function([](const Args&, const auto& A) { return svdvals(A); })},
      {"svd U", function([](const Args&, const auto& A) { return svd(A).U; })},
      {"svd |u|^2", function([](const Args&, const auto& A) { return abs2(svd(A).U); })},
      {"svd |v|^2", function([](const Args&, const auto& A) { return abs2(svd(A).Vh); })},
      {"svd function", function([](const Args&, const auto& A) {
         const auto f = svd(A);
         return matmul(f.U * row(bell(f.S)), f.Vh);
       })},
      {"svd polar", function([](const Args&, const auto& A) {
         const auto f = svd(A);
         return matmul(f.U, f.Vh);
       })},
      {"lstsq", function([]<Scalar T>(const Args&, const Var<T>& A, const Var<T>& B) { return lstsq(A, B); })},
      {"pinv", function([](const Args&, const auto& A) { return pinv(A); })},
      {"cumsum", function([](const Args& a, const auto& x) { return cumsum(x, a.dim()); })},
      {"cumprod", function([](const Args& a, const auto& x) { return cumprod(x, a.dim()); })},
      {"prod", function([](const Args& a, const auto& x) { return prod(x, a.dim()); })},
      {"flip", function([](const Args& a, const auto& x) { return flip(x, a.dims()); })},
      {"roll", function([](const Args& a, const auto& x) { return roll(x, a.get<std::int64_t>("shifts", 1), a.dim()); })},
      {"pad", function([](const Args& a, const auto& x) { return pad(x, a.get<Sizes>("sizes", {}), a.pad_mode()); })},
      {"diagonal", function([](const Args& a, const auto& x) { return diagonal(x, a.get<std::int64_t>("offset", 0)); })},
      {"kron", function([](const Args&, const auto& x, const auto& y) { return kron(x, y); })},
      {"outer", function([](const Args&, const auto& x, const auto& y) { return outer(x, y); })},
      {"conv1d", function([](const Args& a, const auto& x, const auto& w) { return conv1d(x, w, a.convolution()); })},
      {"conv2d", function([](const Args& a, const auto& x, const auto& w) { return conv2d(x, w, a.convolution()); })},
      {"conv3d", function([](const Args& a, const auto& x, const auto& w) { return conv3d(x, w, a.convolution<3>()); })},
      {"unfold", function([](const Args& a, const auto& x) { return unfold(x, a.pair("kernel_size", 1), a.convolution()); })},
      {"conv_transpose1d",
       function([](const Args& a, const auto& x, const auto& w) { return conv_transpose1d(x, w, a.convolution()); })},
      {"conv_transpose2d",
       function([](const Args& a, const auto& x, const auto& w) { return conv_transpose2d(x, w, a.convolution()); })},
      {"max_pool2d", function([](const Args& a, const auto& x) { return max_pool2d(x, a.pair("kernel_size", 1), a.pooling()); })},
      {"avg_pool2d", function([](const Args& a, const auto& x) { return avg_pool2d(x, a.pair("kernel_size", 1), a.pooling()); })},
      {"einsum", function([](const Args& a, const auto&... x) { return einsum(a.get<std::string>("equation", ""), x...); })},
      {"matmul", function([](const Args&, const auto& x, const auto& y) { return matmul(x, y); })},
      {"sort", function([](const Args& a, const Real& x) { return sort(x, a.dim(), a.get("descending", false)).values; })},
      {"topk", function([](const Args& a, const Real& x) {
         return topk(x, a.get<std::int64_t>("k", 1), a.dim(), a.get("largest", true)).values;
       })},
      {"log_softmax", function([](const Args&, const Real& x) { return log_softmax(x); })},
      {"where positive", function([](const Args&, const Complex& x, const Complex& y) {
         return where(gt(real(x).value(), Tensor<double>::zeros(x.shape())), x, y);
       })},
      {"vector_norm", function([](const Args& a, const auto& x) { return vector_norm(x, a.get("ord", 2.0), a.dim()); })},
      {"infinite norm", function([]<Scalar T>(const Args& a, const Var<T>& x) {
         const double infinity = std::numeric_limits<double>::infinity();
         return vector_norm(x, a.get("largest", true) ? infinity : -infinity, a.dim());
       })},
      {"logsumexp", function([](const Args& a, const Real& x) { return logsumexp(x, a.dim()); })},
      {"logcumsumexp", function([](const Args& a, const Real& x) { return logcumsumexp(x, a.dim()); })},
      {"logaddexp", function([](const Args&, const Real& x, const Real& y) { return logaddexp(x, y); })},
      {"atan2", function([](const Args&, const Real& y, const Real& x) { return atan2(y, x); })},
      {"log1p", function([](const Args&, const auto& z) { return log1p(z); })},
      {"expm1", function([](const Args&, const auto& z) { return expm1(z); })},
      {"softplus", function([](const Args&, const Real& x) { return softplus(x); })},
      {"log_sigmoid", function([](const Args&, const Real& x) { return log_sigmoid(x); })},
      {"erfinv", function([](const Args&, const Real& x) { return erfinv(x); })},
      {"variance", function([](const Args& a, const auto& x) { return variance(x, a.dim()); })},
      {"stddev", function([](const Args& a, const auto& x) { return stddev(x, a.dim()); })},
      {"median", function([](const Args& a, const Real& x) { return median(x, a.dim()); })},
      {"mse", function([]<Scalar T>(const Args&, const Var<T>& x, const Var<T>& y) { return mse(x, y); })},
      {"huber", function([](const Args& a, const Real& x, const Real& y) { return huber(x, y, a.get("delta", 1.0)); })},
      {"binary_cross_entropy",
       function([](const Args&, const Real& x, const Real& t) { return binary_cross_entropy(x, sigmoid(t)); })},
      {"cross_entropy", function([](const Args& a, const Real& x) {
         const auto targets = a.get<std::vector<Ids::value_type>>("targets", {});
         return cross_entropy(
             x, Ids({static_cast<std::int64_t>(targets.size())}, targets),
             {.ignore_index = a.get<std::int64_t>("ignore_index", -1), .label_smoothing = a.get("label_smoothing", 0.0)});
       })},
      {"tan", function([](const Args&, const auto& z) { return tan(z); })},
      {"sinh", function([](const Args&, const auto& z) { return sinh(z); })},
      {"cosh", function([](const Args&, const auto& z) { return cosh(z); })},
      {"sinc", function([](const Args&, const auto& z) { return sinc(z); })},
      {"asin", function([](const Args&, const auto& z) { return asin(z); })},
      {"acos", function([](const Args&, const auto& z) { return acos(z); })},
      {"atan", function([](const Args&, const auto& z) { return atan(z); })},
      {"asinh", function([](const Args&, const auto& z) { return asinh(z); })},
      {"acosh", function([](const Args&, const auto& z) { return acosh(z); })},
      {"atanh", function([](const Args&, const auto& z) { return atanh(z); })},
      {"pow", function([](const Args&, const auto& z, const auto& p) { return pow(z, p); })},
      {"erfc", function([](const Args&, const Real& x) { return erfc(x); })},
      {"lgamma", function([](const Args&, const Real& x) { return lgamma(x); })},
      {"matrix_exp", function([](const Args&, const auto& A) { return matrix_exp(A); })},
      {"matrix_power", function([](const Args& a, const auto& A) { return matrix_power(A, a.get<std::int64_t>("n", 1)); })},
      {"eig vectors", function([](const Args&, const auto& A) { return eig(A).vectors; })},
      {"eig sum", function([](const Args&, const auto& A) {
         const auto e = eig(A);
         return einsum("...ij,...j->...i", abs2(e.vectors), e.values * e.values);
       })},
      {"eig function", function([](const Args&, const auto& A) {
         const auto e = eig(A);
         const auto W = matmul(einsum("...ij,...j->...ij", e.vectors, e.values * e.values + 1.0), inv(e.vectors));
         return as(A, W);
       })},
      {"sqrtm", function([](const Args&, const auto& A) { return sqrtm(matrix_exp(A)); })},
      {"logm", function([](const Args&, const auto& A) { return logm(matmul(A, A) + identity(A.dim(-1))); })},
  };
  return all;
}

AnyTensor array(const NpzFile& file, const std::string& name) {
  if (file.info(name).is_complex) return file.tensor<std::complex<double>>(name);
  return file.tensor<double>(name);
}

/// Runs the backward pass of L = Re Σ conj(W) f, whose incoming gradient is W.
void backward_from(const AnyVar& f, const AnyTensor& W, Tape& tape) {
  std::visit([&]<Scalar T>(const Var<T>& y) { GradientAccumulator<T>(y).add(std::get<Tensor<T>>(W)); }, f);
  tape.backward(variable(Tensor<double>::scalar(0)));
}

struct Case {
  std::string op;
  Args args;
  std::vector<AnyTensor> inputs;
  AnyTensor W;

  /// The first input broadcast to the shape of the argument "stretch".
  std::vector<AnyVar> stretched(std::vector<AnyVar> x) const {
    const auto shape = args.get<Sizes>("stretch", {});
    if (!shape.empty())
      x[0] = std::visit([&](const auto& z) -> AnyVar { return z + Real(Tensor<double>::zeros(Shape(shape))); }, x[0]);
    return x;
  }
  std::vector<AnyVar> variables() const {
    std::vector<AnyVar> x;
    for (const AnyTensor& input : inputs) x.push_back(std::visit([](const auto& z) -> AnyVar { return variable(z); }, input));
    return x;
  }
  AnyVar value_of(const std::vector<AnyVar>& x) const {
    const auto found = table().find(op);
    require(found != table().end(), "op_parity", "unknown op {}", op);
    return found->second(args, stretched(x));
  }
};

std::vector<Case> cases_of(const std::string& json, const std::string& npz) {
  const NpzFile file = NpzFile::open(npz);
  std::vector<Case> cases;
  for (const auto& entry : nlohmann::json::parse(read_text_file("op_parity", json))) {
    const std::size_t k = cases.size();
    Case c{entry["op"], Args(entry["args"]), {}, array(file, fmt::format("{}.W", k))};
    for (int i = 0; i < entry["inputs"].get<int>(); ++i) c.inputs.push_back(array(file, fmt::format("{}.x{}", k, i)));
    cases.push_back(std::move(c));
  }
  return cases;
}

void compute(const std::vector<Case>& cases, const std::string& outputs) {
  NpzWriter file;
  nlohmann::json errors = nlohmann::json::object();
  for (std::size_t k = 0; k < cases.size(); ++k) try {
      Tape tape;
      const std::vector<AnyVar> x = cases[k].variables();
      const AnyVar y = cases[k].value_of(x);
      std::visit([&](const auto& w) { file.add(fmt::format("{}.value", k), w.value()); }, y);
      backward_from(y, cases[k].W, tape);
      for (std::size_t i = 0; i < x.size(); ++i)
        std::visit([&](const auto& z) { file.add(fmt::format("{}.d{}", k, i), z.grad()); }, x[i]);
    } catch (const Error& e) {
      errors[std::to_string(k)] = e.what();
    }
  file.save(outputs);
  fmt::print("{}\n", errors.dump());
}

/// The median time of the passes that fit into half a second, at least 3, after a warm-up pass.
double seconds_of(const Case& c) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  double total = 0;
  for (int pass = 0; pass < 4 || total < 0.5; ++pass) {
    const auto start = Clock::now();
    Tape tape;
    const std::vector<AnyVar> x = c.variables();
    backward_from(c.value_of(x), c.W, tape);
    const double one = std::chrono::duration<double>(Clock::now() - start).count();
    if (pass > 0) seconds.push_back(one), total += one;
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

int main(int argc, char** argv) try {
  ensure_fast_kernels(argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--time") {
    for (const Case& c : cases_of(words[1], words[2])) fmt::print("{:.9f}\n", seconds_of(c));
  } else {
    require(words.size() == 3, "op_parity", "usage: op_parity [--time] CASES.json INPUTS.npz [OUTPUTS.npz]");
    compute(cases_of(words[0], words[1]), words[2]);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
