/// argand graph: draws the tape of an expression or of a model.

#include <algorithm>
#include <memory>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/external_program.h"
#include "apps/terminal/option_names.h"
#include "autograd/trace/tape_dot.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"
#include "data/knowledge/frozen_search.h"
#include "lab/expression/expression_point.h"
#include "train/checkpoints/checkpoint.h"

namespace argand {
namespace {

using C = std::complex<double>;

struct GraphOptions {
  std::string expression, model, run, at, out;
  std::vector<std::string> settings;
  bool gradients = false;
  int depth = -1;
};

/// A graph in the DOT language, drawn at several depths.
struct Drawn {
  std::string at_depth;             ///< drawn at the depth of --depth
  std::vector<std::string> depths;  ///< drawn at depths 0, 1, ..., down to the innermost modules
};

Drawn drawn(const TapeGraph& graph, const DotOptions& options) {
  Drawn made{.at_depth = to_dot(graph, options), .depths = {}};
  for (std::size_t depth = 0; depth <= deepest_scope(graph); ++depth)
    made.depths.push_back(to_dot(graph, {.title = options.title, .depth = static_cast<int>(depth), .numbered = options.numbered}));
  return made;
}

/// f at one point; the gradient is that of L = f if f is real, else of Re f.
Drawn expression_graph(const GraphOptions& options) {
  const Expression f(options.expression);
  std::string at = options.at;
  for (std::size_t i = 0; options.at.empty() && i < f.variables().size(); ++i) at += i == 0 ? "1+2i" : ",1+2i";
  const std::vector<C> point = point_of(f, at);
  ParameterList<double> variables;
  std::vector<AnyVar> arguments;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Complex z = variable(Tensor<C>({1}, {point[i]}));
    variables.push_back({f.variables()[i], z});
    arguments.push_back(z);
  }
  TapeGraph graph(variables);
  const AnyVar w = f(arguments);
  graph.stop();
  std::string title = f.equation();
  if (options.gradients) {
    const Real loss = loss_of(w);
    if (!loss.requires_grad()) input_fail("graph", "--gradients requires an expression that depends on a variable");
    graph.backward(loss);
    title += fmt::format("\ngrad: ∂L/∂x + i ∂L/∂y of L = {}{}; each edge shows its op's contribution", w.index() == 0 ? "" : "Re ",
                         f.name());
  }
  return drawn(graph, {.title = title, .depth = options.depth, .numbered = true});
}

/// Arbitrary ids, which suffice because the graph does not depend on their values.
Ids random_ids(const Shape& shape, std::int64_t limit, std::uint64_t stream) {
  Ids ids(shape);
  const Random random(0x6A4F, stream);
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<Ids::value_type>(1 + random.uniform(static_cast<std::uint64_t>(i)) * static_cast<double>(limit - 1));
  return ids;
}

template <RealScalar R>
Drawn model_graph(Model<R>& model, const std::string& title, const GraphOptions& options) {
  const ModelConfig& config = model.config();
  const bool lm = config.task == TextTask::Lm;
  const std::int64_t B = 2, T = std::min<std::int64_t>(8, config.max_seq_len);
  const Ids tokens = random_ids({B, T}, config.vocab_size, 0);
  const Ids targets = lm ? random_ids({B, T}, config.vocab_size, 1) : random_ids({B}, config.n_classes, 1);
  const Windows windows = config.windows();
  const Ids passages = random_ids({2 * std::max<std::int64_t>(1, windows.top_k), T}, config.vocab_size, 2);
  const Knowledge knowledge{.passages = &passages, .search = FrozenSearch(passages, chunk_length(passages))};
  ForwardContext context{.training = true, .step = 0};
  if (!windows.layers.empty()) context.knowledge = &knowledge;
  TapeGraph graph(model.parameters());
  const Loss<R> loss = model.loss(tokens, targets, context);
  if (options.gradients)
    graph.backward(loss.total);
  else
    graph.stop();
  graph.add_ids("tokens", tokens.shape(), {"embedding"});
  if (!windows.by_chunk) graph.add_ids("passages", passages.shape(), {"embedding_mean"});
  graph.add_ids(lm ? "next tokens" : "labels", targets.shape(), {"cross_entropy", "linear_cross_entropy"});
  Tape::current().clear();
  return drawn(graph, {.title = on_one_line(title), .depth = options.depth});
}

Drawn family_graph(const GraphOptions& options) {
  Settings settings;
  for (const auto& [key, text] : std::initializer_list<std::pair<const char*, const char*>>{{"family", options.model.c_str()},
                                                                                            {"vocab_size", "50"},
                                                                                            {"d_model", "16"},
                                                                                            {"n_heads", "2"},
                                                                                            {"d_ff", "32"},
                                                                                            {"max_seq_len", "8"}})
    settings.push_back({key, text, "--model"});
  std::string task = "lm", title = options.model;
  for (const std::string& setting : options.settings) {
    settings.push_back(key_and_value("--set", setting));
    if (settings.back().key == "task" && settings.back().text == "classify") task = "classify";
    title += ", " + setting;
  }
  const ModelConfig config = RunConfig::resolve({}, settings, task).model;
  const auto model = make_model<float>(config, 0);
  return model_graph(*model, title, options);
}

Drawn run_graph(const GraphOptions& options) {
  const Checkpoint checkpoint(find_checkpoint(options.run));
  return with_precision(checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(checkpoint);
    return model_graph(*model, fmt::format("{}: {}, step {}", options.run, model->config().family().name, checkpoint.state().step),
                       options);
  });
}

/// One SVG with the drawings of all depths, of which one is visible: clicking a module opens all modules at its depth, clicking a
/// frame closes them. The image has the size of the visible drawing. Viewers without scripts show the depth of --depth.
std::string svg_of_depths(const Drawn& made) {
  const auto picture = [](const std::string& dot) {
    const std::string svg = output_of("graph", {"dot", "-Tsvg"}, dot, "graphviz");
    return svg.substr(std::min(svg.find("<svg"), svg.size()));
  };
  const auto shown =
      static_cast<std::size_t>(std::find(made.depths.begin(), made.depths.end(), made.at_depth) - made.depths.begin());
  std::string pictures, size;
  for (std::size_t depth = 0; depth < made.depths.size(); ++depth) {
    const std::string svg = picture(made.depths[depth]);
    const auto begin = svg.find(" width="), end = svg.find("viewBox");
    if (depth == shown && begin < end) size = svg.substr(begin, end - begin);
    pictures += fmt::format("<g class=\"depth\" style=\"display:{}\">{}</g>\n", depth == shown ? "inline" : "none", svg);
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"" + size +
         ">\n<style>.module, .cluster { cursor: pointer }</style>\n" + pictures + "<script>\nlet at = " + std::to_string(shown) +
         ";\nconst depths = document.querySelectorAll('.depth');\n"
         "function show() {\n"
         "  depths.forEach((one, depth) => { one.style.display = depth === at ? 'inline' : 'none'; });\n"
         "  for (const size of ['width', 'height'])\n"
         "    document.documentElement.setAttribute(size, depths[at].querySelector('svg').getAttribute(size));\n"
         "}\n"
         "document.documentElement.addEventListener('click', (event) => {\n"
         "  const step = event.target.closest('.module') ? 1 : event.target.closest('.cluster') ? -1 : 0;\n"
         "  at = Math.max(0, Math.min(depths.length - 1, at + step));\n"
         "  show();\n"
         "});\n"
         "show();\n</script>\n</svg>\n";
}

void graph(const GraphOptions& options) {
  const int given = !options.expression.empty() + !options.model.empty() + !options.run.empty();
  if (given != 1) input_fail("graph", "requires exactly one of: an expression, --model FAMILY, --run RUN; got {}", given);
  if (!options.settings.empty() && options.model.empty()) input_fail("--set", "requires --model");
  if (!options.at.empty() && options.expression.empty()) input_fail("--at", "requires an expression");
  const auto dot_at = options.out.rfind('.');
  const std::string type = dot_at == std::string::npos ? "" : options.out.substr(dot_at + 1);
  const bool to_file = !options.out.empty() && options.out != "-";
  if (to_file && type != "dot" && type != "svg" && type != "png" && type != "pdf")
    input_fail("--out", "{} must end in .dot, .svg, .png or .pdf", options.out);

  const Drawn made = !options.expression.empty() ? expression_graph(options)
                     : !options.model.empty()    ? family_graph(options)
                                                 : run_graph(options);
  if (!to_file)
    fmt::print("{}", made.at_depth);
  else if (type == "dot")
    write_file_atomically(options.out, made.at_depth);
  else if (type == "svg" && made.depths.size() > 1)
    write_file_atomically(options.out, svg_of_depths(made));
  else
    write_file_atomically(options.out, output_of("graph", {"dot", "-T" + type, "-Gsize=16,10"}, made.at_depth, "graphviz"));
}

}  // namespace

void add_graph(CLI::App* command) {
  const auto options = std::make_shared<GraphOptions>();
  command->add_option("EXPR", options->expression, "a function of complex numbers, such as \"abs(z)^2\"")->type_name("");
  command->add_option("--at", options->at, "the point, one number per variable (1+2i)")->type_name("Z,...");
  command->add_option("--model", options->model, "a small model of this family")->type_name("FAMILY");
  command->add_option("--set", options->settings, "override keys of the configuration")->delimiter(',')->type_name("KEY=VALUE,...");
  command->add_option("--run", options->run, "the model in a run's folder or checkpoint")->type_name("RUN");
  command->add_option("--depth", options->depth, "how many levels of modules to expand; chosen for readability by default")
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("INT");
  command->add_flag("--gradients", options->gradients, "run the backward pass and label every gradient with its norm");
  command->add_option("--out", options->out, "file.dot, or file.svg, .png or .pdf by Graphviz; standard output by default")
      ->type_name("FILE");
  add_threads(*command);
  command->footer(
      "Boxes are ops with their output shapes, violet for complex (ℂ) and blue for real (ℝ) numbers; ellipses are variables and\n"
      "parameters, slanted boxes token ids. Dashed arrows carry no gradient. Modules are frames; a collapsed module is one box\n"
      "with its numbers of ops and parameters, violet if some ops are complex. In an SVG of a model, click a module to expand all\n"
      "at its depth, and a frame to collapse them. A model is drawn for a batch of two windows of 8 random tokens. The ops of an\n"
      "expression f are v1, v2, ... as in argand lab --tape. With --gradients every edge shows what its op contributes, and a\n"
      "node how many contributions it adds up; the gradient, dL/dx + i dL/dy, is that of L = f where f is real and of L = Re f\n"
      "otherwise. A thick red border marks infinite or NaN values.\n"
      "The output is in the DOT language; all formats but .dot need Graphviz (apt-get install graphviz).\n"
      "\n"
      "Examples:\n"
      "  argand graph \"f(z) = abs(z)^2 * exp(i*angle(z))\" --at 1+2i --gradients --out f.svg\n"
      "  argand graph --model complexformer --out complexformer.svg\n"
      "  argand graph --model crat --set irw_layers=[1],n_layers=2 --depth 2 --out crat.pdf\n"
      "  argand graph --run runs/first --gradients --out first.png");
  command->callback([options] { graph(*options); });
}

}  // namespace argand
