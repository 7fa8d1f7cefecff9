#pragma once

#include <string>

namespace argand {

/// Emphasises text with terminal colours, or leaves it plain.
class Style {
 public:
  explicit Style(bool coloured = false) : coloured_(coloured) {}
  bool coloured() const { return coloured_; }
  std::string bold(const std::string& text) const { return wrapped_in("1", text); }
  std::string dim(const std::string& text) const { return wrapped_in("2", text); }
  std::string red(const std::string& text) const { return wrapped_in("31", text); }
  std::string green(const std::string& text) const { return wrapped_in("32", text); }
  std::string cyan(const std::string& text) const { return wrapped_in("36", text); }

 private:
  std::string wrapped_in(const std::string& code, const std::string& text) const {
    return coloured_ ? "\x1b[" + code + "m" + text + "\x1b[0m" : text;
  }
  bool coloured_;
};

}  // namespace argand
