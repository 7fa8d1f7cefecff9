#pragma once
/// The lab's interface to a page in a browser: JSON in, JSON out. The numbers are those of `argand lab`.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/lab_tape.h"

namespace argand {

/// The steps of a tape: name, call, value and cotangent as [re, im], the op's vjp, and its contribution to each input.
nlohmann::json tape_json(const std::vector<TapeStep>& steps);

/// Answers a request for a function of one variable:
///
///     {"expression": "z^2", "at": [1, 2], "radius": 0.5, "rate": 0.05, "check": false, "answers": {"dz": "2*z"}}
///
/// with value, both derivatives, ellipse, conventions and tape at the point from one pass over the tape, and the `gaps` where the
/// tape has no derivative; `circle`, the image of the circle of that radius around it; and `descent`, forty steps of z -= rate * g
/// and of z -= rate * conj(g) for L = Re f, with the reason if a walk ends early. Only "check" adds numerical derivatives with
/// error bars (twenty times as slow) and `nearby`, at how many of 24 surrounding points each derivative vanishes. "answers" are
/// written in z, z̄, x and y, and each gets its own verdict or error. Shorter requests get shorter answers:
///
///     {"expression": "z^2", "landscape": {"half": 2, "points": 61}}        L on that square around 0, row by row from the bottom
///     {"expression": "z^2", "points": [[1, 2], [0.5, 0]]}                  value, dz and dzbar at each of the points
///     {"expression": "z^2", "at": [1, 2], "rate": 0.05, "walks": true}     only `descent`
///     {"expression": "z^2", "at": [1, 2], "slope": true}                   ∂(Re f)/∂x: tape, differences, error bars
///
/// Non-finite numbers become null. The answer to an invalid request is {"error": "..."}; nothing is thrown.
std::string lab_page(const std::string& request);

}  // namespace argand
