#include "apps/jsonl.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace argand {
namespace {

/// Bytes of the leading lines that are whole and not past the step.
off_t bytes_up_to(const std::string& path, std::int64_t last_step) {
  std::ifstream file(path);
  off_t kept = 0;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) break;
    if (json["step"].get<std::int64_t>() > last_step) break;
    kept += static_cast<off_t>(line.size()) + 1;
  }
  return kept;
}

}  // namespace

JsonLines::JsonLines(const std::string& path, std::int64_t last_step) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  require(descriptor_ >= 0, "log", "cannot open {}: {}", path, std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    fail("log", "{} is in use: another process is training in that folder", path);
  }
  if (::ftruncate(descriptor_, bytes_up_to(path, last_step)) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    fail("log", "cannot shorten {}: {}", path, std::strerror(reason));
  }
}

JsonLines::~JsonLines() { ::close(descriptor_); }

void JsonLines::write(const nlohmann::ordered_json& line) {
  const std::string text = line.dump() + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    require(n > 0, "log", "cannot write to {}: {}", path_, std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
}

void JsonLines::sync() { require(::fsync(descriptor_) == 0, "log", "cannot write to {}: {}", path_, std::strerror(errno)); }

}  // namespace argand
