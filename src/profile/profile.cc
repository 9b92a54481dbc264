#include "profile/profile.h"

namespace wick {

void SampleColumns::push_back(const Sample& sample) {
  time_ns.push_back(sample.time_ns);
  weight.push_back(sample.weight);
  count.push_back(sample.count);
  stack.push_back(sample.stack);
  thread.push_back(sample.thread);
  event.push_back(sample.event);
  cpu.push_back(sample.cpu);
  ending.push_back(sample.ending);
}

size_t SampleColumns::memory_bytes() const {
  return time_ns.memory_bytes() + weight.memory_bytes() + count.memory_bytes() +
         stack.memory_bytes() + thread.memory_bytes() + event.memory_bytes() + cpu.memory_bytes() +
         ending.memory_bytes();
}

bool is_truncated(Ending ending) {
  return ending == Ending::kCopyTooShort || ending == Ending::kTooDeep;
}

bool is_broken(Ending ending) {
  return ending != Ending::kUnknown && ending != Ending::kComplete && !is_truncated(ending);
}

bool is_before_after(const Profile& profile) {
  return profile.events.size() == 2 &&
         profile.strings[profile.events[EventId(0)].name] == "after" &&
         profile.strings[profile.events[EventId(1)].name] == "before";
}

}  // namespace wick
