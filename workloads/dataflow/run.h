// run(steps, partitions, batch, seconds): starts the workers, waits for them, tells what they used.
//
// One worker runs on the calling thread. More have threads of their own, dataflow:work-N, while the
// caller sleeps for a millisecond at a time and looks for signals.
#pragma once

#include "dataflow/python_ref.h"

namespace dataflow {

// The exception that a failed step becomes: its argument is the step's name, its cause what the
// user's code raised. Made by the module.
extern PyObject* step_error;

PyObject* run(PyObject* self, PyObject* arguments);

}  // namespace dataflow
