// SPDX-License-Identifier: Apache-2.0
// Several client processes at once. Each is a fork of this one, has its own threads and
// connections, and leaves its result in memory shared with the parent. If one fails the others are
// ended.
#pragma once

#include "memory_mock/client_run.h"

namespace memory_mock {

// Runs settings.instances processes (or the one in this process) and adds up their measurements.
// Throws the first Failure.
Measures run_instances(const ClientSettings& settings, Crc32 crc32);

}  // namespace memory_mock
