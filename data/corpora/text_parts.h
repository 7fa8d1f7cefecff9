#pragma once
/// The user's text files. Validation and test parts are read from files of their own or cut from the training text.

#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// The percentages into which a single text is divided.
struct Split {
  double train = 90, valid = 5, test = 5;
};
/// Parses "90/5/5", or "90/10" for a text without a test part. Throws Error for anything else, and for parts that do not add up to
/// 100 or leave nothing to train or validate on.
Split parse_split(std::string_view text);

/// The files of a text. A part that will be cut from the training text has no files.
struct TextFiles {
  std::vector<std::string> train, valid, test;

  bool has_parts() const { return !valid.empty() || !test.empty(); }
  bool has_all_parts() const { return !valid.empty() && !test.empty(); }
};

/// The file names in `data`: `data` itself if it exists as a file or folder, otherwise a comma-separated list, whose names may
/// themselves contain commas.
std::vector<std::string> text_names(const std::string& data);

/// `data` is a file, a comma-separated list of files, or a folder that contains train.txt and optionally valid.txt and test.txt, or
/// wiki.train.tokens etc., or, failing both, any *.txt files, which are sorted by name. Throws Error, naming what is missing.
TextFiles find_text(const std::string& data);

/// Concatenates the files. Throws Error as clean_text() does.
std::string read_text(const std::vector<std::string>& files);

/// Replaces "\r\n" by "\n", removes a byte order mark and adds a missing final line break. Throws Error for an empty text, and for
/// zero bytes or invalid UTF-8, naming the file `name`, the line and a command that repairs the file.
std::string clean_text(std::string text, const std::string& name);

struct TextParts {
  std::string train, valid, test;
};

/// Cuts a text at the end of the line in which the given share ends; if that line break is more than a hundredth of the text away,
/// at the next space; failing that, after any character.
TextParts cut(const std::string& text, const Split& split);

/// Reads the parts that have files; missing ones are cut off the end of the training text. With validation files but no test files,
/// the test part is empty.
TextParts read_parts(const TextFiles& files, const Split& split);

/// A one-line description: "input.txt, cut 90/5/5: 1003854 bytes to train on, ...".
std::string description(const TextFiles& files, const Split& split, const TextParts& parts);

}  // namespace argand
