#pragma once
/// The numbers of a run's log, for spreadsheets and for TensorBoard.

#include <string>

#include "apps/report/log.h"

namespace argand {

/// A table with a row for every line: step, then every number of the log by its name, empty where a line has none. Numbers within
/// objects and lists have the names of these before theirs: theta.blocks.0.
std::string csv_of(const RunLog& log);

/// An event file: TFRecords of Event messages (tensorflow/core/util/event.proto), a scalar for every number, at the second of the
/// run at which it was logged.
std::string tensorboard_events_of(const RunLog& log);

}  // namespace argand
