// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/connect.h"

#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "common/clocks.h"
#include "memory_mock/failure.h"

namespace memory_mock {
namespace {

void allow_descriptors(size_t wanted) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted && limit.rlim_max >= wanted) {
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

// The port of the settings, or the one in the server's port file; 0 as long as there is none.
int known_port(const ClientSettings& settings) {
  if (settings.port_file.empty()) {
    return settings.endpoint.port;
  }
  int port = 0;
  std::ifstream(settings.port_file) >> port;
  return port > 0 && port <= 65535 ? port : 0;
}

// Gives a starting server some time; reads the port file again each time.
Descriptor connect_in_time(const ClientSettings& settings) {
  int64_t deadline = workloads::wall_ns() + settings.connect_timeout_ms * int64_t{1'000'000};
  while (true) {
    int port = known_port(settings);
    if (port != 0) {
      Descriptor socket = connect_to({settings.endpoint.host, port});
      if (socket.get() >= 0) {
        prepare(socket, settings.reply_timeout_ms);
        return socket;
      }
    }
    if (workloads::wall_ns() >= deadline) {
      std::string there = port != 0
                              ? "on port " + std::to_string(port) + " of " + settings.endpoint.host
                              : "yet: there is no port in '" + settings.port_file + "'";
      throw Failure("No server listens " + there + "; start memory_mock_server first.");
    }
    usleep(10'000);
  }
}

}  // namespace

// One after the other: each is served before the next one connects, so the backlog cannot overflow.
Connections connect_all(const ClientSettings& settings, Crc32 crc32) {
  auto count = static_cast<size_t>(settings.connections_per_instance());
  allow_descriptors(count + 32);
  Connections connections;
  for (size_t at = 0; at < count; ++at) {
    connections.push_back(std::make_unique<Connection>(connect_in_time(settings), crc32));
    if (at == 0) {
      connections.back()->enumerate();
    } else {
      connections.back()->assign_memory_address();
    }
  }
  return connections;
}

}  // namespace memory_mock
