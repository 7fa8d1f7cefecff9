#include "lab/portrait/portrait_picture.h"

#include <algorithm>
#include <cmath>

#include "autograd/op.h"
#include "core/parallel.h"
#include "data/files/utf8.h"
#include "lab/portrait/domain_colouring.h"
#include "lab/portrait/portrait_field.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// The square low <= Re z, Im z <= high, as side x side pixels.
struct Square {
  double low, high;
  std::int64_t side;

  double step() const { return (high - low) / static_cast<double>(side); }
};

/// The layout of a picture of width x height pixels: two panels, each `panel` pixels wide, then a legend.
struct Layout {
  std::int64_t width, height, panel, legend;
  static constexpr std::int64_t left = 76, gap = 84, right = 24, above = 44, below = 64;

  static Layout of(std::int64_t width, std::int64_t height) {
    const double across = static_cast<double>(width - left - 2 * gap - right) / 2.4;
    const auto panel = std::min<std::int64_t>(height - above - below, static_cast<std::int64_t>(across));
    return {width, height, panel, panel * 2 / 5};
  }
  std::int64_t key() const { return left + 2 * (panel + gap); }
};

std::string names_of_one_variable() {
  std::string names;
  for (const ExpressionFunction& f : expression_functions())
    if (f.takes.size() == 1 && f.takes.front() != Takes::Real) names += (names.empty() ? "" : ", ") + f.name;
  return names;
}

/// For backgrounds: the hue of arg w, white at 0, saturated but pale where |w| is large.
Rgb pale_colour(C w) {
  const double modulus = std::abs(w);
  if (!std::isfinite(modulus)) return domain_colour(w);
  const double fullness = modulus / (modulus + 0.5);
  return to_rgb({0.99 - 0.11 * fullness, 0.11 * fullness, to_oklch(domain_colour(modulus == 0 ? 1 : w / modulus)).hue});
}

/// The pixel colours of values / scale.
std::string pixels(const std::vector<C>& values, double scale, Rgb (*colour_of)(C)) {
  std::string bytes(3 * values.size(), '\0');
  parallel_for(static_cast<std::int64_t>(values.size()), 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Rgb colour = colour_of(values[static_cast<std::size_t>(i)] / scale);
      std::copy(colour.begin(), colour.end(), reinterpret_cast<std::uint8_t*>(bytes.data()) + 3 * i);
    }
  });
  return bytes;
}

/// A gnuplot string without special characters. A newline would end the string and make the next line a command, such as `shell`,
/// so newlines become spaces.
std::string in_single_quotes(const std::string& text) {
  std::string out = "'";
  for (char c : on_one_line(text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// A gnuplot data block `$NAME`; an empty line separates points that are not to be joined.
std::string data_block(const std::string& name, const std::string& lines) { return "$" + name + " << END\n" + lines + "END\n"; }

std::string point_lines(const std::vector<C>& points) {
  std::string lines;
  for (const C z : points) lines += fmt::format("{:.9g} {:.9g}\n", z.real(), z.imag());
  return lines;
}

/// One panel: the axes drawn by gnuplot, then the pixels unchanged, with `over` drawn on top.
std::string panel(const Layout& at, std::int64_t x, std::int64_t side, const Square& square, const std::string& title,
                  const std::string& variable, const std::string& over, const std::string& colours) {
  const auto across = [&](std::int64_t pixel) { return static_cast<double>(pixel) / static_cast<double>(at.width); };
  const auto up = [&](std::int64_t pixel) { return static_cast<double>(pixel) / static_cast<double>(at.height); };
  const std::int64_t bottom = at.below + at.panel - side;
  std::string text;
  text += fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n", across(x), across(x + side));
  text += fmt::format("set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n", up(bottom), up(bottom + side));
  text += fmt::format("set xrange [{0}:{1}]\nset yrange [{0}:{1}]\n", square.low, square.high);
  text += fmt::format("set title {} noenhanced\n", in_single_quotes(title));
  text += fmt::format("set xlabel {} noenhanced\nset ylabel {} offset 1,0 noenhanced\n",
                      in_single_quotes(variable.empty() ? "" : "Re " + variable),
                      in_single_quotes(variable.empty() ? "" : "Im " + variable));
  text += fmt::format(
      "plot '-' binary array=({0},{0}) flip=y format='%uchar' origin=({1:.9g},{1:.9g}) dx={2:.9g} dy={2:.9g} with rgbimage "
      "notitle{3}\n",
      square.side, square.low + square.step() / 2, square.step(), over);
  return text + colours + "\n";
}

/// The gnuplot point type for each kind of mark, and the name of the kind.
struct MarkStyle {
  MarkKind kind;
  int type;
  const char *name, *plural;
};
constexpr MarkStyle mark_styles[] = {{MarkKind::Zero, 6, "zero", "zeros of f"},
                                     {MarkKind::Pole, 2, "pole", "poles of f"},
                                     {MarkKind::Minimum, 7, "minimum", "minima of L"},
                                     {MarkKind::Maximum, 9, "maximum", "maxima of L"},
                                     {MarkKind::Saddle, 13, "saddle", "saddles of L"}};
constexpr const char *along = "#0b7a55", *against = "#7e22ce";  // paths along -g and along -conj(g), as in the lab

std::string style_of(const MarkStyle& mark, bool halo) {
  const bool filled = mark.type > 6;
  return fmt::format("pt {} ps {} lw {} lc rgb '{}'", mark.type, halo && filled ? 2.2 : 1.5, halo && !filled ? 5 : 2,
                     halo ? "#ffffff" : "#111111");
}

/// The marks of f in the left panel and those of L in the right one, black with a white edge.
std::string draw_marks(const std::vector<Mark>& marks, bool of_loss) {
  std::string over;
  for (const MarkStyle& style : mark_styles) {
    const bool here = of_loss == (style.kind != MarkKind::Zero && style.kind != MarkKind::Pole);
    const bool any = std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) { return mark.kind == style.kind; });
    for (const bool halo : {true, false})
      if (here && any) over += fmt::format(", ${} with points {} notitle", style.name, style_of(style, halo));
  }
  return over;
}

std::string marks_data(const std::vector<Mark>& marks) {
  std::string text;
  for (const MarkStyle& style : mark_styles) {
    std::vector<C> points;
    for (const Mark& mark : marks)
      if (mark.kind == style.kind) points.push_back(mark.at);
    if (!points.empty()) text += data_block(style.name, point_lines(points));
  }
  return text;
}

/// Contours of L at twelve quantiles of its values in the square, so that they are evenly spread; gnuplot computes them.
std::string contour_data(const Expression& f, const Square& square) {
  constexpr std::int64_t side = 128;
  const std::vector<C> points = square_of_points(square.low, square.high, side);
  const std::vector<C> values = portrait_field(f, points).values;
  std::vector<double> heights;
  std::string lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double height = values[i].real();
    if (std::isfinite(height)) heights.push_back(height);
    lines += fmt::format("{:.6g} {:.6g} {}\n", points[i].real(), points[i].imag(),
                         std::isfinite(height) ? fmt::format("{:.9g}", height) : "NaN");
    if ((i + 1) % side == 0) lines += "\n";
  }
  std::sort(heights.begin(), heights.end());
  if (heights.empty() || heights.front() == heights.back()) return data_block("contours", "NaN NaN\n");
  std::string levels;
  for (std::size_t k = 1; k < 24; k += 2)
    levels += fmt::format("{}{:.9g}", k == 1 ? "" : ",", heights[k * (heights.size() - 1) / 24]);
  return data_block("heights", lines) + "set contour base\nunset surface\nset cntrparam levels discrete " + levels +
         "\nset table $contours\nsplot $heights with lines notitle\nunset table\nunset contour\nset surface\n";
}

/// Arrows along g at the points of a coarse grid, longer where |g| is larger compared with `ordinary`.
std::string arrow_data(const Expression& f, const Square& square, double ordinary) {
  constexpr std::int64_t side = 15;
  const std::vector<C> points = square_of_points(square.low, square.high, side);
  const std::vector<C> gradients = portrait_field(f, points).gradients;
  const double cell = (square.high - square.low) / side;
  std::string lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = std::abs(gradients[i]);
    if (!std::isfinite(size) || size == 0) continue;
    const C arrow = 0.85 * cell * size / (size + 0.5 * ordinary) * gradients[i] / size, tail = points[i] - arrow / 2.0;
    lines += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g}\n", tail.real(), tail.imag(), arrow.real(), arrow.imag());
  }
  return data_block("arrows", lines.empty() ? "NaN NaN NaN NaN\n" : lines);
}

std::string draw_walks(const std::vector<PortraitWalk>& walks) {
  std::string over;
  for (std::size_t k = 0; k < walks.size(); ++k)
    for (const bool halo : {true, false})
      over += fmt::format(", $walk{} with linespoints pt 7 ps {} lw {} lc rgb '{}' notitle", k, halo ? 0.8 : 0.5, halo ? 5 : 2,
                          halo ? "#ffffff" : (walks[k].conjugated ? against : along));
  return over;
}

/// Explains, below the colour key, the symbols in this picture.
std::string legend_text(const Layout& at, const std::vector<Mark>& marks, const std::vector<PortraitWalk>& walks) {
  std::string text;
  std::int64_t line = 0;
  const double x = static_cast<double>(at.key() - 14) / static_cast<double>(at.width);
  const auto say = [&](const std::string& words, const std::string& sign) {
    const double y = static_cast<double>(at.below + at.panel - at.legend - 48 - 19 * line++) / static_cast<double>(at.height);
    text += fmt::format("set label {} at screen {:.6f},{:.6f} left noenhanced {}\n", in_single_quotes(words), x, y, sign);
  };
  for (const MarkStyle& style : mark_styles)
    if (std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) { return mark.kind == style.kind; }))
      say(style.plural, "point " + style_of(style, false) + " offset 1.5,0");
  for (const bool conjugated : {false, true})
    if (std::any_of(walks.begin(), walks.end(), [&](const PortraitWalk& walk) { return walk.conjugated == conjugated; }))
      say(conjugated ? "-conj(grad L)" : "-grad L",
          fmt::format("point pt 7 ps 0.9 lc rgb '{}' offset 1.5,0", conjugated ? against : along));
  say("lines: L is constant", "offset -1,0");
  say("arrows: grad L", "offset -1,0");
  return text;
}

/// A note such as ", colours of f/16" if values are scaled before they are coloured.
std::string scale_text(const std::string& name, double scale) {
  if (scale == 1) return "";
  return scale > 1 ? fmt::format(",  colours of {}/{:g}", name, scale) : fmt::format(",  colours of {:g} {}", 1 / scale, name);
}

/// The gnuplot terminal for the file's format, with its options.
std::string terminal_of(const PortraitPicture& wanted) {
  return wanted.vector_graphics
             ? fmt::format("svg size {},{} font 'sans,13' background '#ffffff' standalone", wanted.width, wanted.height)
             : fmt::format("pngcairo size {},{} font 'sans,11' background '#ffffff'", wanted.width, wanted.height);
}

}  // namespace

Expression portrait_function(const std::string& text) {
  const bool word = !text.empty() && text != "z" &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  const ExpressionFunction* named = find_expression_function(text);
  if (word && named == nullptr && Op::find(text) != nullptr)
    input_fail("portrait", "{} is not a function of one complex number; choose from: {}", text, names_of_one_variable());
  if (named != nullptr && named->takes.size() != 1)
    input_fail("portrait", "{} takes {}; write an expression in z only, such as {}", text, named->parameters,
               text == "modrelu" ? "modrelu(z, -0.5)" : text + "(...)");
  if (named != nullptr && named->takes.front() == Takes::Real)
    input_fail("portrait", "{} is a function of a real number: {}", text, named->instead);
  Expression f(named != nullptr ? text + "(z)" : text);
  if (f.variables().size() != 1)
    input_fail("portrait", "{} has {} variables; a portrait needs exactly one", f.name(), f.variables().size());
  return f;
}

std::string portrait_script(const Expression& f, const PortraitPicture& wanted) {
  const Layout at = Layout::of(wanted.width, wanted.height);
  const Square square{wanted.low, wanted.high, at.panel};
  const std::vector<PortraitWalk>& walks = wanted.walks;
  const PortraitField field = portrait_field(f, square_of_points(square.low, square.high, square.side));
  const std::vector<Mark> marks = portrait_marks(f, square.low, square.high);
  const std::string& z = f.variables().front();
  const double scale = colour_scale(field.values), gradient_scale = colour_scale(field.gradients);
  std::string text = "set terminal " + terminal_of(wanted) + "\n" + contour_data(f, square) +
                     arrow_data(f, square, gradient_scale) + marks_data(marks);
  for (std::size_t k = 0; k < walks.size(); ++k) text += data_block(fmt::format("walk{}", k), point_lines(walks[k].points));
  text += "set multiplot\nset tics out nomirror\nset border 15 lw 0.8\nunset key\nset size noratio\n";
  text += panel(at, Layout::left, at.panel, square, f.equation() + scale_text(f.name(), scale), z, draw_marks(marks, false),
                pixels(field.values, scale, domain_colour));
  const std::string over =
      ", $contours using 1:2 with lines lw 1 lc rgb '#80404040' notitle"
      ", $arrows using 1:2:3:4 with vectors head filled size screen 0.006,20,60 lw 1.2 lc rgb '#303030' notitle";
  text += panel(at, Layout::left + at.panel + Layout::gap, at.panel, square,
                fmt::format("grad L = 2 ∂L/∂{0}{1},  L = {2}{3}{4}", z, "\u0304", field.real_valued ? "" : "Re ", f.name(),
                            scale_text("grad L", gradient_scale)),
                z, over + draw_walks(walks) + draw_marks(marks, true), pixels(field.gradients, gradient_scale, pale_colour));
  const Square key{-4, 4, at.legend};
  text += legend_text(at, marks, walks) + "set xtics 2\nset ytics 2\n";
  text += panel(at, at.key(), at.legend, key, "colour of w", "", "",
                pixels(square_of_points(key.low, key.high, key.side), 1, domain_colour));
  return text + "unset multiplot\n";
}

}  // namespace argand
