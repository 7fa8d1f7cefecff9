/// argand portrait: a function of a complex number and its gradient field, in colours.

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/commands.h"
#include "apps/lab/domain_colouring.h"
#include "apps/lab/expression_point.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/external_program.h"
#include "apps/terminal/settings.h"
#include "autograd/op.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

using C = std::complex<double>;

struct PortraitOptions {
  std::string function, range = "-2:2", size = "1200x500", out;
};

/// The square low <= Re z, Im z <= high, at the centres of side x side pixels, the uppermost row first.
struct Square {
  double low, high;
  std::int64_t side;

  double step() const { return (high - low) / static_cast<double>(side); }
  Tensor<C> points() const {
    Tensor<C> z({side * side});
    for (std::int64_t i = 0; i < z.size(); ++i)
      z.data()[i] = {low + (static_cast<double>(i % side) + 0.5) * step(), high - (static_cast<double>(i / side) + 0.5) * step()};
    return z;
  }
};

/// Where things stand in a picture of width x height pixels: two panels of `panel` pixels, then a legend.
struct Layout {
  std::int64_t width, height, panel, legend;
  static constexpr std::int64_t left = 76, gap = 84, right = 24, above = 44, below = 64;

  static Layout of(std::int64_t width, std::int64_t height) {
    const double across = static_cast<double>(width - left - 2 * gap - right) / 2.4;
    const auto panel = std::min<std::int64_t>(height - above - below, static_cast<std::int64_t>(across));
    return {width, height, panel, panel * 2 / 5};
  }
};

std::string names_of_one_variable() {
  std::string names;
  for (const ExpressionFunction& f : expression_functions())
    if (f.takes.size() == 1 && f.takes.front() != Takes::Real) names += (names.empty() ? "" : ", ") + f.name;
  return names;
}

/// "tanh" means tanh(z).
Expression function_of(const std::string& text) {
  const bool word = !text.empty() && text != "z" &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  const ExpressionFunction* named = find_expression_function(text);
  if (word && named == nullptr && Op::find(text) != nullptr)
    usage_fail("portrait", "{} is no function of one complex number; these are: {}", text, names_of_one_variable());
  if (named != nullptr && named->takes.size() != 1)
    usage_fail("portrait", "{} takes {}; write an expression of z alone, such as {}", text, named->parameters,
               text == "modrelu" ? "modrelu(z, -0.5)" : text + "(...)");
  if (named != nullptr && named->takes.front() == Takes::Real)
    usage_fail("portrait", "{} is a function of a real number: {}", text, named->instead);
  Expression f(named != nullptr ? text + "(z)" : text);
  if (f.variables().size() != 1)
    usage_fail("portrait", "{} has {} variables; a picture shows a function of one", f.name(), f.variables().size());
  return f;
}

struct Field {
  std::vector<C> values, gradients;
  bool real_valued;
};

/// f on all points at once, and the gradient of L = Re f at each: a sum over points has the gradients of its terms.
Field field_of(const Expression& f, const Square& square) {
  const Complex z = variable(square.points());
  const AnyVar w = f({z});
  const Real loss = loss_of(w);
  if (loss.requires_grad()) backward(loss);
  Field field{.values = {}, .gradients = {}, .real_valued = w.index() == 0};
  std::visit([&](const auto& v) { field.values.assign(v.value().begin(), v.value().end()); }, w);
  const Tensor<C> g = z.grad();
  field.gradients.assign(g.begin(), g.end());
  return field;
}

std::string pixels(const std::vector<C>& values) {
  std::string bytes(3 * values.size(), '\0');
  parallel_for(static_cast<std::int64_t>(values.size()), 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Rgb colour = domain_colour(values[static_cast<std::size_t>(i)]);
      std::copy(colour.begin(), colour.end(), reinterpret_cast<std::uint8_t*>(bytes.data()) + 3 * i);
    }
  });
  return bytes;
}

/// A string of gnuplot's in which nothing has a meaning. A line end would end the string, and the next line be a command, `shell`
/// among them: hence on one line.
std::string in_single_quotes(const std::string& text) {
  std::string out = "'";
  for (char c : on_one_line(text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// One panel: axes in gnuplot's words, then the pixels as they are.
std::string panel(const Layout& at, std::int64_t x, std::int64_t side, const Square& square, const std::string& title,
                  const std::string& variable, const std::vector<C>& values) {
  const auto across = [&](std::int64_t pixel) { return static_cast<double>(pixel) / static_cast<double>(at.width); };
  const auto up = [&](std::int64_t pixel) { return static_cast<double>(pixel) / static_cast<double>(at.height); };
  const std::int64_t bottom = at.below + at.panel - side;
  std::string text;
  text += fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n", across(x), across(x + side));
  text += fmt::format("set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n", up(bottom), up(bottom + side));
  text += fmt::format("set xrange [{0}:{1}]\nset yrange [{0}:{1}]\n", square.low, square.high);
  text += fmt::format("set title {} noenhanced\n", in_single_quotes(title));
  text += fmt::format("set xlabel {} noenhanced\nset ylabel {} offset 1,0 noenhanced\n", in_single_quotes("Re " + variable),
                      in_single_quotes("Im " + variable));
  text += fmt::format(
      "plot '-' binary array=({0},{0}) flip=y format='%uchar' origin=({1:.9g},{1:.9g}) dx={2:.9g} dy={2:.9g} with rgbimage "
      "notitle\n",
      square.side, square.low + square.step() / 2, square.step());
  return text + pixels(values) + "\n";
}

/// The colour that a number has, as the portrait of the identity.
std::string picture(const Expression& f, const Square& square, const Layout& at, const std::string& terminal) {
  const Field field = field_of(f, square);
  const std::string loss = field.real_valued ? "L = " + f.name() : "L = Re " + f.name();
  std::string text =
      "set terminal " + terminal + "\nset multiplot\nset tics out nomirror\nset border 15 lw 0.8\nunset key\nset size noratio\n";
  text += panel(at, Layout::left, at.panel, square, f.equation(), f.variables().front(), field.values);
  text += panel(at, Layout::left + at.panel + Layout::gap, at.panel, square,
                fmt::format("grad L = dL/dx + i dL/dy = 2 dL/d{0}*,  {1}", f.variables().front(), loss), f.variables().front(),
                field.gradients);
  const Square legend{-4, 4, at.legend};
  const Tensor<C> numbers = legend.points();
  text += "set xtics 2\nset ytics 2\n";
  text += panel(at, Layout::left + 2 * (at.panel + Layout::gap), at.legend, legend, "colour of a number w", "w",
                {numbers.begin(), numbers.end()});
  return text + "unset multiplot\n";
}

/// "A:B" or "AxB".
template <class T>
std::pair<T, T> two_numbers(const std::string& option, const std::string& text, char between, const char* example) {
  const std::size_t at = text.find(between, 1);
  T first{}, second{};
  try {
    if (at == std::string::npos) throw UsageError("");
    assign({"", text.substr(0, at), ""}, "", first);
    assign({"", text.substr(at + 1), ""}, "", second);
  } catch (const UsageError&) {
    usage_fail(option, "\"{}\" should read {}", text, example);
  }
  return {first, second};
}

void portrait(const PortraitOptions& options) {
  if (!options.out.ends_with(".png") && !options.out.ends_with(".svg"))
    usage_fail("--out", "{} should end in .png or .svg", options.out);
  const auto [low, high] = two_numbers<double>("--range", options.range, ':', "LOW:HIGH, as -2:2");
  if (low >= high) usage_fail("--range", "goes from the lower to the higher number, got {}", options.range);
  const auto [width, height] = two_numbers<std::int64_t>("--size", options.size, 'x', "WIDTHxHEIGHT, as 1200x500");
  if (width < 600 || height < 250 || width > 8000 || height > 8000)
    usage_fail("--size", "takes from 600x250 to 8000x8000 pixels, got {}", options.size);
  const Layout layout = Layout::of(width, height);
  const std::string terminal = options.out.ends_with(".png")
                                   ? fmt::format("pngcairo size {},{} font 'sans,11' background '#ffffff'", width, height)
                                   : fmt::format("svg size {},{} font 'sans,13' background '#ffffff' standalone", width, height);
  const std::string script = picture(function_of(options.function), {low, high, layout.panel}, layout, terminal);
  write_file_atomically(options.out, output_of("portrait", {"gnuplot"}, script, "gnuplot-nox"));
}

}  // namespace

void add_portrait(CLI::App& program) {
  CLI::App* command = program.add_subcommand("portrait", "a complex function and its gradient field, in colours");
  const auto options = std::make_shared<PortraitOptions>();
  command->add_option("FUNCTION", options->function, "an expression in z, or the name of an op")->required()->type_name("");
  command->add_option("--range", options->range, "of real and imaginary part")->type_name("LOW:HIGH")->capture_default_str();
  command->add_option("--size", options->size, "of the picture, in pixels")->type_name("WIDTHxHEIGHT")->capture_default_str();
  command->add_option("--out", options->out, "file.png or file.svg")->required()->type_name("FILE");
  add_threads(*command);
  command->footer(
      "Left the function: the hue is the argument (positive numbers are red), the lightness the modulus, black at 0 and white at\n"
      "infinity, with a ring at every power of two. Zeros and poles are where all hues meet, cuts are where colours break off.\n"
      "Right its gradient in the same colours: of L = f where f is real, of L = Re f otherwise, dL/dx + i dL/dy = 2 dL/dz*, by "
      "one\n"
      "backward pass over all points. It points to where L grows; for a holomorphic f it is conj(f'(z)).\n"
      "The small panel is the key. gnuplot draws it (apt-get install gnuplot-nox).\n\n"
      "Examples:\n"
      "  argand portrait tanh --range -4:4 --out tanh.png\n"
      "  argand portrait \"(z^2 - 1)/(z^2 + 1)\" --out quotient.png\n"
      "  argand portrait \"f(z) = abs(z)^2 * exp(i*angle(z))\" --size 1800x750 --out f.svg");
  command->callback([options] { portrait(*options); });
}

}  // namespace argand
