#include "profile/builder.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {
uint64_t hash_of(const Module& module) {
  return hash_mix(module.path.value, module.build_id.value);
}

uint64_t hash_of(const Function& function) {
  uint64_t names = hash_mix(function.name.value, function.linkage_name.value);
  uint64_t place = hash_mix(function.file.value, function.line);
  return hash_mix(hash_mix(names, place), hash_mix(function.module.value, function.address));
}

uint64_t hash_of(const Frame& frame) {
  uint64_t details = static_cast<uint64_t>(frame.line) << 24 |
                     static_cast<uint64_t>(frame.mode) << 16 |
                     static_cast<uint64_t>(frame.found) << 8 | frame.flags;
  uint64_t where = hash_mix(frame.function.value, frame.module.value);
  return hash_mix(hash_mix(where, frame.address), details);
}

uint64_t hash_of(const Process& process) {
  return hash_mix(static_cast<uint64_t>(process.pid), process.name.value);
}

uint64_t hash_of(const Thread& thread) {
  uint64_t who = hash_mix(static_cast<uint64_t>(thread.tid), thread.process.value);
  return hash_mix(who, thread.name.value);
}

uint64_t hash_of(const Event& event) {
  return hash_mix(hash_mix(event.name.value, event.unit.value), event.scale);
}

void ProfileBuilder::add_fact(std::string_view key, std::string_view value) {
  Fact fact{string(key), string(value)};
  if (std::ranges::find(profile_.facts, fact) == profile_.facts.end()) {
    profile_.facts.push_back(fact);
  }
}

void ProfileBuilder::add_loss(const LossReport& loss) {
  StringId reason = string(loss.reason);
  StringId what = string(loss.what);
  for (Loss& known : profile_.losses) {
    // An unknown number plus five is not five: those stay two rows.
    bool same_kind = (known.count == 0) == (loss.count == 0) && known.severity == loss.severity;
    if (known.reason == reason && known.what == what && same_kind) {
      known.count += loss.count;
      return;
    }
  }
  profile_.losses.push_back({.reason = reason,
                             .what = what,
                             .detail = string(loss.detail),
                             .count = loss.count,
                             .severity = loss.severity});
}

void ProfileBuilder::multiply_weights(int64_t factor) {
  profile_.samples.weight.transform([=](int64_t weight) { return weight * factor; });
}

void ProfileBuilder::swap_tables() {
  stacks_.swap_tree(profile_.stacks);
  strings_.swap_table(profile_.strings);
  modules_.swap_rows(profile_.modules);
  functions_.swap_rows(profile_.functions);
  frames_.swap_rows(profile_.frames);
  processes_.swap_rows(profile_.processes);
  threads_.swap_rows(profile_.threads);
  events_.swap_rows(profile_.events);
}

Profile ProfileBuilder::finish() {
  profile_.stacks = stacks_.release();
  profile_.strings = strings_.release();
  profile_.modules = modules_.release();
  profile_.functions = functions_.release();
  profile_.frames = frames_.release();
  profile_.processes = processes_.release();
  profile_.threads = threads_.release();
  profile_.events = events_.release();
  return std::move(profile_);
}

}  // namespace wick
