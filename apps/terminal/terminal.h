#pragma once
/// Adapts output to its destination: colours and cursor movement on a terminal, plain lines in files and pipes.

#include <cstdio>
#include <string>

#include "lab/style.h"

namespace argand {

/// Also false if the environment has TERM=dumb, and under Open MPI's mpirun, whose processes write to pseudo-terminals even if its
/// own output goes elsewhere.
bool is_terminal(std::FILE* file);
/// The terminal's width in columns; 80 if there is no terminal.
int terminal_width(std::FILE* file);

/// Flushes everything printed. Throws std::system_error if it cannot be written.
void flush_output();

/// Emphasis on a terminal (unless NO_COLOR is set, https://no-color.org), plain text elsewhere.
Style style_for(std::FILE* file);

/// Formats 1234567 as "1.23 M" and 12345 as "12.3 k".
std::string with_unit(double n);
/// Formats a duration as "0:42" or "1:02:03".
std::string clock_time(double seconds);

}  // namespace argand
