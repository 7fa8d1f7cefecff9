#include "train/checks/external_function.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/machine/json.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view check_name = "gradcheck";

/// Parses a line as a JSON object that must contain this key.
Json object_with(const std::string& program, const std::string& line, const std::string& question, const char* key) {
  require(!nested_too_deeply(line), check_name, "{} answered \"{}\" with JSON nested more than {} levels deep", program, question,
          deepest_json);
  const Json answer = try_parse_json(line);
  require(answer.is_object(), check_name, "{} answered \"{}\" with text that is not a JSON object: {}", program, question,
          in_quotes(line));
  if (const auto error = answer.find("error"); error != answer.end()) {
    const std::string why = error->is_string() ? error->get<std::string>() : error->dump();
    throw ExternalRefusal(fmt::format("{}: {} refuses \"{}\": {}", check_name, program, question, in_quotes(why)));
  }
  require(answer.contains(key), check_name, "{} answered \"{}\" without \"{}\": {}", program, question, key, in_quotes(line));
  return answer;
}

/// A list of numbers, or a single number. Null, which JSON writers use for non-finite numbers, becomes NaN.
std::vector<double> numbers_in(const Json& json, const std::string& program, const std::string& what) {
  const Json list = json.is_array() ? json : Json::array({json});
  std::vector<double> numbers;
  for (const Json& x : list) {
    require(x.is_number() || x.is_null(), check_name, "{} of {} contains {}, which is not a number", what, program,
            in_quotes(x.dump()));
    numbers.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
  }
  return numbers;
}

std::string string_at(const Json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

/// Whether the numbers are complex, with real and imaginary parts interleaved.
bool complex_at(const Json& object, const std::string& program, const std::string& what) {
  const auto found = object.find("complex");
  require(found == object.end() || found->is_boolean(), check_name, "{} of {}: \"complex\" is neither true nor false", what,
          program);
  return found != object.end() && found->get<bool>();
}

Shape shape_at(const Json& object, const std::string& program, const std::string& what, std::int64_t count) {
  const auto found = object.find("shape");
  if (found == object.end()) return Shape({count});
  std::vector<std::int64_t> sizes;
  require(found->is_array() && found->size() <= Shape::max_rank, check_name,
          "{} of {}: \"shape\" is not a list of at most {} sizes", what, program, Shape::max_rank);
  for (const Json& size : *found) {
    require(size.is_number_unsigned() && size.get<std::uint64_t>() < (1ULL << 40), check_name,
            "{} of {}: \"shape\" contains {}, which is not a size", what, program, size.dump());
    sizes.push_back(size.get<std::int64_t>());
  }
  const Shape shape{std::span<const std::int64_t>(sizes)};
  require(shape.size() == count, check_name, "{} of {} has {} numbers, but the shape {}", what, program, count, shape);
  return shape;
}

/// Reads a tensor from {"values" or "value": numbers, "complex": ..., "shape": ...}.
AnyTensor tensor_in(const Json& object, const char* key, const std::string& program, const std::string& what) {
  const std::vector<double> numbers = numbers_in(object.at(key), program, what);
  if (!complex_at(object, program, what)) {
    // A single number outside a list, without a shape, is a scalar.
    const auto count = static_cast<std::int64_t>(numbers.size());
    const bool scalar = !object.at(key).is_array() && !object.contains("shape");
    return Tensor<double>(scalar ? Shape() : shape_at(object, program, what, count), numbers);
  }
  require(numbers.size() % 2 == 0, check_name,
          "{} of {} is complex, but has {} numbers; each element needs a real and an imaginary part", what, program,
          numbers.size());
  std::vector<std::complex<double>> pairs;
  for (std::size_t k = 0; k < numbers.size(); k += 2) pairs.emplace_back(numbers[k], numbers[k + 1]);
  const Shape shape = shape_at(object, program, what, static_cast<std::int64_t>(pairs.size()));
  return Tensor<std::complex<double>>(shape, std::span<const std::complex<double>>(pairs));
}

/// All elements as reals, complex ones as pairs.
std::vector<double> numbers_of(const AnyTensor& x) {
  return std::visit(
      []<class T>(const Tensor<T>& t) {
        const auto* first = reinterpret_cast<const double*>(t.data());
        return std::vector<double>(first, first + t.size() * (ComplexScalar<T> ? 2 : 1));
      },
      x);
}

Json question(const char* ask, const std::vector<AnyTensor>& x) {
  Json inputs = Json::array();
  for (const AnyTensor& input : x) inputs.push_back(numbers_of(input));
  return {{"ask", ask}, {"inputs", inputs}};
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
}

AnyTensor nan_like(const AnyTensor& x) {
  return std::visit(
      []<class T>(const Tensor<T>& t) {
        return AnyTensor(Tensor<T>::full(t.shape(), T(std::numeric_limits<double>::quiet_NaN())));
      },
      x);
}

}  // namespace

ExternalDescription read_description(const std::string& program, const std::string& line) {
  const Json answer = object_with(program, line, "function", "inputs");
  const Json& inputs = answer.at("inputs");
  require(inputs.is_array() && !inputs.empty(), check_name, "\"inputs\" of {} is not a list of inputs", program);
  ExternalDescription description{string_at(answer, "name", program), {}, Convention::Conjugate};
  const std::string convention = string_at(answer, "convention", "torch");
  require(convention == "torch" || convention == "tensorflow" || convention == "jax", check_name,
          "{} has an unknown convention {}; use torch, tensorflow or jax", program, in_quotes(convention));
  if (convention == "jax") description.convention = Convention::Plain;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Json& input = inputs[k];
    require(input.is_object() && input.contains("values"), check_name, "input {} of {} is not an object with \"values\"", k,
            program);
    const std::string name = string_at(input, "name", fmt::format("x{}", k));
    AnyTensor point = tensor_in(input, "values", program, "input " + in_quotes(name));
    require(!numbers_of(point).empty() && all_finite(numbers_of(point)), check_name,
            "input {} of {} must be non-empty and finite; the gradient is checked at these values", in_quotes(name), program);
    description.inputs.push_back({name, std::move(point)});
  }
  return description;
}

AnyTensor read_value(const std::string& program, const std::string& line) {
  return tensor_in(object_with(program, line, "value", "value"), "value", program, "the value");
}

std::vector<ComplexValues> read_gradient(const std::string& program, const std::string& line,
                                         const std::vector<AnyTensor>& inputs) {
  const Json answer = object_with(program, line, "gradient", "gradient");
  const Json& lists = answer.at("gradient");
  require(lists.is_array() && lists.size() == inputs.size(), check_name,
          "\"gradient\" of {} is not a list of length {}, one entry for each input", program, inputs.size());
  std::vector<ComplexValues> gradients;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::vector<double> numbers = numbers_in(lists[k], program, "the gradient");
    const std::size_t needed = numbers_of(inputs[k]).size();
    require(numbers.size() == needed, check_name, "the gradient for input {} of {} has {} numbers, expected {}{}", k, program,
            numbers.size(), needed, inputs[k].index() == 1 ? ", a real and an imaginary part for each element" : "");
    ComplexValues g;
    const std::size_t step = inputs[k].index() == 1 ? 2 : 1;
    for (std::size_t n = 0; n < numbers.size(); n += step) g.emplace_back(numbers[n], step == 2 ? numbers[n + 1] : 0.0);
    gradients.push_back(std::move(g));
  }
  return gradients;
}

ExternalFunction::ExternalFunction(const std::string& command, double patience)
    : command_(in_quotes(command)), child_(std::string(check_name), command, patience) {
  description_ = read_description(command_, child_.ask(R"({"ask":"function"})"));
}

std::vector<AnyTensor> ExternalFunction::point() const {
  std::vector<AnyTensor> x;
  for (const ExternalDescription::Input& input : description_.inputs) x.push_back(input.point);
  return x;
}

AnyTensor ExternalFunction::value(const std::vector<AnyTensor>& x) {
  for (const AnyTensor& input : x) require(all_finite(numbers_of(input)), check_name, "JSON cannot represent NaN or infinity");
  const std::string answer = child_.ask(question("value", x).dump());
  if (!first_) {
    first_ = read_value(command_, answer);
    require(all_finite(numbers_of(*first_)), check_name, "the value of {} is not finite at this point", command_);
    return *first_;
  }
  try {
    return read_value(command_, answer);
  } catch (const ExternalRefusal&) {
    return nan_like(*first_);
  }
}

std::vector<ComplexValues> ExternalFunction::gradients(const std::vector<AnyTensor>& x,
                                                       std::span<const std::complex<double>> weights) {
  Json asked = question("gradient", x);
  const bool complex = first_->index() == 1;
  if (!complex && weights.size() == 1) {  // a real scalar: ask for its gradient with weight 1, as programs may ignore the weight
    asked["weights"] = {1.0};
    std::vector<ComplexValues> gradients = read_gradient(command_, child_.ask(asked.dump()), x);
    for (ComplexValues& g : gradients)
      for (auto& dx : g) dx *= weights[0].real();
    return gradients;
  }
  std::vector<double> numbers;
  for (const auto& w : weights) {
    numbers.push_back(w.real());
    if (complex) numbers.push_back(w.imag());
  }
  asked["weights"] = numbers;
  return read_gradient(command_, child_.ask(asked.dump()), x);
}

DifferentiableFunction ExternalFunction::differentiable() {
  return {[this](const std::vector<AnyTensor>& x) { return value(x); },
          [this](const std::vector<AnyTensor>& x, std::span<const std::complex<double>> W) { return gradients(x, W); }};
}

}  // namespace argand
