// SPDX-License-Identifier: Apache-2.0
// The Python module dataflow_native: the functions that flow.py and user code may call.
#include "dataflow/items.h"
#include "dataflow/run.h"

namespace {

PyMethodDef methods[] = {
    {"run", dataflow::run, METH_VARARGS, "run(steps, partitions, batch, seconds) -> what it used"},
    {"map_items", dataflow::map_items, METH_VARARGS, "map_items(function, items) -> list"},
    {"flat_map_items",
     dataflow::flat_map_items,
     METH_VARARGS,
     "flat_map_items(function, items) -> list"},
    {"filter_items", dataflow::filter_items, METH_VARARGS, "filter_items(function, items) -> list"},
    {"key_items", dataflow::key_items, METH_VARARGS, "key_items(function, items) -> list of pairs"},
    {"select_words", dataflow::select_words, METH_VARARGS, "select_words(function, words) -> list"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "dataflow_native",
    "Workers and operators of a small dataflow engine.",
    -1,
    methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit_dataflow_native() {
  dataflow::Ref module = dataflow::Ref::take(PyModule_Create(&definition));
  dataflow::step_error = PyErr_NewException("dataflow_native.StepError", nullptr, nullptr);
  if (!module || dataflow::step_error == nullptr ||
      PyModule_AddObjectRef(module.get(), "StepError", dataflow::step_error) != 0) {
    return nullptr;
  }
  return module.release();
}
