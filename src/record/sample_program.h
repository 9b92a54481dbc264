// What the kernel does at each sample, before it writes one: a few BPF instructions on the event.
//
// Strangers are left out before their stacks are copied. An event on a CPU fires for whoever runs
// there; on a busy machine most samples may be of others, and each costs room in the ring and a
// copy of its stack before it is dropped. The set holds strangers, not members: a new child of the
// target is then never lost while user space learns of it, and a new stranger merely costs a copy
// until it is known.
//
// Samples that stay go on to a second program, where there is one (deep_stacks.h): an event can
// have one only, but that one may jump to others.
#pragma once

#include <cstdint>
#include <optional>

#include "base/descriptor.h"

namespace wick::record {

class SampleProgram {
 public:
  // Nothing where BPF is not allowed, or process numbers differ from the kernel's.
  static std::optional<SampleProgram> make();

  int descriptor() const { return program_.get(); }
  void add_stranger(int32_t pid);
  void remove_stranger(int32_t pid);
  // Every sample that stays runs through `program` from now on.
  bool go_on_with(const Descriptor& program);

 private:
  SampleProgram() = default;

  Descriptor strangers_;
  Descriptor next_;
  Descriptor program_;
};

}  // namespace wick::record
