#pragma once
/// A server of a few pages for the browsers of this machine alone.

#include <cstdint>
#include <functional>
#include <string>

namespace argand {

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
};

/// Listens on 127.0.0.1, which other machines cannot reach, until SIGINT or SIGTERM comes. `port`: 0 for any that is free;
/// `ready(port)` is called as soon as it listens. `answer(target)` answers a GET of that path and query; an Error that it throws is
/// answered as 500 with its text. Requests that name another host are refused, so that no page from elsewhere can read along under
/// a name that it points here. Throws Error when it cannot listen.
void serve_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t)>& ready,
                       const std::function<Answer(const std::string& target)>& answer);

}  // namespace argand
