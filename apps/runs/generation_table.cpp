#include "apps/runs/generation_table.h"

#include <cmath>
#include <utility>

#include "apps/terminal/counter.h"

namespace argand {

nlohmann::ordered_json eval_texts(const TrainedRun& trained, const Ids& part, const GenerationEvalOptions& options) {
  Counter counter("writing", options.tokens);
  nlohmann::ordered_json found = eval_generation(trained, part, options, [&](std::int64_t done) { counter.update(done); });
  counter.clear();
  fmt::print("{} texts of {} {} after prompts of {}, nucleus {}, temperature {}, seed {}\n\n", options.prompts, options.tokens,
             plural_of(trained.tokens->kind()), options.prompt_length, options.sampling.top_p, options.sampling.temperature,
             options.sampling.seed);
  fmt::print("{:<22}{:>12}{:>15}{:>9}{:>9}{:>9}\n", "", "perplexity", "bits per byte", "Dist-1", "Dist-2", "Rep-4");
  for (const auto& [name, key] : {std::pair("the model's text", "model"), std::pair("the corpus's own text", "corpus")}) {
    const nlohmann::ordered_json& row = found[key];
    const auto number = [&](const char* figure) { return row[figure].get<double>(); };
    const bool judged = row.contains("loss");
    fmt::print("{:<22}{:>12}{:>15}{:>9.4f}{:>9.4f}{:>9.4f}\n", name, judged ? fmt::format("{:.2f}", std::exp(number("loss"))) : "-",
               judged ? fmt::format("{:.3f}", number("bits_per_byte")) : "-", number("dist_1"), number("dist_2"), number("rep_4"));
  }
  if (found.contains("judge"))
    fmt::print("\nperplexity and bits per byte under {}\n", found["judge"].get<std::string>());
  else
    fmt::print("\n--judge RUN measures the perplexity under another model\n");
  return found;
}

}  // namespace argand
