// SPDX-License-Identifier: Apache-2.0
// Loops over the items of a batch that call a Python function for each. The operators' Python
// halves (flow.py) and user code call them. All are METH_VARARGS functions (function, list).
#pragma once

#include "dataflow/python_ref.h"

namespace dataflow {

PyObject* map_items(PyObject* self, PyObject* arguments);       // [f(x) for x in items]
PyObject* flat_map_items(PyObject* self, PyObject* arguments);  // [y for x in items for y in f(x)]
PyObject* filter_items(PyObject* self, PyObject* arguments);    // [x for x in items if f(x)]
PyObject* key_items(PyObject* self, PyObject* arguments);       // [(f(x), x) for x in items]
PyObject* select_words(PyObject* self, PyObject* arguments);    // like filter_items; for user code

}  // namespace dataflow
