// SPDX-License-Identifier: Apache-2.0
// The client's end of a connection, shared by any number of threads.
//
// Requests have a tag from 0 to 31, assigned in turn; a completion has the tag of its request.
// There is no separate receiving thread: one of the waiting threads reads frames and passes each
// completion to its owner; when its own has arrived, it wakes another thread to continue. With one
// thread per connection this is plain "send, then receive". Any error breaks the connection for
// all: every call, waiting or new, throws the first Failure.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>

#include "memory_mock/link.h"

namespace memory_mock {

class Connection {
 public:
  Connection(Descriptor socket, Crc32 crc32) : link_(std::move(socket), crc32) {}

  // Finds the BARs and assigns their addresses, as an operating system does at start.
  void enumerate();
  // Assigns an address only to the memory in use; enough if another connection has enumerated the
  // whole device.
  void assign_memory_address();
  void read_memory(uint64_t address, std::span<uint8_t> into);
  void write_memory(uint64_t address, std::span<const uint8_t> bytes);

  // Breaks the connection because the peer has; returns the first reason.
  std::string hang_up();

  // Held around each access: shared by readers, exclusive for writers.
  std::shared_mutex access;

  int socket() const { return link_.socket(); }
  // Call only while no thread uses the connection.
  const Traffic& received() const { return link_.received(); }
  const Traffic& sent() const { return link_.sent(); }

 private:
  struct Slot {
    bool used = false;
    bool answered = false;
    std::span<uint8_t> into;
    std::condition_variable changed;
  };
  using Lock = std::unique_lock<std::mutex>;

  uint32_t read_config(uint64_t offset);
  void write_config(uint64_t offset, uint32_t value);
  void request(Packet packet, std::span<uint8_t> into);
  size_t take_slot(Lock& lock, std::span<uint8_t> into);
  void wait_for_answer(Lock& lock, size_t tag);
  void receive_one(Lock& lock);
  void take_completion(Lock& lock, const Packet& packet);
  void wake_next_receiver();
  void send(Packet& packet);
  void acknowledge(AckType type, uint16_t sequence);
  void check_sent(Transfer transfer);
  void wake_all(const std::string& sentence);
  [[noreturn]] void break_off(Lock& lock, const std::string& sentence);
  void throw_if_broken() const;

  Link link_;
  std::mutex sending_;

  std::mutex mutex_;  // guards everything below
  std::array<Slot, kTags> slots_;
  std::condition_variable slot_freed_;
  size_t next_tag_ = 0;
  bool is_receiving_ = false;
  std::string failure_;
  Frame frame_;  // of the receiving thread
};

}  // namespace memory_mock
