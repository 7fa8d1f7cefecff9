#include "train/checkpoints/jsonl.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "core/machine/json.h"
#include "data/files/text_file.h"

namespace argand {
namespace {

struct Kept {
  off_t bytes = 0;
  std::int64_t damaged = 0;  ///< damaged lines within these bytes
};

/// The length of the file up to its last line whose step is <= last_step, including any damaged lines right after it, which may
/// belong to the same step.
Kept lines_up_to(const std::string& path, std::int64_t last_step) {
  Kept kept;
  if (last_step < 0) return kept;
  std::int64_t odd = 0;    // lines so far that are damaged or beyond last_step
  bool past_seen = false;  // since the last line whose step is <= last_step
  for_each_line(path, [&](const nlohmann::ordered_json& line, std::int64_t end) {
    const bool whole = !line.is_null(), good = whole && line["step"].get<std::int64_t>() <= last_step;
    if (!good) ++odd;
    past_seen = !good && (past_seen || whole);
    if (!past_seen) kept = {static_cast<off_t>(end), odd};
  });
  return kept;
}

}  // namespace

void for_each_line(const std::string& path, const std::function<void(nlohmann::ordered_json line, std::int64_t end)>& f) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t end = 0;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    end += static_cast<std::int64_t>(line.size()) + 1;
    auto json = try_parse_json(line);
    const bool whole = json.is_object() && json.contains("step") && json["step"].is_number_integer();
    f(whole ? std::move(json) : nlohmann::ordered_json(), end);
  }
}

JsonLines::JsonLines(const std::string& path, std::int64_t last_step) : path_(path) {
  require_name("log", path);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  require(descriptor_ >= 0, "log", "cannot open {}: {}", path, std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    fail("log", "{} is in use: another process is training in its folder", path);
  }
  const Kept kept = lines_up_to(path, last_step);
  damaged_ = kept.damaged;
  if (::ftruncate(descriptor_, kept.bytes) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    fail("log", "cannot truncate {}: {}", path, std::strerror(reason));
  }
}

JsonLines::~JsonLines() { ::close(descriptor_); }

void JsonLines::write(const nlohmann::ordered_json& line) {
  // Text written by a model may not be valid UTF-8; invalid bytes become U+FFFD.
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    require(n > 0, "log", "cannot write to {}: {}", path_, std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
}

void JsonLines::sync() { require(::fsync(descriptor_) == 0, "log", "cannot write to {}: {}", path_, std::strerror(errno)); }

}  // namespace argand
