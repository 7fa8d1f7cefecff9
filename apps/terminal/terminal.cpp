#include "apps/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace argand {

bool is_terminal(std::FILE* file) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return false;
  const char* term = std::getenv("TERM");
  return isatty(fileno(file)) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

int terminal_width(std::FILE* file) {
  winsize size{};
  return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
}

Style style_for(std::FILE* file) { return Style(is_terminal(file) && std::getenv("NO_COLOR") == nullptr); }

std::string with_unit(double n) {
  const char* unit = "";
  for (const char* larger : {" k", " M", " G"}) {
    if (std::abs(n) < 999.5) break;
    n /= 1000;
    unit = larger;
  }
  if (*unit == '\0' && n == std::floor(n)) return fmt::format("{:.0f}", n);
  return fmt::format("{:.{}f}{}", n, std::abs(n) < 9.995 ? 2 : std::abs(n) < 99.95 ? 1 : 0, unit);
}

std::string clock_time(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60) : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace argand
