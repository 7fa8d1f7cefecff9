#pragma once
/// An HTTP server for browsers on this machine only.

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
/// called once the server listens. `answer(target)` answers a GET request for this path and query; if it throws an Error, the
/// response is a 500 with the error's text. Requests for another host name are refused, so that no foreign page can read the
/// answers through a name that resolves to this address. Throws Error if it cannot listen.
void serve_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t)>& ready,
                       const std::function<Answer(const std::string& target)>& answer);

}  // namespace argand
