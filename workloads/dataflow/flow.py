# SPDX-License-Identifier: Apache-2.0
"""Defines flows, which the extension runs.

The operators map, flat_map, filter and key_on have two halves: the native step calls a function of this file with a
batch, which calls a native loop over the items, which calls the user's function. So a native stack goes through

    FlatMap::on_batch ; Python (flat_map_shim) ; flat_map_items ; Python (the user's function) ; ...

The folds, batch and output call the user's function directly from the native step.
"""
import dataflow_native as native


class Flow:
    def __init__(self, name):
        self.steps = [("input", name, ())]

    def map(self, name, mapper):
        def map_shim(items):
            return native.map_items(mapper, items)
        return self._add("map", name, map_shim)

    def flat_map(self, name, mapper):
        def flat_map_shim(items):
            return native.flat_map_items(mapper, items)
        return self._add("flat_map", name, flat_map_shim)

    def filter(self, name, predicate):
        def filter_shim(items):
            return native.filter_items(predicate, items)
        return self._add("filter", name, filter_shim)

    def key_on(self, name, key_of):
        """Each item as (key, item), at the worker that owns the key."""
        def key_on_shim(items):
            return native.key_items(key_of, items)
        return self._add("key_on", name, key_on_shim)

    def fold_final(self, name, builder, folder):
        """(key, state) for each key after the end of the input."""
        return self._add("fold_final", name, builder, folder)

    def fold_window(self, name, length, clock, builder, folder):
        """(key, (window, state)) for each key and each window of `length` seconds by clock(item), after its end."""
        return self._add("fold_window", name, length, clock, builder, folder)

    def batch(self, name, size):
        """Lists of `size` items."""
        return self._add("batch", name, size)

    def output(self, name, write):
        """The end: write(items)."""
        return self._add("output", name, write)

    def run(self, partitions, batch, seconds=0.0):
        """One worker for each partition; seconds 0 means until the partitions end."""
        return native.run(self.steps, partitions, batch, seconds)

    def _add(self, kind, name, *arguments):
        self.steps.append((kind, name, arguments))
        return self
