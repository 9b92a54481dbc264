// SPDX-License-Identifier: Apache-2.0
// memory_mock_server: a memory that clients access over TCP; one thread, most of its time in a
// checksum.
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "common/clocks.h"
#include "common/json.h"
#include "common/options.h"
#include "memory_mock/crc.h"
#include "memory_mock/failure.h"
#include "memory_mock/packet_log.h"
#include "memory_mock/server.h"
#include "memory_mock/sockets.h"
#include "memory_mock/syslog_reader.h"

namespace {

using namespace memory_mock;

struct Settings {
  Endpoint endpoint{"127.0.0.1", 2115};
  std::string port_file;
  std::string crc = "bitwise";
  std::string log = "syslog";
  std::string log_file = "memory_mock.log";
  bool syslog_reader = false;
  ServerLimits limits{5000, 0};
};

void declare(workloads::Options& options, Settings& settings) {
  options.text("host", settings.endpoint.host, "ADDRESS", "where to listen; :: is everywhere");
  options.number("port", settings.endpoint.port, 0, 65535, "TCP port; 0 takes any free one");
  options.text("port-file", settings.port_file, "FILE", "written when ready, holds the port");
  options.choice("crc", settings.crc, crc_names(), "how CRC-32 is computed");
  options.choice("log", settings.log, {"syslog", "file", "none"}, "where each packet is noted");
  options.text("log-file", settings.log_file, "FILE", "the file of --log file");
  options.flag("syslog-reader", settings.syslog_reader, "read /dev/log when no daemon does");
  options.number("peer-timeout-ms",
                 settings.limits.peer_timeout_ms,
                 1,
                 3'600'000,
                 "how long a client may stop in the middle of a frame");
  options.number("idle-exit-ms",
                 settings.limits.idle_exit_ms,
                 0,
                 3'600'000,
                 "end when the last client has been gone that long; 0 is never");
}

PacketLog::Kind log_kind(const std::string& name) {
  if (name == "syslog") {
    return PacketLog::Kind::syslog;
  }
  return name == "file" ? PacketLog::Kind::file : PacketLog::Kind::none;
}

// The file with the port exists while the server listens, and is never half written.
class PortFile {
 public:
  PortFile(std::string name, int port) : name_(std::move(name)) {
    if (name_.empty()) {
      return;
    }
    std::string draft = name_ + ".new";
    std::FILE* file = std::fopen(draft.c_str(), "we");
    bool written = file != nullptr && std::fprintf(file, "%d\n", port) > 0;
    written = (file == nullptr || std::fclose(file) == 0) && written;
    if (!written || std::rename(draft.c_str(), name_.c_str()) != 0) {
      throw Failure("Cannot write the port file '" + name_ + "': " + why() + ".");
    }
  }
  ~PortFile() {
    if (!name_.empty()) {
      unlink(name_.c_str());
    }
  }
  PortFile(const PortFile&) = delete;
  PortFile& operator=(const PortFile&) = delete;

 private:
  std::string name_;
};

void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop_requested = 1; };  // no SA_RESTART: waiting calls end
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void put_traffic(workloads::Json& json, std::string_view name, const Traffic& traffic) {
  json.object(name, [&](workloads::Json& inner) {
    inner.field("packets", traffic.packets);
    inner.field("acknowledgements", traffic.acknowledgements);
    inner.field("bytes", traffic.bytes);
    inner.field("crc32_bytes", traffic.crc32_bytes);
    inner.field("crc16_bytes", traffic.crc16_bytes);
  });
}

void put_cost(workloads::Json& json, int64_t started_ns) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json.field("wall_s", static_cast<double>(workloads::wall_ns() - started_ns) * 1e-9);
  json.field("cpu_s", static_cast<double>(workloads::process_cpu_ns()) * 1e-9);
  json.field("user_s", seconds(usage.ru_utime));
  json.field("system_s", seconds(usage.ru_stime));
  workloads::Switches switches = workloads::switches_so_far();
  json.object("switches", [&](workloads::Json& inner) {
    inner.field("voluntary", switches.voluntary);
    inner.field("involuntary", switches.involuntary);
  });
}

void put_counts(workloads::Json& json, const ServerCounts& counts) {
  json.field("connections", counts.connections);
  json.field("turned_away", counts.turned_away);
  json.field("broken_off", counts.broken_off);
  put_traffic(json, "received", counts.received);
  put_traffic(json, "sent", counts.sent);
  json.field("crc32_bytes", counts.received.crc32_bytes + counts.sent.crc32_bytes);
  json.field("memory_reads", counts.memory_reads);
  json.field("memory_writes", counts.memory_writes);
  json.field("config_requests", counts.config_requests);
  json.object("errors", [&](workloads::Json& inner) {
    inner.field("crc", counts.received.crc_errors);
    inner.field("payload", counts.payload_errors);
    inner.field("refused_requests", counts.refused_requests);
  });
}

const char* who_reads(bool syslog, bool own_reader) {
  if (!syslog) {
    return "not used";
  }
  if (own_reader) {
    return "own reader";
  }
  return is_syslog_read() ? "daemon" : "none";
}

void serve(const Settings& settings) {
  int64_t started_ns = workloads::wall_ns();
  stop_on_signals();
  Crc32 crc32 = crc32_by_name(settings.crc);
  bool syslog = settings.log == "syslog";
  std::optional<SyslogReader> reader;
  if (syslog && settings.syslog_reader && !is_syslog_read()) {
    reader.emplace();
  }
  const char* readers = who_reads(syslog, reader.has_value());
  PacketLog log(log_kind(settings.log), settings.log_file);
  Descriptor listener = listen_at(settings.endpoint);
  int port = port_of(listener);
  PortFile port_file(settings.port_file, port);
  std::fprintf(stderr, "memory_mock_server: listening on port %d.\n", port);
  if (readers == std::string_view("none")) {
    std::fprintf(stderr, "memory_mock_server: no daemon reads syslog; see --syslog-reader.\n");
  }

  // Not on the stack: profilers copy its top few kilobytes, and main should be among them.
  auto server = std::make_unique<Server>(std::move(listener), crc32, log, settings.limits);
  server->run();

  log.finish();
  workloads::Json json;
  json.field("port", port);
  json.field("crc", settings.crc);
  json.field("log", settings.log);
  json.field("log_lines", log.lines());
  json.field("syslog_read_by", readers);
  if (reader) {
    json.field("syslog_lines_read", reader->finish());
  }
  put_counts(json, server->counts());
  put_cost(json, started_ns);
  json.print();
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  workloads::Options options("memory_mock_server",
                             "A memory behind TCP: one thread, PCIe packets, a checksum for each. "
                             "Ends on SIGTERM or SIGINT with its counts as JSON.");
  declare(options, settings);
  options.parse(argc, argv);
  if (settings.syslog_reader && settings.log != "syslog") {
    options.fail_usage("--syslog-reader reads what --log syslog sends; use both or neither.");
  }
  try {
    serve(settings);
  } catch (const Failure& failure) {
    options.fail_world(failure.what());
  }
}
