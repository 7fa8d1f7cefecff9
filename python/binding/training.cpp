/// Training runs for argand.train: the same as `argand train`, one step per call.

#include <pybind11/stl.h>

#include <cmath>

#include "core/parallel.h"
#include "python/binding/bindings.h"
#include "python/binding/model_object.h"
#include "train/checkpoints/made_by.h"
#include "train/loop/training_session.h"
#include "train/start/run_request.h"

namespace argand::python {
namespace {

py::dict dict_of(const Evaluation& e) {
  py::dict d;
  d["loss"] = e.loss;
  d["count"] = e.count;
  if (e.confusion)
    d["accuracy"] = *e.confusion->accuracy();
  else
    d["perplexity"] = std::exp(e.loss);
  if (const auto bits = e.bits_per_byte()) d["bits_per_byte"] = *bits;
  d["summary"] = summary(e);
  return d;
}

py::dict dict_of(const Advance& done) {
  py::dict d;
  d["step"] = done.step.step;
  d["loss"] = done.step.cross_entropy;
  if (done.step.auxiliary) d["auxiliary"] = *done.step.auxiliary;
  d["lr"] = done.step.lr;
  d["grad_norm"] = done.step.grad_norm;
  d["tokens"] = done.step.tokens;
  d["seconds"] = done.seconds;
  if (done.validation) {
    d["valid"] = dict_of(*done.validation);
    d["best"] = done.is_best;
  }
  if (done.sample) d["sample"] = *done.sample;
  return d;
}

/// A run in either precision.
class TrainingObject {
 public:
  virtual ~TrainingObject() = default;
  virtual Advance advance() = 0;
  virtual void save() = 0;
  virtual bool finished() const = 0;
  virtual const RunState& state() const = 0;
  virtual const RunConfig& config() const = 0;
};

template <RealScalar R>
class TrainingOf final : public TrainingObject {
 public:
  TrainingOf(NewRun begun, const std::string& out, bool overwrite)
      : data_(std::move(begun.data)),
        session_(RunFolder(out), overwrite, begun.config, data_, begun.weights ? &*begun.weights : nullptr) {
    sample();
  }
  TrainingOf(const RunFolder& folder, RunLock lock, const TrainedRun& run, const Continuation& how, const RunConfig& config)
      : data_(open_data(run, how)),
        session_(folder, std::move(lock), run.checkpoint, data_, how.changes.empty() ? nullptr : &config) {
    sample();
  }

  Advance advance() override {
    const Tape tape;  // separate from the tapes on which Python's calls record
    flush_subnormals_to_zero(true);
    try {
      Advance done = session_.advance();
      flush_subnormals_to_zero(false);
      return done;
    } catch (...) {
      flush_subnormals_to_zero(false);
      throw;
    }
  }
  void save() override { session_.save(); }
  bool finished() const override { return session_.finished(); }
  const RunState& state() const override { return const_cast<TrainingSession<R>&>(session_).run().state(); }
  const RunConfig& config() const override { return const_cast<TrainingSession<R>&>(session_).run().config(); }

 private:
  void sample() {
    if (const auto* corpus = std::get_if<Corpus>(&data_))
      session_.sample_with([this, corpus] { return sample_of(session_.run(), *corpus); });
  }

  TrainingData data_;
  TrainingSession<R> session_;
};

std::unique_ptr<TrainingObject> begin(const std::string& out, const std::string& file, const KeyedTexts& settings,
                                      const std::string& task, bool overwrite) {
  const py::gil_scoped_release free;
  RunConfig config = resolve_with_init(file.empty() ? Settings{} : read_settings(file), settings_of(settings), task);
  if (!overwrite) RunFolder(out).require_free();
  NewRun begun = open_new_run(std::move(config));
  return with_precision(begun.config, [&]<class R>(R) -> std::unique_ptr<TrainingObject> {
    return std::make_unique<TrainingOf<R>>(std::move(begun), out, overwrite);
  });
}

/// Null if the run has finished and is not to be extended.
std::unique_ptr<TrainingObject> resume(const std::string& path, const KeyedTexts& settings) {
  const py::gil_scoped_release free;
  const Continuation how = continuation(settings_of(settings));
  const RunFolder folder(path);
  RunLock lock(folder.path());  // before reading anything, as a process still training there would change it
  const TrainedRun run = open_run(folder.last());
  const RunConfig config = run.checkpoint.config().extended(how.changes);
  if (how.changes.empty() && has_ended(config, run.checkpoint.state())) return nullptr;
  return with_precision(config, [&]<class R>(R) -> std::unique_ptr<TrainingObject> {
    return std::make_unique<TrainingOf<R>>(folder, std::move(lock), run, how, config);
  });
}

}  // namespace

void bind_training(py::module_& m) {
  py::class_<TrainingObject>(m, "Training")
      .def("advance",
           [](TrainingObject& self) {
             const Advance done = [&] {
               const py::gil_scoped_release free;
               return self.advance();
             }();
             return dict_of(done);
           })
      .def("save", &TrainingObject::save, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("finished", &TrainingObject::finished)
      .def_property_readonly("step", [](const TrainingObject& self) { return self.state().step; })
      .def_property_readonly("steps", [](const TrainingObject& self) { return self.config().training.steps; })
      .def_property_readonly("family", [](const TrainingObject& self) { return self.config().model.family().name; })
      .def_property_readonly("stopped_early",
                             [](const TrainingObject& self) { return stopped_early(self.config(), self.state()); });
  m.def("name_program", [](const std::string& version) { name_program(version, ""); });
  m.def("begin_training", &begin);
  m.def("resume_training", &resume);
}

}  // namespace argand::python
