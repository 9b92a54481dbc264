// SPDX-License-Identifier: Apache-2.0
// The work of one client process: it connects, starts its threads, and adds up their measurements.
//
// Each thread repeats: read the memory, write it with its own bytes, read it again, think. Each
// read is checked: it must be one whole write of some thread. The first thread that fails stops the
// others, also those that think.
#pragma once

#include <cstdint>
#include <string>

#include "common/clocks.h"
#include "memory_mock/crc.h"
#include "memory_mock/latencies.h"
#include "memory_mock/sockets.h"

namespace memory_mock {

struct ClientSettings {
  Endpoint endpoint{"127.0.0.1", 2115};
  std::string port_file;
  int threads = 506;
  int64_t iterations = 100;
  int payload = 2048;
  int think_ms = 200;
  std::string connection = "shared";
  int instances = 1;
  std::string clients = "alone";
  std::string crc = "bitwise";
  int connect_timeout_ms = 10'000;
  int reply_timeout_ms = 10'000;

  bool shared() const { return connection == "shared"; }
  int connections_per_instance() const { return shared() ? 1 : threads; }
};

// Plain data, so that a process can pass it to its parent in shared memory.
struct Measures {
  uint64_t iterations = 0;
  uint64_t payload_bytes = 0;
  uint64_t data_errors = 0;
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
  uint64_t crc32_bytes = 0;
  int64_t started_ns = 0;
  int64_t ended_ns = 0;
  int64_t cpu_ns = 0;
  workloads::Switches switches;
  Latencies reads, writes;

  void add(const Measures& other);
};

// The whole work of this process. Throws the first Failure.
void run_client(const ClientSettings& settings, Crc32 crc32, Measures& total);

}  // namespace memory_mock
