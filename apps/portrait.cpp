/// argand portrait: draws a function of a complex number in colour, with its gradient field.

#include <memory>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/external_program.h"
#include "data/files/atomic_file.h"
#include "lab/expression/expression_point.h"
#include "lab/portrait/portrait_field.h"
#include "lab/portrait/portrait_picture.h"
#include "train/config/settings.h"

namespace argand {
namespace {

struct PortraitOptions {
  std::string function, range = "-2:2", size = "1200x500", out;
  std::vector<std::string> paths;
};

/// Parses "A:B" or "AxB".
template <class T>
std::pair<T, T> two_numbers(const std::string& option, const std::string& text, char between, const char* example) {
  const std::size_t at = text.find(between, 1);
  T first{}, second{};
  try {
    if (at == std::string::npos) throw Error("");
    assign({"", text.substr(0, at), ""}, "", first);
    assign({"", text.substr(at + 1), ""}, "", second);
  } catch (const Error&) {
    input_fail(option, "\"{}\" must have the form {}", text, example);
  }
  return {first, second};
}

constexpr const char* path_example = "Z,RATE[,argand|pytorch|tensorflow|jax], such as 1+0.5i,0.02,jax";

/// `--path Z,RATE[,CONVENTION]`: two hundred steps of z -= rate * (that framework's gradient).
PortraitWalk walk_of(const Expression& f, const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string convention = parts.size() == 3 ? parts[2] : "argand";
  double rate = 0;
  try {
    if (parts.size() != 2 && parts.size() != 3) throw Error("");
    assign({"", parts[1], ""}, "", rate);
  } catch (const Error&) {
    input_fail("--path", "\"{}\" must have the form {}", text, path_example);
  }
  if (rate <= 0) input_fail("--path", "requires a positive learning rate, got {}", parts[1]);
  if (convention != "argand" && convention != "pytorch" && convention != "tensorflow" && convention != "jax")
    input_fail("--path", "requires argand, pytorch, tensorflow or jax, got \"{}\"", convention);
  const bool conjugated = convention == "jax";
  return {portrait_path(f, point_of(f, parts[0]).front(), rate, conjugated, 200), conjugated};
}

void portrait(const PortraitOptions& options) {
  if (!options.out.ends_with(".png") && !options.out.ends_with(".svg"))
    input_fail("--out", "{} must end in .png or .svg", options.out);
  const auto [low, high] = two_numbers<double>("--range", options.range, ':', "LOW:HIGH, such as -2:2");
  if (low >= high) input_fail("--range", "must be LOW:HIGH with LOW < HIGH, got {}", options.range);
  const auto [width, height] = two_numbers<std::int64_t>("--size", options.size, 'x', "WIDTHxHEIGHT, such as 1200x500");
  if (width < 600 || height < 250 || width > 8000 || height > 8000)
    input_fail("--size", "must be between 600x250 and 8000x8000 pixels, got {}", options.size);
  const Expression f = portrait_function(options.function);
  PortraitPicture picture{low, high, width, height, options.out.ends_with(".svg")};
  for (const std::string& path : options.paths) picture.walks.push_back(walk_of(f, path));
  const std::string script = portrait_script(f, picture);
  write_file_atomically(options.out, output_of("portrait", {"gnuplot"}, script, "gnuplot-nox"));
}

}  // namespace

void add_portrait(CLI::App* command) {
  const auto options = std::make_shared<PortraitOptions>();
  command->add_option("FUNCTION", options->function, "an expression in z, or the name of an op")->required()->type_name("");
  command->add_option("--range", options->range, "range of the real and imaginary parts")
      ->type_name("LOW:HIGH")
      ->capture_default_str();
  command->add_option("--size", options->size, "size of the picture, in pixels")->type_name("WIDTHxHEIGHT")->capture_default_str();
  command->add_option("--path", options->paths, "two hundred steps of gradient descent from Z; may be repeated")
      ->type_name("Z,RATE[,FRAMEWORK]")
      ->allow_extra_args(false);
  command->add_option("--out", options->out, "file.png or file.svg")->required()->type_name("FILE");
  add_threads(*command);
  command->footer(
      "Left, the function: the hue is the argument (positive numbers are red), the lightness the modulus, black at 0 and white at\n"
      "infinity, with a ring at every power of two. At zeros and poles all hues meet; at cuts colours jump.\n"
      "Right, the gradient dL/dx + i dL/dy as arrows and as colours, white where it is 0; L = f where f is real, Re f otherwise.\n"
      "One backward pass gives the gradient at all points. It points to where L grows; for a holomorphic f it is conj(f'(z)).\n"
      "The lines are contours of L. Minima, maxima and saddles of L are marked. Large and small values are scaled by a power of\n"
      "two before they are coloured; the titles show which. --path takes the steps z -= RATE * gradient, with the gradient that\n"
      "the framework returns: jax's is the conjugate, and does not descend. Needs gnuplot (apt-get install gnuplot-nox).\n"
      "\n"
      "Examples:\n"
      "  argand portrait tanh --range -4:4 --out tanh.png\n"
      "  argand portrait \"(z^2 - 1)/(z^2 + 1)\" --out quotient.png\n"
      "  argand portrait \"f(z) = abs(z)^2 * exp(i*angle(z))\" --size 1800x750 --out f.svg\n"
      "  argand portrait \"abs2(z^2 + 1)\" --path 1+0.5i,0.02 --path 1+0.5i,0.02,jax --out walks.png");
  command->callback([options] { portrait(*options); });
}

}  // namespace argand
