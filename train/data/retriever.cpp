#include "train/data/retriever.h"

#include <algorithm>

#include "data/files/text_file.h"
#include "data/random_order.h"
#include "train/config/config_error.h"
#include "train/data/corpora.h"

namespace argand {
namespace {

/// Random-number streams for drawing passages, distinct from all others that use the same seed.
constexpr std::uint64_t draw_streams = std::uint64_t{0x6b6e6f77} << 24;

/// The random-number stream for the order in which passages are exchanged.
constexpr std::uint64_t exchange_stream = draw_streams - 1;

/// With at least this many passages, `auto` uses approximate search.
constexpr std::int64_t many_passages = 20'000;
/// Default number of steps between rebuilds of an index: building one takes as long as several steps.
constexpr std::int64_t refresh_of_index = 100;

Ids joined(const std::vector<Ids::value_type>& ids) { return Ids({static_cast<std::int64_t>(ids.size())}, ids); }

/// Reads the text in `irw_file` and encodes it with the training data's tokenizer.
Ids read_knowledge(const std::string& path, const TrainingData& data) {
  const std::string text = read_text_file("knowledge", path);
  if (const auto* articles = std::get_if<LabelledCorpus>(&data)) return joined(classifier_ids(articles->tokens->words(), text));
  return tokens_of(data).encode(text.ends_with('\n') ? text : text + '\n').ids;
}

}  // namespace

/// An approximate index that measures its recall once, on the first queries it receives.
class PassageStore::MeasuredIndex final : public RowIndex {
 public:
  explicit MeasuredIndex(Tensor<float> rows) : index(std::move(rows)) {}

  Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const override {
    if (!recall) {
      const std::int64_t groups = std::max<std::int64_t>(1, static_cast<std::int64_t>(excluded.size()));
      const std::int64_t sample = std::min<std::int64_t>(queries.dim(0) / groups, 256), r = queries.dim(1);
      const Tensor<float> some({sample, r}, std::span<const float>(queries.data(), static_cast<std::size_t>(sample * r)));
      recall = index.recall(some, k, excluded.empty() ? excluded : excluded.first(1));
    }
    return index.nearest(queries, k, excluded);
  }

  HnswIndex index;
  mutable std::optional<double> recall;  ///< not thread-safe, as passes are not
};

PassageStore::PassageStore(KnowledgeBase base, std::vector<Tensor<float>> encodings, bool by_chunk) : base_(std::move(base)) {
  knowledge_.passages = &base_.passages();
  if (by_chunk) knowledge_.search = FrozenSearch(base_.passages(), chunk_length(base_.passages()));
  for (Tensor<float>& rows : encodings) {
    require(rows.rank() == 2 && rows.dim(0) == base_.size(), "knowledge", "encodings of shape {} do not match {} passages",
            rows.shape(), base_.size());
    indexes_.push_back(std::make_unique<MeasuredIndex>(std::move(rows)));
    knowledge_.indexes.push_back(indexes_.back().get());
  }
}

PassageStore::~PassageStore() = default;

void PassageStore::exchange_passages(std::uint64_t seed) {
  require(base_.size() > 1, "knowledge", "there is only one passage, so there is no other to exchange it with");
  // Each passage is replaced by the next one in a random order of all passages, which is never the passage itself.
  std::vector<Ids::value_type> order(static_cast<std::size_t>(base_.size())), other(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    order[permuted(p, order.size(), Random(seed, exchange_stream))] = static_cast<Ids::value_type>(p);
  for (std::size_t i = 0; i < order.size(); ++i) other[static_cast<std::size_t>(order[i])] = order[(i + 1) % order.size()];
  knowledge_.exchange = [other = std::move(other)](Ids& chosen) {
    for (std::int64_t i = 0; i < chosen.size(); ++i) chosen[i] = other[static_cast<std::size_t>(chosen[i])];
  };
}

const Tensor<float>& PassageStore::encodings(std::size_t window) const { return indexes_.at(window)->index.rows(); }

std::optional<double> PassageStore::recall() const {
  double sum = 0;
  for (const auto& index : indexes_) {
    if (!index->recall) return std::nullopt;
    sum += *index->recall;
  }
  if (indexes_.empty()) return std::nullopt;
  return sum / static_cast<double>(indexes_.size());
}

std::unique_ptr<Retriever> Retriever::of(const RunConfig& config, const TrainingData& data) {
  if (!config.has_windows()) return nullptr;
  return std::unique_ptr<Retriever>(new Retriever(config, data));
}

Retriever::Retriever(const RunConfig& config, const TrainingData& data)
    : config_(config.knowledge),
      seed_(static_cast<std::uint64_t>(config.training.seed)),
      from_file_(!config.knowledge.irw_file.empty()),
      by_chunk_(config.model.windows().by_chunk) {
  std::int64_t longest = config.training.length + 1;  // tokens of a window: those read plus the last one to predict
  if (const auto* corpus = std::get_if<Corpus>(&data)) {
    text_ = corpus->train;
  } else {
    const LabelledTexts& articles = std::get<LabelledCorpus>(data).train;
    std::vector<Ids::value_type> all;
    longest = 0;
    for (std::int64_t i = 0; i < articles.size(); ++i) {
      all.insert(all.end(), articles.text(i).begin(), articles.text(i).end());
      article_ends_.push_back(static_cast<std::int64_t>(all.size()));
      longest = std::max(longest, articles.length(i));
    }
    text_ = joined(all);
  }
  if (from_file_) text_ = read_knowledge(config_.irw_file, data);

  const std::int64_t N = text_.size(), L = config_.irw_length, k = config.model.windows().top_k;
  if (N < L) config_fail("irw_length", "no passage of {} tokens fits in the text of {}", L, N);
  const std::int64_t P = config_.irw_passages > 0 ? config_.irw_passages : N / L;
  if (P > N - L + 1)
    config_fail("irw_passages", "cannot draw {} passages of {} tokens from a text of {}; use 0 to cover the whole text, end to end",
                P, L, N);
  const std::int64_t hidden = from_file_ ? 0 : KnowledgeBase::most_overlapping(N, L, P, longest);
  if (P - hidden < k)
    config_fail("irw_top_k",
                "cannot choose {} of {} passages when up to {} of them overlap a window of {} tokens; use more or shorter passages",
                k, P, hidden, longest);
  if (config_.irw_index == "hnsw" && !have_hnsw())
    config_fail("irw_index", "argand was built without hnswlib; install libhnswlib-dev and rebuild, or use exact search");
  if (by_chunk_ && config_.irw_index == "hnsw")
    config_fail("irw_index", "chunks are retrieved by their tokens, so hnsw has nothing to index; choose auto or exact");
  if (by_chunk_ && L / 2 > config.training.length)
    config_fail("irw_length", "a chunk is half a passage, {} tokens, which does not fit in a window of {}; choose shorter passages",
                L / 2, config.training.length);
  approximate_ = config_.irw_index == "hnsw" || (config_.irw_index == "auto" && !by_chunk_ && P >= many_passages && have_hnsw());
  refresh_ = config_.irw_refresh > 0 ? config_.irw_refresh : approximate_ ? refresh_of_index : 1;
}

KnowledgeBase Retriever::base(std::int64_t step) const {
  if (config_.irw_passages == 0) return KnowledgeBase::whole(text_, config_.irw_length);
  const Random random(seed_, draw_streams + static_cast<std::uint64_t>(step / refresh_));
  return KnowledgeBase::drawn(text_, config_.irw_length, config_.irw_passages, random);
}

template <RealScalar R>
std::unique_ptr<PassageStore> Retriever::store(std::int64_t step, const Model<R>& model) const {
  KnowledgeBase passages = base(step);
  std::vector<Tensor<float>> encodings;
  if (approximate_)
    for (const Tensor<R>& e : model.encode_passages(passages.passages())) encodings.push_back(in_float(e));
  return std::make_unique<PassageStore>(std::move(passages), std::move(encodings), by_chunk_);
}

std::unique_ptr<PassageStore> Retriever::store(std::int64_t step, std::vector<Tensor<float>> encodings) const {
  return std::make_unique<PassageStore>(base(step), std::move(encodings), by_chunk_);
}

std::pair<std::int64_t, std::int64_t> Retriever::window(const Batch& batch, std::size_t b) const {
  const std::int64_t place = batch.places.at(b);
  if (article_ends_.empty()) return {place, place + batch.tokens.shape()[1] + 1};
  const auto article = static_cast<std::size_t>(place);
  return {article == 0 ? 0 : article_ends_.at(article - 1), article_ends_.at(article)};
}

std::vector<RowRange> Retriever::excluded(const PassageStore& store, const Batch& batch) const {
  if (from_file_) return {};
  std::vector<RowRange> ranges;
  for (std::size_t b = 0; b < batch.places.size(); ++b) {
    const auto [first, last] = window(batch, b);
    ranges.push_back(store.base().overlapping(first, last));
  }
  return ranges;
}

template <RealScalar R>
OpenRetriever::OpenRetriever(const TrainedRun& trained, const Model<R>& model) {
  const RunConfig& config = trained.checkpoint.config();
  if (!config.has_windows()) return;
  retriever = Retriever::of(config, open_data(config, trained));
  store = retriever->store(std::max<std::int64_t>(0, trained.checkpoint.state().step - 1), model);
}

ForwardContext OpenRetriever::training_context(const Batch& batch) const {
  ForwardContext pass = context();
  if (retriever) pass.excluded = retriever->excluded(*store, batch);
  return pass;
}

#define ARGAND_RETRIEVER(R)                                                                     \
  template std::unique_ptr<PassageStore> Retriever::store(std::int64_t, const Model<R>&) const; \
  template OpenRetriever::OpenRetriever(const TrainedRun&, const Model<R>&);
ARGAND_FOR_REAL(ARGAND_RETRIEVER)

}  // namespace argand
