// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/client_run.h"

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <poll.h>

#include "common/clocks.h"
#include "common/no_inline.h"
#include "memory_mock/conductor.h"
#include "memory_mock/connect.h"
#include "memory_mock/connection.h"
#include "memory_mock/device.h"
#include "memory_mock/failure.h"
#include "memory_mock/payload.h"

namespace memory_mock {
namespace {

constexpr uint64_t kMemory = address_of_bar(1);

// One thread of the client.
class Worker {
 public:
  Worker(const ClientSettings& settings, Connection& connection, int number)
      : settings_(settings),
        connection_(connection),
        number_(number),
        buffer_(static_cast<size_t>(settings.payload)) {}

  WORKLOAD_FUNCTION void run(Conductor& conductor) {
    conductor.wait_for_start();
    try {
      for (int64_t at = 0; at < settings_.iterations && !conductor.stopped(); ++at) {
        run_iteration(at);
        conductor.think(settings_.think_ms);
      }
    } catch (const Failure& failure) {
      conductor.stop(failure.what());
    }
    conductor.one_ended();
  }

  const Measures& measures() const { return measures_; }

 private:
  WORKLOAD_FUNCTION void run_iteration(int64_t iteration) {
    auto first = static_cast<uint8_t>(iteration + number_);
    read();
    fill_payload(buffer_, first);
    write();
    read();
    bool alone = settings_.threads == 1 && settings_.instances == 1 && settings_.clients == "alone";
    measures_.data_errors += alone && buffer_[0] != first ? 1 : 0;
    measures_.iterations += 1;
  }

  void read() {
    int64_t start = workloads::wall_ns();
    {
      std::shared_lock<std::shared_mutex> lock(connection_.access);
      connection_.read_memory(kMemory, buffer_);
    }
    measures_.reads.add(static_cast<uint64_t>(workloads::wall_ns() - start));
    measures_.payload_bytes += buffer_.size();
    measures_.data_errors += payload_is_whole(buffer_) ? 0 : 1;
  }

  void write() {
    int64_t start = workloads::wall_ns();
    {
      std::unique_lock<std::shared_mutex> lock(connection_.access);
      connection_.write_memory(kMemory, buffer_);
    }
    measures_.writes.add(static_cast<uint64_t>(workloads::wall_ns() - start));
    measures_.payload_bytes += buffer_.size();
  }

  const ClientSettings& settings_;
  Connection& connection_;
  int number_;
  std::vector<uint8_t> buffer_;
  Measures measures_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

// The first reads must find a whole payload of this size, whatever an earlier client has left.
void write_first_payload(const ClientSettings& settings, Connection& connection) {
  std::vector<uint8_t> payload(static_cast<size_t>(settings.payload));
  fill_payload(payload, 0);
  connection.write_memory(kMemory, payload);
}

void start_threads(std::vector<std::thread>& threads, Workers& workers, Conductor& conductor) {
  try {
    for (auto& worker : workers) {
      threads.emplace_back([&worker, &conductor] { worker->run(conductor); });
    }
  } catch (const std::system_error&) {
    conductor.stop("Only " + std::to_string(threads.size()) + " of " +
                   std::to_string(workers.size()) +
                   " threads could be started here; use fewer --threads.");
  }
}

// Until all threads have ended, watches for a server that disappears while all of them think.
void watch_connections(const Connections& connections, Conductor& conductor) {
  std::vector<pollfd> watched{conductor.all_ended().to_wait_for()};
  for (const auto& connection : connections) {
    watched.push_back({connection->socket(), POLLRDHUP, 0});
  }
  while (watched[0].revents == 0) {
    poll(watched.data(), watched.size(), -1);
    for (size_t at = 0; at < connections.size(); ++at) {
      pollfd& socket = watched[at + 1];
      if (socket.revents != 0) {
        conductor.stop(connections[at]->hang_up());
        socket = {-1, 0, 0};
      }
    }
  }
}

void run_threads(Workers& workers,
                 const Connections& connections,
                 Conductor& conductor,
                 Measures& total) {
  std::vector<std::thread> threads;
  start_threads(threads, workers, conductor);
  workloads::Switches switches = workloads::switches_so_far();
  int64_t cpu_ns = workloads::process_cpu_ns();
  total.started_ns = workloads::wall_ns();
  conductor.start(threads.size());
  watch_connections(connections, conductor);
  for (std::thread& thread : threads) {
    thread.join();
  }
  total.ended_ns = workloads::wall_ns();
  total.cpu_ns = workloads::process_cpu_ns() - cpu_ns;
  total.switches = workloads::switches_so_far() - switches;
}

}  // namespace

void Measures::add(const Measures& other) {
  iterations += other.iterations;
  payload_bytes += other.payload_bytes;
  data_errors += other.data_errors;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  crc32_bytes += other.crc32_bytes;
  bool first = started_ns == 0;
  started_ns = first ? other.started_ns : std::min(started_ns, other.started_ns);
  ended_ns = std::max(ended_ns, other.ended_ns);
  cpu_ns += other.cpu_ns;
  switches += other.switches;
  reads.add(other.reads);
  writes.add(other.writes);
}

void run_client(const ClientSettings& settings, Crc32 crc32, Measures& total) {
  Connections connections = connect_all(settings, crc32);
  write_first_payload(settings, *connections[0]);
  Conductor conductor;
  Workers workers;
  for (int number = 0; number < settings.threads; ++number) {
    Connection& connection = *connections[settings.shared() ? 0 : static_cast<size_t>(number)];
    workers.push_back(std::make_unique<Worker>(settings, connection, number));
  }
  Measures whole;
  run_threads(workers, connections, conductor, whole);
  if (conductor.stopped()) {
    throw Failure(conductor.failure());
  }
  for (const auto& worker : workers) {
    Measures of_worker = worker->measures();
    of_worker.started_ns = whole.started_ns;
    whole.add(of_worker);
  }
  for (const auto& connection : connections) {
    whole.bytes_sent += connection->sent().bytes;
    whole.bytes_received += connection->received().bytes;
    whole.crc32_bytes += connection->sent().crc32_bytes + connection->received().crc32_bytes;
  }
  total = whole;
}

}  // namespace memory_mock
