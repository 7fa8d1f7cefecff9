#include "core/machine/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <filesystem>
#include <future>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

using namespace argand;

BOOST_AUTO_TEST_SUITE(process)

BOOST_AUTO_TEST_CASE(the_program_is_this_one) {
  BOOST_TEST(std::filesystem::canonical(program_path()).filename().string().starts_with("test_core"));
}

BOOST_AUTO_TEST_CASE(this_process_has_processors_and_an_unknown_process_has_none) {
  BOOST_TEST(processors_of(0) >= 1);
  BOOST_TEST(processors_of(std::numeric_limits<pid_t>::max()) == 0);
  const int before = processors_of(0);
  use_processors_of(std::numeric_limits<pid_t>::max());  // nothing changes
  BOOST_TEST(processors_of(0) == before);
}

BOOST_AUTO_TEST_CASE(peak_memory_counts_bytes) {
  constexpr std::int64_t size = 64 << 20;
  const std::int64_t before = peak_memory();
  std::vector<char> touched(size);
  for (std::size_t i = 0; i < touched.size(); i += 1024) touched[i] = static_cast<char>(i >> 10);
  const std::int64_t grown = peak_memory() - before;
  BOOST_TEST(before > (1 << 20));
  BOOST_TEST(grown <= 2 * size);
  BOOST_TEST(peak_memory() >= size);
  BOOST_TEST(touched[3 << 10] == 3);
}

BOOST_AUTO_TEST_CASE(a_child_inherits_neither_pipes_nor_sockets) {
  std::array<int, 2> pipe{}, sockets{};
  BOOST_REQUIRE((make_pipe(pipe) && make_sockets(sockets)));
  for (const int end : {pipe[0], pipe[1], sockets[0], sockets[1]}) {
    BOOST_TEST((fcntl(end, F_GETFD) & FD_CLOEXEC) != 0);
    close(end);
  }
}

BOOST_AUTO_TEST_CASE(writing_to_a_closed_socket_is_an_error_and_no_signal) {
  std::array<int, 2> ends{};
  BOOST_REQUIRE(make_sockets(ends));
  constexpr std::string_view text = "text";
  BOOST_TEST(send_to_socket(ends[0], text) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  BOOST_TEST(send_to_socket(ends[0], text) == -1);
  BOOST_TEST((errno == EPIPE || errno == ECONNRESET));
  close(ends[0]);
}

BOOST_AUTO_TEST_CASE(a_full_socket_does_not_wait) {
  std::array<int, 2> ends{};
  BOOST_REQUIRE(make_sockets(ends));
  const std::vector<char> much(1 << 20);
  ssize_t sent = 0;
  for (int k = 0; k < 1000 && sent >= 0; ++k) sent = send_to_socket(ends[0], much);
  BOOST_TEST(sent == -1);
  BOOST_TEST((errno == EAGAIN || errno == EWOULDBLOCK));
  close(ends[0]);
  close(ends[1]);
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(a_child_notices_its_parents_end) {
  std::array<int, 2> ends{};
  BOOST_REQUIRE(make_pipe(ends));
  const pid_t parent = fork();
  if (parent == 0) {
    if (fork() == 0) {  // ended by the signal; the pipe closes with it
      signal_when_parent_ends(SIGKILL);
      const char ready = 'r';
      if (write(ends[1], &ready, 1) != 1) _exit(1);
      sleep(20);
      _exit(1);
    }
    close(ends[1]);
    char ready = 0;
    _exit(read(ends[0], &ready, 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  int status = 0;
  BOOST_TEST(waitpid(parent, &status, 0) == parent);
  BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  pollfd other_end{ends[0], POLLIN, 0};
  BOOST_TEST(poll(&other_end, 1, 10'000) == 1);  // the pipe has ended: no process holds its other end
  BOOST_TEST((other_end.revents & POLLIN) == 0);
  close(ends[0]);
}

BOOST_AUTO_TEST_CASE(threads_are_counted) {
  const int before = threads_of_this_process();
  BOOST_TEST(before >= 1);
  std::promise<void> end;
  std::thread other([&] { end.get_future().wait(); });
  BOOST_TEST(threads_of_this_process() == before + 1);
  end.set_value();
  other.join();
}
#endif

BOOST_AUTO_TEST_SUITE_END()
