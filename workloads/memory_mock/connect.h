// SPDX-License-Identifier: Apache-2.0
// Makes the connections of a client from its settings, ready for use.
#pragma once

#include <memory>
#include <vector>

#include "memory_mock/client_run.h"
#include "memory_mock/connection.h"

namespace memory_mock {

using Connections = std::vector<std::unique_ptr<Connection>>;

// One for all threads or one for each, with an address for the memory. Waits up to
// --connect-timeout-ms for a starting server. Throws a Failure.
Connections connect_all(const ClientSettings& settings, Crc32 crc32);

}  // namespace memory_mock
