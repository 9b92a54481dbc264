// Leaves out the samples of strangers inside the kernel, before their stacks are copied.
//
// An event on a CPU fires for whoever runs there. On a busy machine most samples may be of others,
// and each costs 62 KB of ring and a copy before it is dropped. A few BPF instructions on the event
// look the process up in a set and drop the sample at once.
//
// The set holds strangers, not members: a new child of the target is then never lost while user
// space learns of it, and a new stranger merely costs a copy until it is known. BPF sees the
// numbers of the first pid namespace, so elsewhere the filter is not used.
#pragma once

#include <cstdint>
#include <optional>

#include "base/descriptor.h"

namespace wick::record {

class BpfFilter {
 public:
  // Nothing where BPF is not allowed, or process numbers differ from the kernel's.
  static std::optional<BpfFilter> make();

  int program() const { return program_.get(); }
  void add_stranger(int32_t pid);
  void remove_stranger(int32_t pid);

 private:
  BpfFilter() = default;

  Descriptor strangers_;
  Descriptor program_;
};

}  // namespace wick::record
