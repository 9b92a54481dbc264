// SPDX-License-Identifier: Apache-2.0
// A file descriptor with one owner; the owner's destructor closes it.
#pragma once

#include <initializer_list>
#include <utility>

#include <unistd.h>

namespace wick {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  bool valid() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

// For a process that has just been forked. It allocates nothing.
void close_all_but(std::initializer_list<int> ascending);

}  // namespace wick
