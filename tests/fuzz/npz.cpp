/// Fuzzes NumPy archives: if one opens, each of its arrays is either refused or unchanged by writing and rereading.

#include "data/files/npz.h"

#include <algorithm>

#include "data/files/npy_header.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

namespace {

/// Whether two tensors have the same shape and the same bits: NaN equals NaN, and 0 differs from -0.
template <class X>
bool equal_numbers(const X& x, const X& y) {
  const auto bytes = [](const X& t) { return std::string_view(reinterpret_cast<const char*>(t.data()), t.span().size_bytes()); };
  return x.shape() == y.shape() && bytes(x) == bytes(y);
}

/// Calls f with the array in its stored type (float16 as float32). Returns false if no tensor has this type, or if ids do not fit.
template <class F>
bool visit_array(const NpzFile& file, const std::string& name, const F& f) {
  const std::string& descr = file.info(name).descr;
  return accepts([&] {
    if (descr == "<i4" || descr == "<i8")
      f(file.ids(name));
    else if (descr == "<c8")
      f(file.tensor<std::complex<float>>(name));
    else if (descr == "<c16")
      f(file.tensor<std::complex<double>>(name));
    else if (descr == "<f8")
      f(file.tensor<double>(name));
    else
      f(file.tensor<float>(name));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile given, again;
  given.contents(text_of(data, size));
  accepts([&] {  // the bytes are also parsed as a header, because mutations seldom reach the headers inside an archive
    const std::string bytes = npy_header("<f4", parse_npy_header(text_of(data, size), "it").shape);
    expect(parse_npy_header(bytes, "it").bytes == bytes.size(), "a written header is read back unchanged");
  });
  accepts([] {
    const NpzFile file = NpzFile::open(given.path());
    NpzWriter writer;
    std::vector<std::string> written;
    for (const std::string& name : file.names())
      visit_array(file, name, [&](const auto& x) {
        writer.add(name, x);
        written.push_back(name);
      });
    if (written.empty()) return;
    again.contents(writer.bytes());
    const NpzFile read = NpzFile::open(again.path());
    expect(read.names() == written, "rereading gives the same names");
    for (const std::string& name : written)
      visit_array(file, name, [&]<class X>(const X& x) {
        if constexpr (std::same_as<X, Ids>)
          expect(equal_numbers(x, read.ids(name)), "written ids are read back unchanged");
        else
          expect(equal_numbers(x, read.tensor<typename X::value_type>(name)), "a written array is read back unchanged");
      });
  });
  return 0;
}
