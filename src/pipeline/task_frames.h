// SPDX-License-Identifier: Apache-2.0
// The coroutines that wait for a task, as callers of the task's own frames:
//
//     native        step of the task   evaluator
//     interpreter                                 fetch   parse
//     awaiters      main   gather
//     joined        step of the task   main   gather   evaluator   fetch   parse
//
// They are not on the stack of the thread, and have an origin of their own, which says so. The
// native frames outside of them are those of the loop and its callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtimes/placement.h"

namespace wick {

// Inserts frames, numbered from `first_awaiter` on, innermost first, before the callers of the frame
// `root` of the interpreter, and of its evaluator.
void place_awaiters(size_t root,
                    size_t first_awaiter,
                    size_t awaiters,
                    std::span<const uint8_t> is_evaluator,
                    Placement& placement);

}  // namespace wick
