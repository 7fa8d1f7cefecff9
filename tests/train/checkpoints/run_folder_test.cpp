/// If a run's folder is moved, replaced or removed during training, no file of another run is touched.

#include "train/checkpoints/run_folder.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "data/files/npz.h"
#include "data/files/text_file.h"
#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "tests/train/small_run.h"
#include "train/checkpoints/jsonl.h"
#include "train/loop/training_session.h"

using namespace argand;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(run_folder)

namespace {

using Session = TrainingSession<float>;

RunConfig run_of_seed(const char* seed) {
  return small_run({{"seed", seed, ""}, {"checkpoint_every", "2", ""}, {"eval_every", "3", ""}});
}

void to_the_end(Session& session) {
  while (!session.finished()) session.advance();
}

std::int64_t seed_of(const RunFolder& folder) { return Checkpoint(folder.last()).config().training.seed; }
std::int64_t step_of(const RunFolder& folder) { return Checkpoint(folder.last()).state().step; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_follows_its_moved_folder_and_leaves_a_new_folder_of_that_name_alone) {
  for (std::int64_t moved_at = 0; moved_at <= 12; ++moved_at) {
    const TemporaryDirectory scratch;
    const RunFolder folder(scratch / "run"), moved(scratch / "moved");
    Session first(folder, false, run_of_seed("1"), small_corpus());
    while (first.run().state().step < moved_at) first.advance();
    fs::rename(folder.path(), moved.path());
    Session second(folder, false, run_of_seed("2"), small_corpus());
    for (int i = 0; i < 5; ++i) second.advance();
    to_the_end(first);
    first.save();
    to_the_end(second);
    BOOST_TEST(seed_of(moved) == 1);
    BOOST_TEST(step_of(moved) == 12);
    BOOST_TEST(seed_of(folder) == 2);
    BOOST_TEST(step_of(folder) == 12);
    for (const RunFolder* run : {&folder, &moved}) {
      BOOST_TEST(run->kept_steps() == (std::vector<std::int64_t>{6, 8, 10}), boost::test_tools::per_element());
      for (const std::int64_t step : run->kept_steps())
        BOOST_TEST(Checkpoint(run->at_step(step)).config().training.seed == seed_of(*run));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_newest_checkpoints_and_the_milestones_are_kept) {
  struct Case {
    const char *keep, *milestone_every;
    std::vector<std::int64_t> kept;
  };
  for (const auto& [keep, milestone_every, kept] :
       {Case{"3", "0", {6, 8, 10}}, Case{"1", "0", {10}}, Case{"0", "0", {}}, Case{"-1", "0", {2, 4, 6, 8, 10}},
        Case{"1", "4", {4, 8, 10}}, Case{"0", "6", {6}}, Case{"9", "0", {2, 4, 6, 8, 10}}}) {
    const Settings settings = {
        {"checkpoint_every", "2", ""}, {"eval_every", "12", ""}, {"keep", keep, ""}, {"milestone_every", milestone_every, ""}};
    const TemporaryDirectory scratch;
    const RunFolder folder(scratch / "run");
    {
      Session session(folder, false, small_run(settings), small_corpus());
      while (session.run().state().step < 7) session.advance();
      BOOST_TEST(step_of(folder) == 6);  // the run continues from here, regardless of which checkpoints are kept
    }
    Session session(folder, RunLock(folder.path()), Checkpoint(folder.last()), small_corpus());
    to_the_end(session);
    BOOST_TEST(folder.kept_steps() == kept, "keep " << keep << ", milestone_every " << milestone_every);
  }
}

BOOST_AUTO_TEST_CASE(a_name_with_a_zero_byte_is_refused_wherever_one_comes_in) {
  const TemporaryDirectory scratch;
  scratch.file("a", "text");
  const std::string path = (scratch / "a") + std::string("\0b", 2);
  const std::string why = "the name " + (scratch / "a") + "\\0... contains a null byte";
  BOOST_TEST(error_of([&] { SafetensorsFile::open(path); }) == "safetensors: " + why);
  BOOST_TEST(error_of([&] { NpzFile::open(path); }) == "npz: " + why);
  BOOST_TEST(error_of([&] { read_text_file("text", path); }) == "text: " + why);
  BOOST_TEST(error_of([&] { read_settings(path); }) == "config: " + why);
  BOOST_TEST(error_of([&] { JsonLines(path, -1); }) == "log: " + why);
  BOOST_TEST(error_of([&] { RunLock lock(path); }) == "train: " + why);
  BOOST_TEST(error_of([&] { const RunLock lock = RunFolder(path).create(true); }) == "train: " + why);
  BOOST_TEST(error_of([&] { small_run({{"data", path, ""}}); }) == "data: contains a null byte");
  BOOST_TEST(scratch.count() == 1);
}

BOOST_AUTO_TEST_CASE(errors_of_a_removed_folder_name_the_users_path) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  Session session(folder, false, run_of_seed("1"), small_corpus());
  session.advance();
  fs::remove_all(folder.path());
  BOOST_TEST(error_of([&] { session.save(); }) ==
             "save: cannot write " + folder.last() + ": No such file or directory; the file was left as it was");
  // A second run in the same folder is not touched either.
  Session second(folder, false, run_of_seed("2"), small_corpus());
  BOOST_TEST(error_of([&] { session.save(); }) ==
             "save: cannot write " + folder.last() + ": No such file or directory; the file was left as it was");
  BOOST_TEST(seed_of(folder) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
