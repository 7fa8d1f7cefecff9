/// Runs the real program on the user's own texts and tables: it trains on them, or reports in one line why it cannot.

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/apps/program.h"
#include "tests/data/tokens/without_sentencepiece.h"
#include "train/checkpoints/checkpoint.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(own_text)

namespace {

/// A few thousand bytes of ordinary prose in several alphabets.
std::string prose() {
  std::string text;
  for (int i = 0; i < 120; ++i)
    text += "The owl number " + std::to_string(i) + " and the pussy-cat went to sea, in a beautiful boat.\n";
  return text;
}

const std::string small = " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 16 --batch 8 --steps 6 --threads 1 ";

Finished succeeds(const TemporaryDirectory& scratch, const std::string& arguments, const std::function<void()>& before = {}) {
  Finished done = run_argand(scratch, arguments, before);
  BOOST_TEST_REQUIRE(done.code == 0, arguments + ": " + done.err);
  return done;
}

void is_refused(const TemporaryDirectory& scratch, const std::string& arguments, const std::string& why) {
  const Finished done = run_argand(scratch, arguments);
  BOOST_TEST(done.code != 0, arguments);
  BOOST_TEST(done.err.starts_with("argand: " + why), done.err);
  BOOST_TEST(std::count(done.err.begin(), done.err.end(), '\n') == 1, done.err);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Redirects standard input to a file.
std::function<void()> input_from(const std::string& path) {
  return [path] { dup2(open(path.c_str(), O_RDONLY), 0); };
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_file_of_prose_in_tokens_of_every_kind) {
  const TemporaryDirectory scratch;
  const std::string data = scratch.file("prose.txt", prose()),
                    letter = scratch.file("letter.txt", "Dear owl,\r\nthe Ж boat is fine.");
  for (const std::string kind : {"auto", "char", "byte", "words", "bpe", "unigram"}) {
    if ((kind == "bpe" || kind == "unigram") && without_sentencepiece("a run with pieces of kind " + kind)) continue;
    const std::string run = scratch / kind;
    const std::string options = " --tokens " + kind + (kind == "bpe" || kind == "unigram" ? " --vocab-size 320" : "");
    const Finished train =
        succeeds(scratch, "train lm --data " + data + small + options + " --checkpoint-every 3 --keep -1 --out " + run);
    BOOST_TEST(contains(train.out, "prose.txt, cut 90/5/5: "), train.out);
    BOOST_TEST(contains(train.out, kind == "words"                    ? " words, "
                                   : kind == "byte"                   ? " bytes, "
                                   : kind == "char" || kind == "auto" ? " characters, "
                                                                      : " pieces, "),
               train.out);
    BOOST_TEST(contains(train.out, " bits per byte"), train.out);
    BOOST_TEST(contains(contents_of(run + "/log.jsonl"), "\"valid_bits_per_byte\":"));
    // The run's folder contains everything that these commands need, so the text can be removed.
    std::filesystem::rename(data, data + ".away");
    BOOST_TEST(succeeds(scratch, "generate " + run + " --tokens 20 --prompt owl").out.starts_with("owl"));
    const Finished unseen = succeeds(scratch, "generate " + run + " --tokens 5 --prompt Жar");
    BOOST_TEST((unseen.err != "") == (kind == "words" || kind == "char" || kind == "auto"), unseen.err);
    BOOST_TEST(contains(succeeds(scratch, "eval " + run + " --data " + letter).out, ", all of " + letter + ", "));
    const Finished piped = succeeds(scratch, "eval " + run + " --data -", input_from(letter));
    BOOST_TEST(contains(piped.out, ", standard input, "));
    BOOST_TEST(contains(piped.out, " bits per byte"));
    BOOST_TEST(succeeds(scratch, "generate " + run + " --tokens 5 --prompt -", input_from(letter))
                   .out.starts_with("Dear owl,\nthe Ж boat is fine."));
    std::filesystem::rename(data + ".away", data);
    BOOST_TEST(contains(succeeds(scratch, "eval " + run).out, ", test part, "));
    const std::string inspected = succeeds(scratch, "inspect " + run).out;
    BOOST_TEST(contains(inspected, " bits per byte,"));
    const std::string plural = plural_of(kind == "auto" ? "char" : kind);
    BOOST_TEST(contains(inspected, " " + plural + ", float32"), inspected);
    const Finished written =
        succeeds(scratch, "eval " + run + " --split train --generate --prompts 2 --prompt-length 4 --tokens 8 --judge " + run);
    BOOST_TEST(written.out.starts_with("2 texts of 8 " + plural + " after prompts of 4, "), written.out);
    BOOST_TEST(contains(written.out, "perplexity  bits per byte   Dist-1"), written.out);
    succeeds(scratch, "report " + run + " --out " + scratch / "report.html");
    // Resumed from the middle, the run ends with the same last.safetensors.
    const std::string whole = contents_of(run + "/last.safetensors");
    std::filesystem::copy_file(run + "/step-3.safetensors", run + "/last.safetensors",
                               std::filesystem::copy_options::overwrite_existing);
    succeeds(scratch, "train lm --resume " + run + " --threads 1");
    BOOST_TEST((contents_of(run + "/last.safetensors") == whole), kind);
  }
}

BOOST_AUTO_TEST_CASE(tokens_of_a_run_are_tied_to_its_checkpoints) {
  const TemporaryDirectory scratch;
  const std::string data = scratch.file("prose.txt", prose());
  succeeds(scratch, "train lm --data " + data + small + "--tokens char --out " + scratch / "char");
  const std::string good = contents_of(scratch / "char/vocab.txt");
  scratch.file("char/vocab.txt", "\\x01\n" + good);
  for (const char* command : {"eval ", "generate --prompt owl ", "train lm --resume "})
    is_refused(scratch, command + scratch / "char", "checkpoint: " + scratch / "char/vocab.txt" + " is not the vocabulary that ");
  std::filesystem::create_directory(scratch / "friend");
  const std::string alone = scratch / "friend/best.safetensors";
  std::filesystem::copy_file(scratch / "char/best.safetensors", alone);
  is_refused(
      scratch, "generate --prompt owl " + alone,
      "checkpoint: " + alone + " needs the vocab.txt of its run in the same folder; there is no " + scratch / "friend/vocab.txt\n");
  scratch.file("friend/vocab.txt", good);
  succeeds(scratch, "generate --prompt owl --tokens 2 " + alone);
  if (without_sentencepiece("the token model of another run")) return;
  succeeds(scratch, "train lm --data " + data + small + "--tokens bpe --vocab-size 310 --out " + scratch / "bpe");
  succeeds(scratch, "train lm --data " + data + small + "--tokens bpe --vocab-size 320 --out " + scratch / "other");
  // The token model of another run can be given by its path.
  const Finished theirs = succeeds(
      scratch, "train lm --data " + data + small + "--tokens " + scratch / "bpe/tokens.model" + " --out " + scratch / "same");
  BOOST_TEST((contents_of(scratch / "same/tokens.model") == contents_of(scratch / "bpe/tokens.model")));
  std::filesystem::copy_file(scratch / "other/tokens.model", scratch / "bpe/tokens.model",
                             std::filesystem::copy_options::overwrite_existing);
  is_refused(scratch, "eval " + scratch / "bpe", "checkpoint: " + scratch / "bpe/tokens.model" + " is not the vocabulary that ");
  is_refused(scratch,
             "train lm --data " + data + small + "--tokens " + scratch.file("a.model", "no model") + " --out " + scratch / "new",
             "tokens: " + scratch / "a.model" + " is not a SentencePiece model, or it is damaged: ");
}

BOOST_AUTO_TEST_CASE(a_tokenizer_of_hugging_face_is_trained_with_and_stays_with_the_run) {
  const TemporaryDirectory scratch;
  const std::string data = scratch.file("prose.txt", prose()),
                    golden = contents_of(ARGAND_SOURCE_DIR "/tests/golden/bpe/tokenizer.json"),
                    theirs = scratch.file("theirs.json", golden), run = scratch / "run";
  const Finished train =
      succeeds(scratch, "train lm --data " + data + small + "--tokens " + theirs + " --checkpoint-every 3 --keep -1 --out " + run);
  BOOST_TEST(contains(train.out, " 659 pieces, "), train.out);
  BOOST_TEST((contents_of(run + "/tokenizer.json") == golden));
  std::filesystem::remove(theirs);
  const std::string text = succeeds(scratch, "generate " + run + " --tokens 20 --prompt owl").out;
  BOOST_TEST((text.starts_with("owl") && text.size() > 20), text);
  BOOST_TEST(contains(succeeds(scratch, "eval " + run).out, " bits per byte"));
  BOOST_TEST(contains(succeeds(scratch, "inspect " + run).out, " pieces, float32"));
  const std::string whole = contents_of(run + "/last.safetensors");
  std::filesystem::copy_file(run + "/step-3.safetensors", run + "/last.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  succeeds(scratch, "train lm --resume " + run + " --threads 1");
  BOOST_TEST((contents_of(run + "/last.safetensors") == whole));
  succeeds(scratch, "train lm --data " + data + " --steps 2 --warmup 1 --threads 1 --init " + run + " --out " + scratch / "tuned");
  BOOST_TEST((contents_of(scratch / "tuned/tokenizer.json") == golden));
  succeeds(scratch, "train lm --overwrite --data " + data + small + "--tokens char --out " + scratch / "tuned");
  BOOST_TEST(!std::filesystem::exists(scratch / "tuned/tokenizer.json"));
  scratch.file("run/tokenizer.json", golden + "\n");
  is_refused(scratch, "eval " + run, "checkpoint: " + run + "/tokenizer.json is not the vocabulary that ");
  is_refused(scratch,
             "train lm --data " + data + small + "--tokens " +
                 scratch.file("bert.json", R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})") + " --out " + scratch / "new",
             "tokens: " + scratch / "bert.json" + " is not a byte-level BPE tokenizer.json: its model is \"WordPiece\"\n");
  is_refused(scratch, "train lm --data " + data + small + "--tokens bert.jsn --out " + scratch / "new",
             "--tokens: \"bert.jsn\" is neither one of auto|char|byte|bpe|unigram|words nor a token file, *.model "
             "(SentencePiece) or *.json (Hugging Face)\n");
}

namespace {

/// A text with few words and letters, one of which is missing from the earlier run's vocabulary.
std::string herons() {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "A heron , ö , a heron\n";
  return text;
}

std::set<std::string> lines_of_file(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_begins_with_another_one_reads_its_tokens) {
  const TemporaryDirectory scratch;
  const std::string data = scratch.file("prose.txt", prose()), other = scratch.file("other.txt", herons());
  for (const std::string kind : {"byte", "char", "words", "bpe", "unigram"}) {
    const bool pieces = kind == "bpe" || kind == "unigram";
    if (pieces && without_sentencepiece("runs started from one with pieces of kind " + kind)) continue;
    const std::string run = scratch / kind, tuned = scratch / (kind + "-tuned"), asked = scratch / (kind + "-asked");
    succeeds(scratch,
             "train lm --data " + data + small + "--out " + run + " --tokens " + kind + (pieces ? " --vocab-size 320" : ""));
    const std::string begin = "train lm --data " + other + " --steps 2 --warmup 1 --threads 1 --init " + run + " --out ";
    const Finished begun = succeeds(scratch, begin + tuned);
    BOOST_TEST(contains(begun.out, std::string(" ") + plural_of(kind) + ", 2 steps of "), begun.out);
    BOOST_TEST(contains(begun.out, " pieces; use --tokens bpe or unigram to learn others\n") == pieces, begun.out);
    const std::string file = token_file(kind);
    if (pieces) BOOST_TEST((contents_of(run + "/" + file) == contents_of(tuned + "/" + file)), kind);
    // The run's words or characters are kept, and those that only the text has are added.
    if (kind == "char" || kind == "words") {
      BOOST_TEST(contains(begun.out, std::string("  ") + plural_of(kind) + ": "), begun.out);
      const std::set<std::string> before = lines_of_file(run + "/" + file), after = lines_of_file(tuned + "/" + file);
      BOOST_TEST(std::includes(after.begin(), after.end(), before.begin(), before.end()), kind);
      BOOST_TEST(after.contains("ö"), kind);
      BOOST_TEST(!before.contains("ö"), kind);
      BOOST_TEST(after.size() < before.size() + 5, kind);
    }
    BOOST_TEST(contains(succeeds(scratch, "eval " + tuned).out, " bits per byte"));
    const Finished letters = succeeds(scratch, begin + asked + " --tokens " + (kind == "char" ? "byte" : "char"));
    BOOST_TEST(contains(letters.out, kind == "char" ? " bytes, 2 steps" : " characters, 2 steps"), letters.out);
  }
}

BOOST_AUTO_TEST_CASE(several_files_are_found_from_everywhere) {
  const TemporaryDirectory scratch;
  std::filesystem::create_directories(scratch / "a,b");
  std::filesystem::create_directory(scratch / "elsewhere");
  scratch.file("a,b/one.txt", prose());
  scratch.file("a,b/two,three.txt", prose());
  const auto from = [&](const std::string& folder) {
    return [path = scratch / folder] { BOOST_REQUIRE(chdir(path.c_str()) == 0); };
  };
  const Finished train = succeeds(scratch, "train lm --data one.txt two,three.txt" + small + "--out run", from("a,b"));
  BOOST_TEST(contains(train.out, "2 files, one.txt to two,three.txt, cut 90/5/5: "), train.out);
  const std::string run = scratch / "a,b/run", here = scratch / "a,b";
  BOOST_TEST(Checkpoint(run + "/last.safetensors").config().training.data == here + "/one.txt," + here + "/two,three.txt");
  BOOST_TEST(contains(succeeds(scratch, "eval " + run, from("elsewhere")).out, ", test part, "));
  succeeds(scratch, "train lm --threads 1 --steps 8 --resume ../a,b/run", from("elsewhere"));
  is_refused(scratch, "train lm --out " + scratch / "new" + " --data " + here + "/one.txt," + here + "/none.txt",
             "data: " + here.substr(0, here.find(',')) + " does not exist; --data takes one or more texts, ");
}

BOOST_AUTO_TEST_CASE(without_sentencepiece_one_line_lists_the_alternatives) {
  if (have_sentencepiece()) return;
  const TemporaryDirectory scratch;
  const std::string data = scratch.file("prose.txt", prose());
  for (const std::string tokens : {"bpe", "unigram", "a.model"})
    is_refused(scratch, "train lm --data " + data + small + "--out " + scratch / "run --tokens " + tokens,
               "tokens: argand was built without SentencePiece; install libsentencepiece-dev and rebuild, or choose --tokens char, "
               "byte or words\n");
}

BOOST_AUTO_TEST_CASE(texts_of_every_format) {
  const TemporaryDirectory scratch;
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : prose()) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  scratch.file("unix.txt", prose());
  scratch.file("windows.txt", windows);
  for (const char* name : {"unix", "windows"})
    succeeds(scratch, "train lm --data " + scratch / (name + std::string(".txt")) + small + "--out " + scratch / name);
  BOOST_TEST((contents_of(scratch / "unix/vocab.txt") == contents_of(scratch / "windows/vocab.txt")));
  std::filesystem::create_directory(scratch / "folder");
  scratch.file("folder/train.txt", prose());
  BOOST_TEST(contains(succeeds(scratch, "train lm --data " + scratch / "folder" + small + "--out " + scratch / "a").out,
                      "train.txt, cut 90/5/5: "));
  BOOST_TEST(contains(succeeds(scratch, "train lm --data " + scratch / "unix.txt" + " " + scratch / "windows.txt" + small +
                                            "--out " + scratch / "b")
                          .out,
                      "2 files, unix.txt to windows.txt, cut 90/5/5: "));
  const Finished two =
      succeeds(scratch, "train lm --split 80/20 --data " + scratch / "unix.txt" + small + "--out " + scratch / "c");
  BOOST_TEST(contains(two.out, "none to test on"));
  BOOST_TEST(contains(succeeds(scratch, "eval " + scratch / "c").out, ", valid part, "));
  is_refused(scratch, "eval --split test " + scratch / "c", "--split: no test split in unix.txt, cut 80/20");
  const auto refuses = [&](const std::string& options, const std::string& why) {
    is_refused(scratch, "train lm --out " + scratch / "new" + small + options, why);
    BOOST_TEST(!std::filesystem::exists(scratch / "new"));
  };
  refuses("--tokens chars",
          "--tokens: \"chars\" is neither one of auto|char|byte|bpe|unigram|words nor a token file, *.model (SentencePiece) or "
          "*.json (Hugging Face); did you mean char?");
  refuses("--tokens char --words 10", "--words: requires --tokens words, got char");
  refuses("--split 80/30", "split: the parts of \"80/30\" add up to 110, not 100");
  refuses("--data " + scratch.file("latin1.txt", "sch\xF6n\n"), "data: " + scratch / "latin1.txt" + ", line 1: not UTF-8; ");
  refuses("--data " + scratch.file("tiny.txt", "a\n"), "");
}

BOOST_AUTO_TEST_CASE(tables_of_every_format) {
  const TemporaryDirectory scratch;
  const std::string options = " --n-layers 1 --d-model 8 --n-heads 2 --d-ff 8 --batch 4 --steps 4 --threads 1 ";
  std::string csv = "label,text\r\n", tsv, jsonl;
  for (int i = 0; i < 20; ++i) {
    const std::string label = i % 3 == 0   ? "sad"
                              : i % 3 == 1 ? "glad"
                                           : "so-so",
                      text = "a " + label + " text, number " + std::to_string(i);
    csv += label + ",\"" + text + "\"\r\n";
    tsv += text + "\t" + std::to_string(i % 3) + "\n";
    jsonl += "{\"sentence\": \"" + text + "\", \"id\": " + std::to_string(i) + ", \"class\": \"" + label + "\"}\n";
  }
  const std::string a = scratch.file("a.csv", csv), b = scratch.file("b.tsv", tsv), c = scratch.file("c.jsonl", jsonl);
  for (const auto& [name, path, says] :
       {std::tuple("csv", a, "a.csv: text from column \"text\", label from \"label\"; 3 classes, divided at random"),
        std::tuple("tsv", b, "b.tsv: text from column 1, label from 2; 3 classes, divided at random"),
        std::tuple("jsonl", c, "c.jsonl: text from column \"sentence\", label from \"class\"; 3 classes, divided at random")}) {
    const Finished train = succeeds(scratch, "train classify --data " + path + options + "--out " + scratch / name);
    BOOST_TEST(contains(train.out, says), train.out);
    BOOST_TEST(contains(train.out, std::string("  rows of each class: ") + (std::string(name) == "tsv" ? "0 7" : "glad 7")),
               train.out);
    BOOST_TEST(contains(train.out, std::string("  line ") + (name[0] == 'c' ? "2" : "1") + ": "), train.out);
    BOOST_TEST(contains(train.out, "18 articles to train on, 1 to validate on, 1 to test on"), train.out);
    BOOST_TEST(contains(train.out, "The test articles were not used"));
    const std::string inspected = succeeds(scratch, "inspect " + scratch / name).out;
    BOOST_TEST(contains(inspected, " words, 3 classes, float32"), inspected);
    BOOST_TEST(contains(inspected, ", best validation accuracy "), inspected);
    BOOST_TEST(contents_of(scratch / std::string(name) + "/classes.txt") ==
               (std::string(name) == "tsv" ? "0\n1\n2\n" : "glad\nsad\nso-so\n"));
    BOOST_TEST(contains(succeeds(scratch, "eval " + scratch / name).out, ", test part, 1 articles"));
    BOOST_TEST(contains(succeeds(scratch, "eval " + scratch / name + " --split valid").out, ", valid part, 1 articles"));
    succeeds(scratch, "report " + scratch / name + " --out " + scratch / "report.html");
    const Finished labelled = succeeds(scratch, "classify " + scratch / name, input_from(scratch.file("line", "a glad text\n")));
    BOOST_TEST(contains(labelled.out, "\t"));
  }
  BOOST_TEST(contains(succeeds(scratch, "eval " + scratch / "csv" + " --data " + c).out, ", all of " + c + ", 20 articles"));
  // A folder with its own test part, and with a share of its training part held out.
  std::filesystem::create_directory(scratch / "folder");
  scratch.file("folder/train.csv", csv);
  scratch.file("folder/test.csv", csv);
  const Finished held =
      succeeds(scratch, "train classify --valid-share 0.25 --data " + scratch / "folder" + options + "--out " + scratch / "held");
  BOOST_TEST(contains(held.out, "15 articles to train on, 5 to validate on, 20 to test on"), held.out);
  const Finished topics = succeeds(
      scratch, "train classify --valid-share 0.1 --train-articles 50 --test-articles 10" + options + "--out " + scratch / "topics");
  BOOST_TEST(contains(topics.out, "45 articles to train on, 5 to validate on, 10 to test on"), topics.out);
  succeeds(scratch, "train classify --data " + scratch / "folder" + options + "--out " + scratch / "tested");
  BOOST_TEST(contains(succeeds(scratch, "inspect " + scratch / "tested").out, ", best test accuracy "));
  const auto refuses = [&](const std::string& more, const std::string& why) {
    is_refused(scratch, "train classify --out " + scratch / "new" + options + more, why);
    BOOST_TEST(!std::filesystem::exists(scratch / "new"));
  };
  refuses("--data " + scratch.file("a.txt", "a"),
          "data: " + scratch / "a.txt" + " is not a table; tables end in .csv, .tsv or .jsonl");
  refuses("--data " + scratch / "none.csv", "data: " + scratch / "none.csv" + " does not exist");
  refuses("--data " + a + " --text-column body",
          "data: " + a + " has no column \"body\" (--text-column); columns: \"label\", \"text\"");
  refuses("--data " + a + " --n-classes 2", "--n-classes: the data have 3 classes, but the model has 2");
  refuses("--valid-share 1", "--valid-share: must be a fraction in [0, 1), got 1");
  scratch.file("folder/valid.csv", csv);
  refuses("--valid-share 0.5 --data " + scratch / "folder",
          "--valid-share: " + scratch / "folder" + " already has a validation part");
}

BOOST_AUTO_TEST_SUITE_END()
