/// Fuzzes safetensors files: one that opens can be read completely and is unchanged by writing and rereading.

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <filesystem>

#include "data/files/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "train/checkpoints/checkpoint.h"

using namespace argand;

namespace {

/// Whether two tensors have the same bits: NaN equals NaN, and 0 differs from -0.
template <Scalar T>
bool equal(const Tensor<T>& x, const Tensor<T>& y) {
  return x.shape() == y.shape() &&
         std::equal(reinterpret_cast<const char*>(x.data()), reinterpret_cast<const char*>(x.data() + x.size()),
                    reinterpret_cast<const char*>(y.data()));
}

/// Calls f with the tensor in its stored type. Returns false if no tensor has this type, or if ids do not fit.
template <class F>
bool visit_stored(const SafetensorsFile& file, const std::string& name, const F& f) {
  const StoredTensor& t = file.info(name);
  return accepts([&] {
    if (t.dtype == "I32" || t.dtype == "I64")
      f(file.ids(name));
    else if (t.dtype == "C64")
      f(file.tensor<std::complex<float>>(name));
    else if (t.is_complex)
      f(file.tensor<std::complex<double>>(name));
    else
      f(file.tensor<double>(name));
  });
}

/// A temporary folder, in memory if possible, for files that need a name.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string();
    name += "/argand-fuzz-XXXXXX";
    expect(mkdtemp(name.data()) != nullptr, "mkdtemp");
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile given;
  static const Folder folder;
  static const std::string again = folder.path / "again";
  given.contents(text_of(data, size));
  accepts([] { Checkpoint(given.path()); });
  accepts([] {
    const SafetensorsFile file = SafetensorsFile::open(given.path());
    SafetensorsWriter writer;
    for (const std::string& name : file.names()) visit_stored(file, name, [&](const auto& x) { writer.add(name, x); });
    for (const auto& [key, value] : file.metadata())
      if (key != "complex") writer.metadata(key, value);
    writer.save(again);
    const SafetensorsFile read = SafetensorsFile::open(again);
    expect(read.has_checksum(), "a written file has a checksum");
    for (const std::string& name : read.names())
      visit_stored(file, name, [&]<class X>(const X& x) {
        if constexpr (std::same_as<X, Ids>)
          expect(std::ranges::equal(x.span(), read.ids(name).span()), "written ids are read back unchanged");
        else
          expect(equal(x, read.tensor<typename X::value_type>(name)), "a written tensor is read back unchanged");
      });
  });
  return 0;
}
