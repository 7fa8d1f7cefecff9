#include "train/generation/generation.h"

#include <fmt/format.h>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "autograd/tape.h"
#include "core/machine/threads.h"
#include "nn/families/crat/config.h"
#include "nn/family.h"
#include "tests/apps/program.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(generation)

namespace {

std::unique_ptr<Model<double>> small_model(const std::string& family) {
  ModelConfig config = ModelConfig::defaults(family);
  config.vocab_size = 11;
  config.max_seq_len = 8;
  config.n_layers = 2;
  config.d_model = 16;
  config.n_heads = 2;
  config.d_ff = 24;
  return make_model<double>(config, 3);
}

/// The likeliest token after the text, found by a forward pass over the whole text.
std::int32_t likeliest(Model<double>& model, const std::vector<std::int32_t>& text) {
  const NoGrad none;
  const auto T = static_cast<std::int64_t>(text.size());
  const Tensor<double> logits = model.logits(Ids({1, T}, text)).value();
  const double* last = logits.data() + (T - 1) * 11;
  return static_cast<std::int32_t>(std::max_element(last, last + 11) - last);
}

}  // namespace

BOOST_AUTO_TEST_CASE(greedy_text_matches_full_forward_passes) {
  for (const char* family : {"transformer", "complexformer", "crope"}) {
    const auto model = small_model(family);
    std::vector<std::int32_t> text = {1, 5, 2}, expected = text, window = text;
    generate<double>(*model, Ids({1, 3}, text), 20, {.temperature = 0},
                     [&](std::span<const std::int32_t> next) { text.push_back(next[0]); });
    for (int i = 0; i < 20; ++i) {
      const std::int32_t next = likeliest(*model, window);
      // The window of 8 is full: its last 3 tokens and the new one are kept.
      if (window.size() == 8) window.erase(window.begin(), window.begin() + 5);
      window.push_back(next);
      expected.push_back(next);
    }
    BOOST_TEST(text == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(only_the_end_of_a_long_prompt_counts) {
  const auto model = small_model("complexformer");
  std::vector<std::int32_t> prompt(30);
  for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<std::int32_t>(i % 11);
  std::int32_t first = -1;
  generate<double>(*model, Ids({1, 30}, prompt), 1, {.temperature = 0},
                   [&](std::span<const std::int32_t> next) { first = next[0]; });
  BOOST_TEST(first == likeliest(*model, std::vector<std::int32_t>(prompt.end() - 8, prompt.end())));
}

BOOST_AUTO_TEST_CASE(texts_of_a_batch_do_not_see_each_other) {
  const auto model = small_model("complexformer");
  const SamplingOptions greedy{.temperature = 0};
  std::vector<std::int32_t> together[2], alone[2];
  generate<double>(*model, Ids({2, 2}, {1, 5, 7, 3}), 12, greedy,
                   [&](std::span<const std::int32_t> next) { together[0].push_back(next[0]), together[1].push_back(next[1]); });
  for (int b : {0, 1})
    generate<double>(*model, b == 0 ? Ids({1, 2}, {1, 5}) : Ids({1, 2}, {7, 3}), 12, greedy,
                     [&](std::span<const std::int32_t> next) { alone[b].push_back(next[0]); });
  BOOST_TEST(together[0] == alone[0], boost::test_tools::per_element());
  BOOST_TEST(together[1] == alone[1], boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(empty_prompts_are_refused_and_zero_tokens_generate_nothing) {
  const auto model = small_model("transformer");
  BOOST_TEST(error_of([&] {
               generate<double>(*model, Ids(Shape{1, 0}), 1, {}, [](std::span<const std::int32_t>) {});
             }) == "generate: the prompt is empty; give at least one token");
  bool called = false;
  generate<double>(*model, Ids({1, 1}, {1}), 0, {}, [&](std::span<const std::int32_t>) { called = true; });
  BOOST_TEST(!called);
}

BOOST_AUTO_TEST_CASE(several_prompts_are_continued_as_each_alone) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", command = "generate " + run + " --tokens 6 --temperature 0 --threads 1";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 6 --tokens char --out " + run + tiny).code == 0);
  // Prompts of equal length share a batch, together with their samples.
  std::vector<std::string> alone;
  for (const char* prompt : {"the", "that", "cat"}) alone.push_back(run_argand(scratch, command + " --prompt " + prompt).out);
  const Finished together = run_argand(scratch, command + " --prompt the --prompt that --prompt cat --samples 2");
  BOOST_TEST(together.code == 0);
  std::string expected;
  for (std::size_t i = 0; i < 6; ++i) expected += "--- " + std::to_string(i + 1) + " of 6\n" + alone[i / 2];
  BOOST_TEST(together.out == expected);
  const Finished drawn = run_argand(scratch, "generate " + run + " --tokens 12 --prompt the --samples 2 --threads 1");
  const std::size_t second = drawn.out.find("--- 2 of 2\n");
  BOOST_TEST(drawn.out.substr(11, second - 11) != drawn.out.substr(second + 11));
  BOOST_TEST(run_argand(scratch, command + " --prompt - --prompt -").err ==
             "argand: --prompt: standard input can be read only once; - is given twice\n");
}

BOOST_AUTO_TEST_CASE(texts_end_before_the_stop_text_and_say_so_in_json) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", command = "generate " + run + " --temperature 0 --threads 1 --prompt the ";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 6 --tokens char --out " + run + tiny).code == 0);
  const auto json = [&](const std::string& more) {
    const Finished done = run_argand(scratch, command + "--json " + more);
    BOOST_TEST_REQUIRE(done.code == 0, done.err);
    BOOST_TEST(std::count(done.out.begin(), done.out.end(), '\n') == 1);
    return nlohmann::json::parse(done.out);
  };
  const nlohmann::json whole = json("--tokens 40");
  const std::string text = whole["text"];
  BOOST_TEST(run_argand(scratch, command + "--tokens 40").out == "the" + text + "\n");
  BOOST_TEST(whole["prompt"] == "the");
  BOOST_TEST(whole["tokens"] == 40);
  BOOST_TEST(whole["ended_by"] == "length");
  BOOST_TEST(text.size() == 40U);
  const auto pair = std::adjacent_find(text.begin() + 10, text.end(), [](char a, char b) { return a > ' ' && b > ' '; });
  BOOST_TEST_REQUIRE((pair != text.end()), text);  // the runner splits options at spaces, so the text must not contain any
  const std::string stop(pair, pair + 2), before = text.substr(0, text.find(stop));
  const nlohmann::json ended = json("--tokens 40 --stop " + stop);
  BOOST_TEST(ended["text"] == before);
  BOOST_TEST(ended["ended_by"] == "stop");
  BOOST_TEST(run_argand(scratch, command + "--tokens 40 --stop " + stop).out == "the" + before + "\n");
}

BOOST_AUTO_TEST_CASE(every_line_of_standard_input_is_a_prompt_of_a_conversation) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", command = "generate " + run + " --tokens 6 --temperature 0 --threads 1 ";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 6 --tokens char --out " + run + tiny).code == 0);
  const std::string lines = scratch.file("lines", "the\n\n  \ncat");
  const auto input = [&] { dup2(open(lines.c_str(), O_RDONLY), 0); };
  const Finished done = run_argand(scratch, command + "--interactive", input);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out == run_argand(scratch, command + "--prompt the").out + run_argand(scratch, command + "--prompt cat").out);
  BOOST_TEST(done.err == "");  // the hint about prompts is for terminals only
  const Finished json = run_argand(scratch, command + "--interactive --json", input);
  BOOST_TEST(std::count(json.out.begin(), json.out.end(), '\n') == 2);
  BOOST_TEST(run_argand(scratch, command + "--interactive --prompt the").err ==
             "argand: --interactive: reads the prompts from standard input; drop --prompt\n");
}

BOOST_AUTO_TEST_CASE(rounded_weights_move_the_logits_of_every_family_by_no_more_than_they_should) {
  for (const char* family : {"transformer", "complexformer", "crope", "crat"}) {
    ModelConfig config = ModelConfig::defaults(family);
    config.vocab_size = 300, config.max_seq_len = 8, config.n_layers = 2, config.d_model = 32, config.n_heads = 2, config.d_ff = 48;
    if (config.family().name == "crat") config.own<CratConfig>().irw_layers.clear();
    const auto model = make_model<float>(config, 3);
    const auto logits = [&](std::int64_t batch) {
      const auto cache = model->make_cache(batch);
      return model->next_logits(Ids({batch, 3}, std::vector<std::int32_t>(static_cast<std::size_t>(3 * batch), 7)), *cache);
    };
    const Tensor<float> exact = logits(6);  // 18 rows; 15 and 3 are few
    float largest = 0;
    for (const float x : exact) largest = std::max(largest, std::abs(x));
    for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8}) {
      const auto copies = quantized<float>(*model, format);
      BOOST_TEST(copies->numbers() == 0);  // copies are made when they are read
      const Tensor<float> alone = logits(1);
      // The transformer's products all read copies. OpenBLAS computes complex ones of few rows; bits may depend on their number.
      const float apart = family == std::string_view("transformer") ? 0 : 1e-5F * largest;
      BOOST_TEST(copies->bytes_saved() > 0);
      for (const std::int64_t batch : {5, 6}) {
        const Tensor<float> rounded = logits(batch);
        float difference = 0;
        for (std::int64_t i = 0; i < rounded.size(); ++i)
          difference = std::max(difference, std::abs(rounded.data()[i] - exact.data()[i]));
        BOOST_TEST((difference > 0 && difference < 0.05F * largest), family << ": " << difference << " of " << largest);
        for (std::int64_t i = 0; i < alone.size() && batch == 5; ++i)
          BOOST_TEST(std::abs(alone.data()[i] - rounded.data()[i]) <= apart, family);
        for (const int n : {1, 3}) {
          const threads::Limit limit(n);
          const Tensor<float> again = logits(batch);
          BOOST_TEST(std::equal(again.begin(), again.end(), rounded.begin()), family << ", " << n << " threads");
        }
      }
      Tensor<float> elsewhere;
      std::thread([&] { elsewhere = logits(6); }).join();  // copies belong to one thread
      BOOST_TEST(std::equal(elsewhere.begin(), elsewhere.end(), exact.begin()));
    }
    const Tensor<float> after = logits(6);
    BOOST_TEST(std::equal(exact.begin(), exact.end(), after.begin()));
  }
  BOOST_TEST(error_of([] { quantized<double>(*small_model("transformer"), WeightFormat::int8); }) ==
             "weights: the model computes with float64; its weights can be read as bf16 or int8 only if `precision` is float32");
  BOOST_TEST(quantized<double>(*small_model("transformer"), WeightFormat::f32)->bytes_saved() == 0);
}

BOOST_AUTO_TEST_CASE(commands_read_rounded_weights) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 6 --tokens char --out " + run + tiny).code == 0);
  const auto loss = [&](const std::string& weights, const std::string& more = "") {
    const Finished done = run_argand(scratch, "eval " + run + " --json - --weights " + weights + more);
    BOOST_TEST_REQUIRE(done.code == 0, done.err);
    return nlohmann::json::parse(done.out.substr(done.out.find("{\n")));
  };
  const nlohmann::json exact = loss("f32"), rounded = loss("int8");
  BOOST_TEST(!exact.contains("weights"));
  BOOST_TEST(rounded["weights"] == "int8");
  BOOST_TEST(exact["rounded_parameters"] == 0);
  BOOST_TEST(rounded["rounded_parameters"].get<std::int64_t>() > 0);
  const double difference = rounded["loss"].get<double>() - exact["loss"].get<double>();
  BOOST_TEST(difference != 0);
  BOOST_TEST(std::abs(difference) < 0.02);
  BOOST_TEST(run_argand(scratch, "generate " + run + " --tokens 6 --weights bf16 --prompt the").code == 0);
  const std::string times = run_argand(scratch, "eval " + run + " --latency --weights int8").out;
  BOOST_TEST(times.find(fmt::format(", with int8 weights ({} parameters) takes ",
                                    rounded["rounded_parameters"].get<std::int64_t>())) != std::string::npos);
  BOOST_TEST(run_argand(scratch, "generate " + run + " --weights int4 --prompt the").code == 2);
  BOOST_TEST(run_argand(scratch, "eval " + run + " --generate --weights int8").err ==
             "argand: --weights: cannot be combined with --generate, which writes texts and scores every token of them\n");
}

BOOST_AUTO_TEST_SUITE_END()
