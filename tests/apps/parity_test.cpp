#include <algorithm>

#include "data/files/safetensors.h"
#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(parity)

namespace {

const std::string golden = ARGAND_GOLDEN_DIR;

/// Copies a case of real tensors. `change` is called with each name and tensor and may write to it; if it returns false, the
/// tensor is dropped.
void copy_case(const std::string& from, const std::string& to,
               const std::function<bool(const std::string&, Tensor<double>&)>& change) {
  const auto file = SafetensorsFile::open(from);
  SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata())
    if (key != "complex") writer.metadata(key, value);
  for (const std::string& name : file.names()) {
    if (file.dtype(name).starts_with('I')) {
      writer.add(name, file.ids(name));
      continue;
    }
    Tensor<double> x = file.tensor<double>(name);
    if (change(name, x)) writer.add(name, x);
  }
  writer.save(to);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_golden_case_in_both_precisions) {
  const TemporaryDirectory scratch;
  std::string cases;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden))
    if (entry.path().extension() == ".safetensors") {
      cases.append(" ").append(entry.path().string());
      ++count;
    }
  BOOST_TEST(count >= 28u);
  for (const char* precision : {"", " --float32"}) {
    const Finished finished = run_argand(scratch, "parity --quiet" + cases + precision);
    BOOST_TEST(finished.code == 0);
    BOOST_TEST(finished.out.find("MISS") == std::string::npos, finished.out);
    BOOST_TEST(finished.out.ends_with(std::to_string(count) + " cases, 0 missed\n"));
  }
}

BOOST_AUTO_TEST_CASE(every_kind_of_mismatch_is_found) {
  const TemporaryDirectory scratch;
  const std::string good = golden + "/transformer-rope-adamw.safetensors", bad = scratch / "bad.safetensors";
  const auto misses = [&](const std::function<bool(const std::string&, Tensor<double>&)>& change, const std::string& says) {
    copy_case(good, bad, change);
    const Finished finished = run_argand(scratch, "parity --quiet " + bad);
    BOOST_TEST(finished.code == 1);
    BOOST_TEST(finished.out.find(std::string("MISS  ").append(says)) != std::string::npos, finished.out);
  };
  const auto off = [](const std::string& wanted, double by) {
    return [=](const std::string& name, Tensor<double>& x) {
      if (name == wanted)
        *std::max_element(x.begin(), x.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) *= 1 + by;
      return true;
    };
  };
  misses(off("expect.loss", 1e-8), "expect.loss ");
  misses(off("expect.logits", 1e-8), "expect.logits ");
  misses(off("expect.grad.blocks.1.attn.q.weight", -1e-8), "expect.grad.blocks.1.attn.q.weight ");
  misses(off("expect.after.norm.weight", 1e-6), "expect.after.norm.weight ");
  misses(off("param.norm.weight", 1e-6), "expect.logits ");
  misses([](const std::string& name, Tensor<double>&) { return name != "param.norm.weight"; }, "param.norm.weight");
  misses([](const std::string& name, Tensor<double>&) { return name != "expect.grad.norm.weight"; }, "expect.grad.norm.weight");
  misses(
      [](const std::string& name, Tensor<double>& x) {
        if (name == "expect.grad.norm.weight") x = x.reshape({-1, 1});
        return true;
      },
      "expect.grad.norm.weight                      real [16, 1], ours real [16]");
  misses(
      [](const std::string& name, Tensor<double>& x) {
        if (name == "expect.loss") x(0) = std::numeric_limits<double>::quiet_NaN();
        return true;
      },
      "expect.loss ");
  // An extra tensor that our model does not have, once as a parameter and once as an expected gradient.
  const auto file = SafetensorsFile::open(good);
  for (const char* extra : {"param.blocks.0.attn.delta", "expect.grad.blocks.0.attn.delta"}) {
    SafetensorsWriter writer;
    for (const auto& [key, value] : file.metadata())
      if (key != "complex") writer.metadata(key, value);
    for (const std::string& name : file.names())
      file.dtype(name).starts_with('I') ? writer.add(name, file.ids(name)) : writer.add(name, file.tensor<double>(name));
    writer.add(extra, Tensor<double>::ones({2}));
    writer.save(bad);
    const Finished finished = run_argand(scratch, "parity --quiet " + bad);
    BOOST_TEST(finished.code == 1);
    BOOST_TEST(finished.out.find(std::string("MISS  ") + extra) != std::string::npos, finished.out);
  }
  const Finished noise = run_argand(scratch, "parity " + scratch.file("noise.safetensors", "noise"));
  BOOST_TEST(noise.code == 1);
  BOOST_TEST(noise.out.find("MISS  safetensors: ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
