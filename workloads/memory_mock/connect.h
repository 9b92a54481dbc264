// From the settings of a client to its connections, ready for use.
#pragma once

#include <memory>
#include <vector>

#include "memory_mock/client_run.h"
#include "memory_mock/connection.h"

namespace memory_mock {

using Connections = std::vector<std::unique_ptr<Connection>>;

// One for all threads or one for each, with the memory in its place. A server that is just starting
// gets the time of --connect-timeout-ms. Throws a Failure.
Connections connect_all(const ClientSettings& settings, Crc32 crc32);

}  // namespace memory_mock
