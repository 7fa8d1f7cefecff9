#pragma once
/// The families of problems, one function each; problem.h lists the building blocks.

#include "lab/exercise/problem.h"

namespace argand {

// Problems to solve by hand.
Problem make_wirtinger(Draw& draw);
Problem make_gradient(Draw& draw);
Problem make_convention(Draw& draw);
Problem make_chain(Draw& draw);
Problem make_holomorphic(Draw& draw);
Problem make_mistake(Draw& draw);
Problem make_step(Draw& draw);

// Problems to solve with the lab.
Problem make_phase(Draw& draw);
Problem make_modulus(Draw& draw);
Problem make_ellipse(Draw& draw);
Problem make_curvature(Draw& draw);
Problem make_algebra(Draw& draw);
Problem make_matrix(Draw& draw);

// Problems to solve with the student's own program.
Problem make_network(Draw& draw);
Problem make_descent(Draw& draw);
Problem make_adam(Draw& draw);
Problem make_backward(Draw& draw);

}  // namespace argand
