// SPDX-License-Identifier: Apache-2.0
// run(steps, partitions, batch, seconds): starts the workers, waits for them, and reports their use
// of resources.
//
// One worker runs on the calling thread. More workers have their own threads, dataflow:work-N,
// while the caller sleeps for a millisecond at a time and checks for signals.
#pragma once

#include "dataflow/python_ref.h"

namespace dataflow {

// The exception for a failed step: its argument is the step's name, its cause the exception of the
// user's code. Made by the module.
extern PyObject* step_error;

PyObject* run(PyObject* self, PyObject* arguments);

}  // namespace dataflow
