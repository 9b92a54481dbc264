// SPDX-License-Identifier: Apache-2.0
// The server: one thread that waits with select() for clients and packets.
//
// A turn of the loop accepts at most one new connection and handles one packet of each client that
// has one. A packet is checked, acknowledged (or refused) and then handled; a read is answered with
// a completion. A client can block the loop at most for the time limit of a socket, and a client
// that sends invalid frames is disconnected.
#pragma once

#include <cstdint>
#include <list>

#include <sys/select.h>

#include "memory_mock/device.h"
#include "memory_mock/link.h"
#include "memory_mock/packet_log.h"

namespace memory_mock {

// select() can only watch descriptors below FD_SETSIZE (1024); a few are needed for other purposes.
inline constexpr size_t kMaxConnections = FD_SETSIZE - 24;

struct ServerCounts {
  Traffic received, sent;
  uint64_t connections = 0;
  uint64_t turned_away = 0;  // connections beyond the limit of select()
  uint64_t broken_off = 0;   // clients that sent an invalid or partial frame, or took no answer
  uint64_t memory_reads = 0;
  uint64_t memory_writes = 0;
  uint64_t config_requests = 0;
  uint64_t refused_requests = 0;  // to addresses without memory
  uint64_t payload_errors = 0;    // writes whose payload is not a ramp (payload.h)
};

struct ServerLimits {
  int peer_timeout_ms;
  int idle_exit_ms;  // 0: serve until a signal arrives
};

class Server {
 public:
  Server(Descriptor listener, Crc32 crc32, PacketLog& log, ServerLimits limits);

  // Serves until stop_requested, or until the last client has been gone for long enough.
  void run();
  const ServerCounts& counts() const { return counts_; }

 private:
  struct Client {
    Link link;
    ConfigSpace config;
  };

  fd_set wait_for_packets();
  bool idle_for_long() const;
  void accept_client();
  bool serve_client(Client& client);
  bool handle_packet(Client& client, const Packet& packet);
  bool handle_memory_read(Client& client, const Packet& packet);
  bool handle_memory_write(Client& client, const Packet& packet);
  bool handle_config_read(Client& client, const Packet& packet);
  bool handle_config_write(Client& client, const Packet& packet);
  bool send_ack(Client& client, AckType type, unsigned sequence);
  bool send_completion(Client& client,
                       const Packet& request,
                       Status status,
                       std::span<const uint8_t> payload);
  void forget(const Client& client);

  Descriptor listener_;
  Crc32 crc32_;
  PacketLog& log_;
  ServerLimits limits_;
  size_t max_clients_;
  Memories memories_;
  std::list<Client> clients_;
  int64_t idle_since_ns_ = 0;
  ServerCounts counts_;
  Frame frame_;
};

}  // namespace memory_mock
