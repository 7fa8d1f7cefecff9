"""Checks the C++ API reference: what it extracts from a header, and that it covers every class of the library.

  reference_test.py SOURCE_DIR
"""
import os
import re
import sys

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "web"))
import reference  # noqa: E402

HEADER = '''
namespace argand {

class Forward;

namespace detail {
struct Hidden { int x; };
}  // namespace detail

/// Doubles x. Throws for {braces.
template <class T>
T twice(const T& x, const char* brace = "}") {
  if (x) { return 2 * x; }
  return x;
}
/// Three ways.
enum class Way { Left, Right };
inline constexpr int limit = 3;  ///< of all

/// A box.
class Box final : public Module<int> {
 public:
  /// Of one size.
  explicit Box(int size) : size_(size) { fill(size); }
  int size() const { return size_; }
  int open = 0;  ///< how far
  ARGAND_FIELDS(int, open)

  /// On top.
  struct Lid {
    int weight = 1;  ///< in grams
   private:
    int secret;
  };

 private:
  /// Not documented.
  int size_;
};
template class Vector<int>;

}  // namespace argand
'''
EXPECTED = '''Doubles x. Throws for {braces.
    template <class T>
    T twice(const T& x, const char* brace = "}");
Three ways.
    enum class Way { Left, Right };
    inline constexpr int limit = 3;  // of all
A box.
    class Box final : public Module<int> {
      // Of one size.
      explicit Box(int size);
      int size() const;
      int open = 0;  // how far
      // On top.
      struct Lid {
        int weight = 1;  // in grams
      };
    };
'''

failed = 0


def check(name, good, *said):
    global failed
    if not good:
        failed += 1
        print(f"{name}: FAIL", *said, sep="\n")


def shown(text):
    lines = []
    for comment, code in reference.declarations(reference.without_macros(text)):
        lines += comment + ["    " + line for line in code.split("\n")]
    return "\n".join(lines) + "\n"


made = shown(HEADER)
check("a header", made == "    class Forward;\n" + EXPECTED, made)
check("a truncated header", "twice" in shown(HEADER[:HEADER.index("return x")]))

pages = reference.pages(root)
for room in reference.ROOMS:
    page = pages[f"docs/reference-{room}.md"]
    check(f"{room}: private members", "private:" not in page and "protected:" not in page)
    check(f"{room}: detail namespaces", "namespace detail" not in page)
    for path in reference.headers(root, room):
        check(f"{path} has a section", f"## {path}\n" in page)
        text = re.sub(r"namespace \w*detail \{.*?\n\}  // namespace", "", reference.read(root, path), flags=re.S)
        for name in re.findall(r"^(?:template <.*>\n)?(?:class|struct) (\w+)[^;(]*\{", text, re.M):
            check(f"{path}: {name}", re.search(rf"(?:class|struct) {name}\b", page))
print(f"{sum(page.count('```cpp') for page in pages.values())} groups of declarations, {failed} checks failed")
sys.exit(failed > 0)
