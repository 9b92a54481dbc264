// The last stage: batches of samples whose stacks have been found, into the profile. It runs on a
// thread of its own, one batch after the other; whoever looks at the profile or changes the tables
// of modules waits until it rests (pipeline.cc).
#pragma once

#include <string>
#include <vector>

#include "pipeline/batch.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/stack_assembly.h"
#include "pipeline/stitching.h"
#include "profile/builder.h"

namespace wick {

class ProfileAssembly {
 public:
  ProfileAssembly(LoadedModules& modules, bool stitches)
      : stacks_(builder_, modules), stitches_(stitches) {}

  void add_kind(const EventKind& kind);
  void take(Batch& batch);

  ProfileBuilder& builder() { return builder_; }
  Profile finish();

 private:
  struct NamedKind {
    std::string name = "unknown";
    std::string unit = "unknown";
    EventId row;  // none until it is sampled: recorders declare events that only carry maps
  };

  void add_thread(const SeenThread& seen);
  void add_sample(const PendingSample& sample);
  NamedKind& kind(uint32_t number);
  void order_events(Profile& profile) const;
  EventId event_row(uint32_t number);

  ProfileBuilder builder_;
  StackAssembly stacks_;
  bool stitches_;
  Stitching stitching_;
  std::vector<NamedKind> kinds_;       // by number
  std::vector<ThreadId> thread_rows_;  // by number of SeenThread
  bool has_samples_ = false;
  uint64_t total_weight_ = 0;
};

}  // namespace wick
