#pragma once
/// Exports the numbers of a run's log for spreadsheets and TensorBoard.

#include <string>

#include "apps/report/log.h"

namespace argand {

/// A table with one row per line of the log: the step, then every logged value by name, empty if the line lacks it. Nested
/// values are named by their path, such as theta.blocks.0.
std::string csv_of(const RunLog& log);

/// An event file: TFRecords of Event messages (tensorflow/core/util/event.proto), with one scalar per value. An event's time is the
/// training time when it was logged, excluding validation and checkpoints.
std::string tensorboard_events_of(const RunLog& log);

}  // namespace argand
