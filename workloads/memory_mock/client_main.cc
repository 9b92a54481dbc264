// SPDX-License-Identifier: Apache-2.0
// memory_mock_client: many threads that read and write the memory of memory_mock_server.
#include <string>
#include <string_view>

#include "common/json.h"
#include "common/options.h"
#include "memory_mock/client_run.h"
#include "memory_mock/crc.h"
#include "memory_mock/device.h"
#include "memory_mock/failure.h"
#include "memory_mock/instances.h"
#include "memory_mock/server.h"

namespace {

using namespace memory_mock;

void declare(workloads::Options& options, ClientSettings& settings) {
  options.text("host", settings.endpoint.host, "ADDRESS", "where the server listens");
  options.number("port", settings.endpoint.port, 1, 65535, "its TCP port");
  options.text("port-file", settings.port_file, "FILE", "waits for this file and takes its port");
  options.number("threads", settings.threads, 1, 10'000, "threads of an instance");
  options.number("iterations", settings.iterations, 1, 1'000'000'000, "iterations of a thread");
  options.number("payload",
                 settings.payload,
                 4,
                 kBar1Size,
                 "bytes of a read or write, a multiple of 4; the memory has 2048");
  options.number("think-ms", settings.think_ms, 0, 3'600'000, "pause after an iteration");
  options.choice("connection",
                 settings.connection,
                 {"shared", "own"},
                 "one connection for all threads of an instance, or one each");
  options.number("instances", settings.instances, 1, 1000, "client processes at once");
  options.choice("clients",
                 settings.clients,
                 {"alone", "several"},
                 "whether others write to the memory at the same time");
  options.choice("crc", settings.crc, crc_names(), "how CRC-32 is computed");
  options.number("connect-timeout-ms",
                 settings.connect_timeout_ms,
                 0,
                 3'600'000,
                 "how long a server may take to start");
  options.number("reply-timeout-ms",
                 settings.reply_timeout_ms,
                 1,
                 3'600'000,
                 "how long a server may stay silent");
}

void check(const workloads::Options& options, const ClientSettings& settings) {
  if (settings.payload % 4 != 0) {
    options.fail_usage("--payload takes a multiple of 4, because packets carry whole words.");
  }
  int64_t connections = int64_t{settings.connections_per_instance()} * settings.instances;
  if (connections > static_cast<int64_t>(kMaxConnections)) {
    options.fail_usage("That makes " + std::to_string(connections) +
                       " connections, but the server's select() can watch " +
                       std::to_string(kMaxConnections) +
                       "; use fewer --threads or --instances, or --connection shared.");
  }
}

void put_latencies(workloads::Json& json, std::string_view name, const Latencies& latencies) {
  auto microseconds = [](uint64_t ns) { return static_cast<double>(ns) * 1e-3; };
  json.object(name, [&](workloads::Json& inner) {
    inner.field("count", latencies.count);
    inner.field("p50", microseconds(latencies.percentile_ns(0.5)));
    inner.field("p90", microseconds(latencies.percentile_ns(0.9)));
    inner.field("p99", microseconds(latencies.percentile_ns(0.99)));
    inner.field("p999", microseconds(latencies.percentile_ns(0.999)));
    inner.field("max", microseconds(latencies.max_ns));
  });
}

void print_result(const ClientSettings& settings, const Measures& measures) {
  double wall_s = static_cast<double>(measures.ended_ns - measures.started_ns) * 1e-9;
  workloads::Json json;
  json.field("threads", settings.threads);
  json.field("instances", settings.instances);
  json.field("connection", settings.connection);
  json.field("payload", settings.payload);
  json.field("think_ms", settings.think_ms);
  json.field("crc", settings.crc);
  json.field("iterations", measures.iterations);
  json.field("iterations_per_s", static_cast<double>(measures.iterations) / wall_s);
  json.field("payload_bytes", measures.payload_bytes);
  json.field("payload_bytes_per_s", static_cast<double>(measures.payload_bytes) / wall_s);
  json.field("bytes_sent", measures.bytes_sent);
  json.field("bytes_received", measures.bytes_received);
  json.field("crc32_bytes", measures.crc32_bytes);
  json.field("errors", measures.data_errors);
  json.object("latency_us", [&](workloads::Json& inner) {
    put_latencies(inner, "read", measures.reads);
    put_latencies(inner, "write", measures.writes);
  });
  json.field("wall_s", wall_s);
  json.field("cpu_s", static_cast<double>(measures.cpu_ns) * 1e-9);
  json.object("switches", [&](workloads::Json& inner) {
    inner.field("voluntary", measures.switches.voluntary);
    inner.field("involuntary", measures.switches.involuntary);
  });
  json.print();
}

}  // namespace

int main(int argc, char** argv) {
  ClientSettings settings;
  workloads::Options options("memory_mock_client",
                             "Threads that read, write and read again the memory of "
                             "memory_mock_server, and check every byte. Prints JSON.");
  declare(options, settings);
  options.parse(argc, argv);
  check(options, settings);
  try {
    Measures measures = run_instances(settings, crc32_by_name(settings.crc));
    print_result(settings, measures);
    if (measures.data_errors != 0) {
      options.fail_world(std::to_string(measures.data_errors) +
                         " reads returned a mixture of bytes from several writes.");
    }
  } catch (const Failure& failure) {
    options.fail_world(failure.what());
  }
}
