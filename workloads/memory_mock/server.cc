// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/server.h"

#include <algorithm>
#include <cstring>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clocks.h"
#include "memory_mock/failure.h"
#include "memory_mock/little_endian.h"
#include "memory_mock/payload.h"

namespace memory_mock {
namespace {

size_t most_clients() {
  rlimit open_files{};
  getrlimit(RLIMIT_NOFILE, &open_files);
  size_t allowed = open_files.rlim_cur < 64 ? 1 : open_files.rlim_cur - 24;
  return std::min(kMaxConnections, allowed);
}

}  // namespace

Server::Server(Descriptor listener, Crc32 crc32, PacketLog& log, ServerLimits limits)
    : listener_(std::move(listener)),
      crc32_(crc32),
      log_(log),
      limits_(limits),
      max_clients_(most_clients()) {}

void Server::run() {
  while (stop_requested == 0 && !idle_for_long()) {
    fd_set ready = wait_for_packets();
    if (FD_ISSET(listener_.get(), &ready)) {
      accept_client();
    }
    for (auto client = clients_.begin(); client != clients_.end();) {
      bool stays = !FD_ISSET(client->link.socket(), &ready) || serve_client(*client);
      if (stays) {
        ++client;
      } else {
        forget(*client);
        client = clients_.erase(client);
      }
    }
  }
  while (!clients_.empty()) {
    forget(clients_.front());
    clients_.pop_front();
  }
}

WORKLOAD_FUNCTION fd_set Server::wait_for_packets() {
  fd_set ready;
  FD_ZERO(&ready);
  FD_SET(listener_.get(), &ready);
  int last = listener_.get();
  for (const Client& client : clients_) {
    FD_SET(client.link.socket(), &ready);
    last = std::max(last, client.link.socket());
  }
  int wait_ms = limits_.idle_exit_ms > 0 ? std::min(1000, limits_.idle_exit_ms) : 1000;
  timeval timeout{wait_ms / 1000, wait_ms % 1000 * 1000};
  if (select(last + 1, &ready, nullptr, nullptr, &timeout) < 0) {
    if (errno != EINTR) {
      throw Failure("select() failed: " + why() + ".");
    }
    FD_ZERO(&ready);
  }
  return ready;
}

bool Server::idle_for_long() const {
  if (limits_.idle_exit_ms == 0 || counts_.connections == 0 || !clients_.empty()) {
    return false;
  }
  return workloads::wall_ns() - idle_since_ns_ >= limits_.idle_exit_ms * int64_t{1'000'000};
}

WORKLOAD_FUNCTION void Server::accept_client() {
  Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.get() < 0) {
    return;
  }
  if (clients_.size() >= max_clients_ || socket.get() >= FD_SETSIZE) {
    counts_.turned_away += 1;
    return;
  }
  prepare(socket, limits_.peer_timeout_ms);
  counts_.connections += 1;
  clients_.push_back({Link(std::move(socket), crc32_), ConfigSpace()});
}

void Server::forget(const Client& client) {
  counts_.received.add(client.link.received());
  counts_.sent.add(client.link.sent());
  idle_since_ns_ = workloads::wall_ns();
}

// Handles one frame. False if the client has disconnected or cannot be used any more.
WORKLOAD_FUNCTION bool Server::serve_client(Client& client) {
  Arrival arrival = client.link.receive(frame_);
  const Packet& packet = frame_.packet;
  const Acknowledgement& answer = frame_.acknowledgement;
  switch (arrival) {
    case Arrival::packet:
      log_packet(log_,
                 {"received", name_of(packet.type), packet.sequence, packet.tag, packet.length});
      return send_ack(client, AckType::ack, packet.sequence) && handle_packet(client, packet);
    case Arrival::wrong_packet:
      log_packet(log_, {"refused", name_of(packet.type), packet.sequence, packet.tag, 0});
      return send_ack(client, AckType::nak, packet.sequence);
    case Arrival::acknowledgement:
      log_packet(log_, {"received", name_of(answer.type), answer.sequence, 0, 0});
      return true;
    case Arrival::wrong_acknowledgement:
      log_packet(log_, {"dropped", name_of(answer.type), answer.sequence, 0, 0});
      return true;
    case Arrival::malformed:
    case Arrival::timed_out:
      counts_.broken_off += 1;
      return false;
    case Arrival::closed:
    case Arrival::stopped:
      break;
  }
  return false;
}

bool Server::handle_packet(Client& client, const Packet& packet) {
  switch (packet.type) {
    case PacketType::memory_read:
    case PacketType::memory_read_wide:
      return handle_memory_read(client, packet);
    case PacketType::memory_write:
    case PacketType::memory_write_wide:
      return handle_memory_write(client, packet);
    case PacketType::config_read:
      return handle_config_read(client, packet);
    case PacketType::config_write:
      return handle_config_write(client, packet);
    case PacketType::completion:
    case PacketType::completion_with_data:
      break;
  }
  counts_.refused_requests += 1;  // this end sends no requests, so nothing can be completed
  return true;
}

WORKLOAD_FUNCTION bool Server::handle_memory_read(Client& client, const Packet& packet) {
  counts_.memory_reads += 1;
  log_packet(log_, {"reading", "memory", packet.sequence, packet.tag, packet.length});
  auto location = client.config.find(packet.address, packet.length);
  if (!location) {
    counts_.refused_requests += 1;
    return send_completion(client, packet, Status::unsupported_request, {});
  }
  auto bytes = memories_.readable(location->bar).subspan(location->offset, packet.length);
  return send_completion(client, packet, Status::successful, bytes);
}

// Writes are posted: the client does not learn whether the address existed.
WORKLOAD_FUNCTION bool Server::handle_memory_write(Client& client, const Packet& packet) {
  counts_.memory_writes += 1;
  log_packet(log_, {"writing", "memory", packet.sequence, packet.tag, packet.length});
  auto location = client.config.find(packet.address, packet.length);
  std::span<uint8_t> memory = location ? memories_.writable(location->bar) : std::span<uint8_t>();
  if (memory.empty()) {
    counts_.refused_requests += 1;
    return true;
  }
  counts_.payload_errors += payload_is_whole(packet.payload) ? 0 : 1;
  std::memcpy(&memory[location->offset], packet.payload.data(), packet.payload.size());
  return true;
}

WORKLOAD_FUNCTION bool Server::handle_config_read(Client& client, const Packet& packet) {
  counts_.config_requests += 1;
  log_packet(log_, {"reading", "register", packet.sequence, packet.tag, packet.length});
  return send_completion(
      client, packet, Status::successful, little_endian_bytes(client.config.read(packet.address)));
}

WORKLOAD_FUNCTION bool Server::handle_config_write(Client& client, const Packet& packet) {
  counts_.config_requests += 1;
  log_packet(log_, {"writing", "register", packet.sequence, packet.tag, packet.length});
  client.config.write(packet.address, little_endian_32(packet.payload.data()));
  return send_completion(client, packet, Status::successful, {});
}

WORKLOAD_FUNCTION bool Server::send_ack(Client& client, AckType type, unsigned sequence) {
  Acknowledgement answer{type, static_cast<uint16_t>(sequence)};
  Transfer transfer = client.link.send_acknowledgement(answer);
  log_packet(log_, {"sent", name_of(type), sequence, 0, 0});
  counts_.broken_off += transfer == Transfer::timed_out ? 1 : 0;
  return transfer == Transfer::done;
}

WORKLOAD_FUNCTION bool Server::send_completion(Client& client,
                                               const Packet& request,
                                               Status status,
                                               std::span<const uint8_t> payload) {
  Packet answer;
  answer.type = payload.empty() ? PacketType::completion : PacketType::completion_with_data;
  answer.tag = request.tag;
  answer.status = status;
  answer.length = payload.size();
  answer.payload = payload;
  Transfer transfer = client.link.send_packet(answer);
  log_packet(log_, {"sent", name_of(answer.type), answer.sequence, answer.tag, answer.length});
  counts_.broken_off += transfer == Transfer::timed_out ? 1 : 0;
  return transfer == Transfer::done;
}

}  // namespace memory_mock
