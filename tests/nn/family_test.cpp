#include "nn/family.h"

#include <boost/test/unit_test.hpp>

#include "nn/decoder_config.h"
#include "nn/families/crope/config.h"
#include "nn/families/qic/config.h"
#include "nn/model.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(family)

namespace {

/// Sets one key from text, as file readers do.
void set_word(ModelConfig& config, const std::string& wanted, const std::string& text) {
  config.visit([&](const std::string& key, auto& value, const std::string&, const std::string&) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, std::string>)
      if (key == wanted) value = text;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_configuration_is_a_value) {
  const ModelConfig first = ModelConfig::defaults("qic");
  ModelConfig second = first, third = ModelConfig::defaults("crope");
  second.own<QicConfig>().algebra = Algebra::Complex;
  BOOST_TEST((first.own<QicConfig>().algebra == Algebra::Qic));
  third = second;
  third.own<QicConfig>().conjugate_keys = true;
  BOOST_TEST(third.family().name == "qic");
  BOOST_TEST((third.own<QicConfig>().algebra == Algebra::Complex));
  BOOST_TEST(!second.own<QicConfig>().conjugate_keys);
}

BOOST_AUTO_TEST_CASE(fields_of_other_families_are_absent) {
  const ModelConfig config = ModelConfig::defaults("crope");
  BOOST_TEST(error_of([&] { config.own<QicConfig>(); }) == "config: the family crope has a CropeConfig, not a QicConfig");
  BOOST_TEST(config.own<DecoderConfig>().rope_base == 5000);
}

BOOST_AUTO_TEST_CASE(keys_their_order_and_their_defaults_are_those_of_old_files) {
  const std::string shared = R"("max_seq_len":128,"n_layers":2,"d_model":128,"n_heads":4,"d_ff":512,"dropout":0.0,)";
  BOOST_TEST(ModelConfig::defaults("transformer").to_json() ==
             R"({"family":"transformer","task":"lm","vocab_size":0,)" + shared +
                 R"("position":"learned","rope_base":10000.0,"norm":"layernorm","ffn":"gelu","attn_bias":true,"ffn_bias":true,)"
                 R"("qk_norm":false,"tie_embeddings":true,"scale_embeddings":false,"embedding_std":0.0})");
  BOOST_TEST(
      ModelConfig().to_json() ==
      R"({"family":"complexformer","task":"lm","vocab_size":0,)" + shared +
          R"("position":"none","rope_base":10000.0,"norm":"layernorm","ffn":"gelu","attn_bias":false,"ffn_bias":true,)"
          R"("qk_norm":false,"tie_embeddings":true,"scale_embeddings":false,"embedding_std":0.0,"adaptation":"per_head","frequencies":"paper","pcl_weight":0.0,)"
          R"("pcl_temperature":0.1})");
  BOOST_TEST(ModelConfig::defaults("crope").to_json() ==
             R"({"family":"crope","task":"lm","vocab_size":0,)" + shared +
                 R"("position":"rope","rope_base":5000.0,"norm":"rmsnorm","ffn":"swiglu","attn_bias":false,"ffn_bias":false,)"
                 R"("qk_norm":true,"tie_embeddings":true,"scale_embeddings":false,"embedding_std":0.0,"mode":"all"})");
  BOOST_TEST(
      ModelConfig::defaults("crat").to_json() ==
      R"({"family":"crat","task":"lm","vocab_size":0,)" + shared +
          R"("baseline":"none","states":"complex","attention":"angular","angular_reduce":"sum","phase_offsets":true,"rotation":true,)"
          R"("irw_layers":[],"irw_dim":32,"irw_top_k":5,"irw_temperature":1.0})");
  ModelConfig qic = ModelConfig::defaults("qic");
  qic.task = TextTask::Classify;
  BOOST_TEST(qic.to_json() ==
             R"({"family":"qic","task":"classify","n_classes":4,"vocab_size":0,)" + shared +
                 R"("algebra":"qic","theta":"learned","theta_init":0.5235987755982988,"theta_spread":0.0,"magnitude":"euclidean",)"
                 R"("norm":"qic_layernorm","activation":"qic_gelu","conjugate_keys":false})");
  qic.own<QicConfig>().algebra = Algebra::Standard;
  BOOST_TEST(qic.to_json() ==
             R"({"family":"qic","task":"classify","n_classes":4,"vocab_size":0,)" + shared + R"("algebra":"standard"})");
}

BOOST_AUTO_TEST_CASE(every_word_of_every_family_is_written_and_read_back) {
  std::size_t words = 0;
  for (const Family& family : families()) {
    ModelConfig keys(family);
    keys.visit([&](const std::string& key, auto& value, const std::string& choices, const std::string&) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, std::string>)
        for (const std::string& word : split_choices(choices)) {
          ModelConfig config(family);
          set_word(config, key, word);
          const std::string json = config.to_json();
          BOOST_TEST(json.find("\"" + key + "\":\"" + word + "\"") != std::string::npos, key << " " << word);
          if (error_of([&] { config.validate(); }) == "") BOOST_TEST(ModelConfig::from_json(json).to_json() == json);
          ++words;
        }
    });
  }
  BOOST_TEST(words > 80U);
}

BOOST_AUTO_TEST_CASE(words_choose_and_unknown_ones_are_refused) {
  ModelConfig config;
  set_word(config, "family", "crope");
  set_word(config, "mode", "half_qk");
  BOOST_TEST((config.own<CropeConfig>().mode == CropeMode::HalfQk));
  BOOST_TEST(config.own<CropeConfig>().qk_norm);  // the default of the new family
  BOOST_TEST(error_of([&] { set_word(config, "mode", "half_kq"); }) ==
             "config: mode \"half_kq\" is not one of none|qk|qkv|all|half_qk|half_all; did you mean half_qk?");
  BOOST_TEST(error_of([&] { set_word(config, "task", "ml"); }) ==
             "config: task \"ml\" is not one of lm|classify; did you mean lm?");
  BOOST_TEST(error_of([&] { set_word(config, "family", "qick"); }) ==
             "config: family \"qick\" is not one of transformer|complexformer|crope|crat|qic; did you mean qic?");
  BOOST_TEST((config.own<CropeConfig>().mode == CropeMode::HalfQk));
}

BOOST_AUTO_TEST_CASE(a_window_is_what_the_programs_ask_for) {
  BOOST_TEST(ModelConfig::defaults("qic").windows().layers.empty());
  const ModelConfig config = ModelConfig::from_json(R"({"family": "crat", "irw_layers": [0, 1], "irw_top_k": 3})");
  BOOST_TEST(config.windows().layers == (std::vector<std::int64_t>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(config.windows().top_k == 3);
  BOOST_TEST(!config.windows().by_chunk);
  BOOST_TEST(ModelConfig::from_json(R"({"family": "crat", "baseline": "fid", "irw_layers": [1]})").windows().by_chunk);
}

BOOST_AUTO_TEST_CASE(renamed_keys_are_still_read) {
  const ModelConfig before = ModelConfig::from_json(R"({"family": "crat", "rival": "fid", "irw_layers": [1]})");
  BOOST_TEST(before.to_json() == ModelConfig::from_json(R"({"family": "crat", "baseline": "fid", "irw_layers": [1]})").to_json());
}

BOOST_AUTO_TEST_SUITE_END()
