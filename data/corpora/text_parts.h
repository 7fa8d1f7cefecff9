#pragma once
/// Somebody's own text, from files: parts to train, validate and test on, which are there or are cut.

#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// How a text that comes in one piece is divided, in percent.
struct Split {
  double train = 90, valid = 5, test = 5;
};
/// "90/5/5", or "90/10" for a text without a part to test on. Throws Error for anything else, and for parts that do not add up to
/// 100 or leave nothing to train or to validate on.
Split parse_split(std::string_view text);

/// Which files a text is in. What is to be cut off the text to train on has none.
struct TextFiles {
  std::vector<std::string> train, valid, test;

  bool in_parts() const { return !valid.empty() || !test.empty(); }
  bool in_all_parts() const { return !valid.empty() && !test.empty(); }
};

/// What `data` names: itself, where there is such a file or folder, or the files between its commas, whose names may have commas of
/// their own.
std::vector<std::string> text_names(const std::string& data);

/// `data` is a file, or several with commas between them, or a folder: with train.txt, and valid.txt and test.txt as far as they
/// are there; the same named wiki.train.tokens and so on; or, where there is neither, with any *.txt, in the order of their names.
/// Throws Error, naming what is missing.
TextFiles find_text(const std::string& data);

/// The files one after the other. Throws Error as clean_text() does.
std::string read_text(const std::vector<std::string>& files);

/// The text with "\n" for "\r\n", without a byte order mark, and with a line end at its end. Throws Error, naming `name` and the
/// line, for zero bytes and what is not UTF-8, with the command that repairs it, and for a text that is empty.
std::string clean_text(std::string text, const std::string& name);

struct TextParts {
  std::string train, valid, test;
};

/// A text is cut at the end of the line where its share is reached; in a line longer than a hundredth of the text, at the next
/// blank; in a text without blanks, after any character.
TextParts cut(const std::string& text, const Split& split);

/// The parts as they are in the files; those that are not are cut off the text to train on, whose end they are. Without files to
/// test on, but with some to validate on, there is nothing to test on.
TextParts read_parts(const TextFiles& files, const Split& split);

/// One line about it: "input.txt, cut 90/5/5: 1003854 bytes to train on, ...".
std::string description(const TextFiles& files, const Split& split, const TextParts& parts);

}  // namespace argand
