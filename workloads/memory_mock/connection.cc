// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/connection.h"

#include <algorithm>

#include <sys/socket.h>

#include "memory_mock/device.h"
#include "memory_mock/failure.h"
#include "memory_mock/little_endian.h"

namespace memory_mock {
namespace {

const char* sentence_for(Arrival arrival) {
  switch (arrival) {
    case Arrival::timed_out:
      return "The server has not answered in time; see --reply-timeout-ms.";
    case Arrival::malformed:
      return "The server sent something that is not a frame of this protocol.";
    default:
      return "The server closed the connection before the work was done.";
  }
}

}  // namespace

void Connection::enumerate() {
  if (read_config(0) != kIdentity) {
    throw Failure("The device at the other end is not the one of memory_mock_server.");
  }
  constexpr std::array<size_t, kBars> kExpectedSizes{kBar0Size, kBar1Size};
  for (size_t bar = 0; bar < kBars; ++bar) {
    uint64_t offset = kFirstBarRegister + 4 * bar;
    read_config(offset);
    write_config(offset, 0xFFFFFFFF);
    uint32_t mask = read_config(offset);
    write_config(offset, address_of_bar(bar));
    if (~mask + 1 != static_cast<uint32_t>(kExpectedSizes[bar])) {
      throw Failure("Memory " + std::to_string(bar) + " of the device has an unexpected size.");
    }
  }
}

void Connection::assign_memory_address() {
  write_config(kFirstBarRegister + 4, address_of_bar(1));
}

uint32_t Connection::read_config(uint64_t offset) {
  Packet packet;
  packet.type = PacketType::config_read;
  packet.address = offset;
  packet.length = 4;
  std::array<uint8_t, 4> value{};
  request(packet, value);
  return little_endian_32(value.data());
}

void Connection::write_config(uint64_t offset, uint32_t value) {
  std::array<uint8_t, 4> bytes = little_endian_bytes(value);
  Packet packet;
  packet.type = PacketType::config_write;
  packet.address = offset;
  packet.length = bytes.size();
  packet.payload = bytes;
  request(packet, {});
}

WORKLOAD_FUNCTION void Connection::read_memory(uint64_t address, std::span<uint8_t> into) {
  Packet packet;
  packet.type = PacketType::memory_read;
  packet.address = address;
  packet.length = into.size();
  request(packet, into);
}

// Posted: the next thread that receives reads the server's acknowledgement.
WORKLOAD_FUNCTION void Connection::write_memory(uint64_t address, std::span<const uint8_t> bytes) {
  Packet packet;
  packet.type = PacketType::memory_write;
  packet.address = address;
  packet.length = bytes.size();
  packet.payload = bytes;
  send(packet);
}

void Connection::request(Packet packet, std::span<uint8_t> into) {
  Lock lock(mutex_);
  packet.tag = static_cast<uint8_t>(take_slot(lock, into));
  lock.unlock();
  send(packet);
  lock.lock();
  wait_for_answer(lock, packet.tag);
  slots_[packet.tag].used = false;
  slot_freed_.notify_one();
}

size_t Connection::take_slot(Lock& lock, std::span<uint8_t> into) {
  throw_if_broken();
  auto is_free = [](const Slot& slot) { return !slot.used; };
  while (std::none_of(slots_.begin(), slots_.end(), is_free)) {
    slot_freed_.wait(lock);
    throw_if_broken();
  }
  while (slots_[next_tag_].used) {
    next_tag_ = (next_tag_ + 1) % kTags;
  }
  size_t tag = next_tag_;
  next_tag_ = (next_tag_ + 1) % kTags;
  slots_[tag].used = true;
  slots_[tag].answered = false;
  slots_[tag].into = into;
  return tag;
}

WORKLOAD_FUNCTION void Connection::wait_for_answer(Lock& lock, size_t tag) {
  Slot& mine = slots_[tag];
  while (!mine.answered) {
    throw_if_broken();
    if (is_receiving_) {
      mine.changed.wait(lock);
    } else {
      receive_one(lock);
    }
  }
  if (!is_receiving_) {
    wake_next_receiver();
  }
}

void Connection::wake_next_receiver() {
  for (Slot& slot : slots_) {
    if (slot.used && !slot.answered) {
      slot.changed.notify_one();
      return;
    }
  }
}

void Connection::receive_one(Lock& lock) {
  is_receiving_ = true;
  lock.unlock();
  Arrival arrival = link_.receive(frame_);
  if (arrival == Arrival::packet) {
    acknowledge(AckType::ack, frame_.packet.sequence);
  } else if (arrival == Arrival::wrong_packet) {
    acknowledge(AckType::nak, frame_.packet.sequence);
  }
  lock.lock();
  is_receiving_ = false;
  throw_if_broken();  // the owners of the slots may have left
  switch (arrival) {
    case Arrival::packet:
      return take_completion(lock, frame_.packet);
    case Arrival::acknowledgement:
      if (frame_.acknowledgement.type == AckType::nak) {
        break_off(lock, "The server refused a packet: it computed another CRC than this client.");
      }
      return;
    case Arrival::wrong_packet:
    case Arrival::wrong_acknowledgement:
      break_off(lock, "A frame of the server has a wrong CRC.");
    default:
      break_off(lock, sentence_for(arrival));
  }
}

void Connection::take_completion(Lock& lock, const Packet& packet) {
  Slot& slot = slots_[packet.tag];
  if (!slot.used || slot.answered) {
    break_off(lock, "The server answered a request that was never sent.");
  }
  if (packet.status != Status::successful || packet.payload.size() != slot.into.size()) {
    break_off(lock, "The server did not carry out a request, or only in part.");
  }
  std::copy(packet.payload.begin(), packet.payload.end(), slot.into.begin());
  slot.answered = true;
  slot.changed.notify_one();
}

void Connection::send(Packet& packet) {
  std::unique_lock<std::mutex> lock(sending_);
  Transfer transfer = link_.send_packet(packet);
  lock.unlock();
  check_sent(transfer);
}

void Connection::acknowledge(AckType type, uint16_t sequence) {
  std::lock_guard<std::mutex> lock(sending_);
  link_.send_acknowledgement({type, sequence});  // if it fails, the next receive fails as well
}

void Connection::check_sent(Transfer transfer) {
  if (transfer != Transfer::done) {
    Lock lock(mutex_);
    break_off(lock,
              sentence_for(transfer == Transfer::timed_out ? Arrival::timed_out : Arrival::closed));
  }
}

std::string Connection::hang_up() {
  Lock lock(mutex_);
  wake_all(sentence_for(Arrival::closed));
  return failure_;
}

// All waiting threads will throw the first sentence.
void Connection::wake_all(const std::string& sentence) {
  if (failure_.empty()) {
    failure_ = sentence;
  }
  shutdown(link_.socket(), SHUT_RDWR);
  for (Slot& slot : slots_) {
    slot.changed.notify_all();
  }
  slot_freed_.notify_all();
}

void Connection::break_off(Lock& lock, const std::string& sentence) {
  wake_all(sentence);
  Failure failure(failure_);
  lock.unlock();
  throw failure;
}

void Connection::throw_if_broken() const {
  if (!failure_.empty()) {
    throw Failure(failure_);
  }
}

}  // namespace memory_mock
