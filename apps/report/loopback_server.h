#pragma once
/// A server of a few pages, only for browsers on this machine.

#include <cstdint>
#include <functional>
#include <string>

namespace argand {

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
};

/// Listens on 127.0.0.1, which other machines cannot reach, until SIGINT or SIGTERM. `port`: 0 for any free port; `ready(port)` is
/// called as soon as it listens. `answer(target)` answers a GET of that path and query; an Error that it throws becomes a 500 with
/// its text. Requests that name another host are refused, so that a page from elsewhere cannot read along under a name that it
/// points here. Throws Error when it cannot listen.
void serve_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t)>& ready,
                       const std::function<Answer(const std::string& target)>& answer);

}  // namespace argand
