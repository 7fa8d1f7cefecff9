#include "data/files/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(atomic_file)

namespace {

/// Runs f in a child process, so that it does not change the limits and user ids of this one; returns the text of the Error that f
/// throws.
template <class F>
std::string error_in_child(const F& f) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    const std::string text = error_of(f);
    const bool sent = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t n = ::read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  BOOST_TEST(status == 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return text;
}

/// Limits the size of a file to `bytes`, as a full disk would.
void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

/// Drops root privileges, because root ignores file permissions.
void drop_privileges() {
  if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(writes_and_replaces) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a", "first");
  BOOST_TEST(contents_of(directory / "a") == "first");
  write_file_atomically(directory / "a", "");
  BOOST_TEST(contents_of(directory / "a") == "");
  BOOST_TEST(directory.count() == 1);
}

BOOST_AUTO_TEST_CASE(a_path_without_a_directory_is_in_the_current_one) {
  const TemporaryDirectory directory;
  BOOST_TEST(error_in_child([&] {
               if (chdir(directory.path().c_str()) == 0) write_file_atomically("bare", "text");
             }) == "");
  BOOST_TEST(contents_of(directory / "bare") == "text");
}

BOOST_AUTO_TEST_CASE(nothing_is_seen_before_the_commit) {
  const TemporaryDirectory directory;
  directory.file("a", "old");
  {
    AtomicFile file(directory / "a");
    file.write("new");
    BOOST_TEST(contents_of(directory / "a") == "old");
    BOOST_TEST(directory.count() == 2);
  }
  BOOST_TEST(contents_of(directory / "a") == "old");  // the file was never committed
  BOOST_TEST(directory.count() == 1);
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_old_file) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a", "old");
  const std::string error = error_in_child([&] {
    limit_file_size(1000);
    AtomicFile file(path);
    file.write(std::string(700, 'x'));
    file.write(std::string(700, 'y'));  // the first write is short, the next writes nothing
    file.commit();
  });
  BOOST_TEST(error == "save: cannot write " + path + ": File too large; the file was left as it was");
  BOOST_TEST(contents_of(path) == "old");
  BOOST_TEST(directory.count() == 1);
}

BOOST_AUTO_TEST_CASE(an_unwritable_directory_is_named) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a", "old");
  BOOST_REQUIRE(chmod(directory.path().c_str(), 0555) == 0);
  const std::string error = error_in_child([&] {
    drop_privileges();
    write_file_atomically(path, "new");
  });
  BOOST_REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
  BOOST_TEST(error == "save: cannot write " + path + ": Permission denied; the file was left as it was");
  BOOST_TEST(contents_of(path) == "old");
}

BOOST_AUTO_TEST_CASE(a_missing_directory_is_named) {
  const TemporaryDirectory directory;
  const std::string path = directory / "none/a";
  BOOST_TEST(error_of([&] { write_file_atomically(path, "new"); }) ==
             "save: cannot write " + path + ": No such file or directory; the file was left as it was");
}

BOOST_AUTO_TEST_CASE(directories_and_devices_are_refused) {
  const TemporaryDirectory directory;
  BOOST_TEST(error_of([&] { write_file_atomically(directory.path(), "new"); }) ==
             "save: " + directory.path() + " is not a regular file");
  BOOST_TEST(error_of([&] { write_file_atomically("/dev/null", "new"); }) == "save: /dev/null is not a regular file");
}

BOOST_AUTO_TEST_CASE(a_name_with_a_zero_byte_is_refused) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a";
  for (const bool exists : {false, true}) {
    if (exists) directory.file("a", "old");
    BOOST_TEST(error_of([&] { write_file_atomically(path + std::string("\0b", 2), "new"); }) ==
               "save: the name " + path + "\\0... contains a null byte");
    BOOST_TEST(std::filesystem::exists(path) == exists);
  }
  BOOST_TEST(contents_of(path) == "old");
}

BOOST_AUTO_TEST_CASE(names_that_are_all_taken_end_the_search) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a";
  for (int number = 0; number < 1000; ++number) directory.file(fmt::format("a.tmp-{}-{}", ::getpid(), number), "");
  BOOST_TEST(error_of([&] { write_file_atomically(path, "new"); }) ==
             fmt::format("save: cannot write {0}: a thousand files {0}.tmp-{1}-* are in the way; delete them", path, ::getpid()));
  BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(permissions_of_a_replaced_file_are_kept) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a", "old");
  BOOST_REQUIRE(chmod(path.c_str(), 0640) == 0);
  write_file_atomically(path, "new");
  struct stat status {};
  BOOST_REQUIRE(stat(path.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 07777) == 0640U);
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_is_followed) {
  const TemporaryDirectory directory;
  directory.file("a", "old");
  std::filesystem::create_symlink("a", directory / "link");
  std::filesystem::create_symlink("new", directory / "dangling");
  write_file_atomically(directory / "link", "through");
  write_file_atomically(directory / "dangling", "created");
  BOOST_TEST(std::filesystem::is_symlink(directory / "link"));
  BOOST_TEST(contents_of(directory / "a") == "through");
  BOOST_TEST(contents_of(directory / "new") == "created");
  BOOST_TEST(directory.count() == 4);
}

BOOST_AUTO_TEST_CASE(the_temporary_of_a_crashed_process_is_no_obstacle) {
  const TemporaryDirectory directory;
  const std::string stale = fmt::format("a.tmp-{}-0", getpid());
  directory.file(stale, "half of a");
  write_file_atomically(directory / "a", "whole");
  BOOST_TEST(contents_of(directory / "a") == "whole");
  BOOST_TEST(contents_of(directory / stale) == "half of a");
}

BOOST_AUTO_TEST_SUITE_END()
