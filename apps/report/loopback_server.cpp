// Uses Boost.Beast, which Debian ships as headers only; cpp-httplib would bring OpenSSL and Brotli into the program.
#include "apps/report/loopback_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <deque>
#include <memory>

#include "core/error.h"

namespace argand {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t most_connections = 64;
// Connections idle for this long are closed; the page sends a request every two seconds.
constexpr auto patience = std::chrono::seconds(20);

/// One browser, whose requests are answered in order. The object lives while a request is in progress.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, std::uint16_t port, const std::function<Answer(const std::string&)>& answer)
      : stream_(std::move(socket)), port_(port), answer_(answer) {}

  void read() {
    request_ = {};
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, request_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error) self->write();
    });
  }

  void close() { stream_.close(); }

 private:
  bool has_local_host_header() const {
    const std::string port = ":" + std::to_string(port_);
    const auto host = request_[http::field::host];
    return host == "127.0.0.1" + port || host == "localhost" + port;
  }

  Answer answer() const {
    if (!has_local_host_header()) return {403, Answer().type, "this server answers only this machine\n"};
    if (request_.method() != http::verb::get) return {405, Answer().type, "only GET is supported\n"};
    try {
      return answer_(std::string(request_.target()));
    } catch (const std::exception& error) {
      return {500, Answer().type, std::string(error.what()) + "\n"};
    }
  }

  void write() {
    Answer answer = this->answer();
    response_ = {};
    response_.version(request_.version());
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.type);
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(answer.body);
    response_.prepare_payload();
    stream_.expires_after(patience);
    http::async_write(stream_, response_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error && self->response_.keep_alive()) self->read();
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{1 << 16};  // the page's requests have only a few hundred bytes
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  std::uint16_t port_;
  const std::function<Answer(const std::string&)>& answer_;
};

/// Accepts connections. Closes the oldest when there are too many, so idle connections cannot lock anybody out.
class Server {
 public:
  Server(tcp::acceptor& acceptor, const std::function<Answer(const std::string&)>& answer)
      : acceptor_(acceptor), answer_(answer), pause_(acceptor.get_executor()) {}

  void open() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // for example, out of descriptors: retrying at once would only spin
        close_oldest(most_connections / 2);
        pause_.expires_after(std::chrono::milliseconds(100));
        pause_.async_wait([this](const error_code& ended) {
          if (!ended) open();
        });
        return;
      }
      close_oldest(most_connections - 1);
      const auto connection = std::make_shared<Connection>(std::move(socket), acceptor_.local_endpoint().port(), answer_);
      connections_.push_back(connection);
      connection->read();
      open();
    });
  }

 private:
  void close_oldest(std::size_t most) {
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    for (; connections_.size() > most; connections_.pop_front())
      if (const auto connection = connections_.front().lock()) connection->close();
  }

  tcp::acceptor& acceptor_;
  const std::function<Answer(const std::string&)>& answer_;
  asio::steady_timer pause_;
  std::deque<std::weak_ptr<Connection>> connections_;
};

}  // namespace

void serve_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t)>& ready,
                       const std::function<Answer(const std::string& target)>& answer) {
  asio::io_context io(1);
  tcp::acceptor acceptor(io);
  error_code error;
  acceptor.open(tcp::v4(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind({asio::ip::address_v4::loopback(), port}, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  require(!error, "report", "cannot listen on port {} of this machine: {}", port, error.message());
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const error_code&, int) { io.stop(); });
  Server server(acceptor, answer);
  server.open();
  ready(acceptor.local_endpoint().port());
  io.run();
}

}  // namespace argand
