#pragma once
/// Everything in one header: `#include <argand/argand.h>`. Each part has a header of its own, which compiles faster; they are
/// found as <argand/core/tensor.h> as well.

#include "autograd/gradcheck.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "autograd/wirtinger.h"
#include "core/arithmetic.h"
#include "core/machine/openblas_kernels.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/tensor.h"
#include "data/files/npz.h"
#include "data/files/safetensors.h"
#include "nn/layers.h"
#include "nn/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
