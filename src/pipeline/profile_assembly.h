// SPDX-License-Identifier: Apache-2.0
// The last stage: batches of samples whose stacks have been found, into the profile. It runs on a
// thread of its own, one batch after the other; whoever looks at the profile or changes the tables
// of modules waits until it rests (pipeline.cc).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/batch.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/stack_assembly.h"
#include "pipeline/stitching.h"
#include "profile/builder.h"

namespace wick {

// A part of a recording: a profile without names, and the loaded file of each of its modules.
struct RecordedWindow {
  Profile profile;
  std::vector<LoadedId> loaded;
};

class ProfileAssembly {
 public:
  ProfileAssembly(LoadedModules& modules, bool stitches)
      : stacks_(builder_, modules), stitches_(stitches) {}

  static uint16_t cpu_of(const EventContext& at) {
    return at.cpu >= 0 && at.cpu < kNoCpu ? static_cast<uint16_t>(at.cpu) : kNoCpu;
  }

  void set_host(const HostEvent& event);
  void set_clock(const ClockEvent& event);
  void add_kind(const EventKind& kind);
  void take(Batch& batch);
  // None for a host of which nothing is known.
  SourceId source_of(MachineId machine);
  // The row of a thread by its number; none while no sample of it has arrived.
  ThreadId thread_row(uint32_t number);
  // What a process had mapped, as far as the profile has frames in it: to be called when all its
  // samples are in.
  void add_mappings(uint32_t process, const AddressSpace& space);

  ProfileBuilder& builder() { return builder_; }
  std::span<const LoadedId> loaded_of_modules() const { return stacks_.loaded_of_modules(); }
  // The profile so far; the next one begins, in which processes and threads get rows again when
  // something is heard of them. `missing_files` could not be opened: addresses in them are offsets.
  RecordedWindow finish(const std::vector<LoadedId>& missing_files);

 private:
  struct NamedKind {
    std::string name = "unknown";
    std::string unit = "unknown";
    Event event;
    EventId row;  // none until it is sampled: recorders declare events that only carry maps
  };

  // What is known of the recorded machine.
  struct Host {
    std::string name;
    std::string kernel;
    std::string boot_id;
    ClockKind clock = ClockKind::kUnknown;
    int64_t wall_clock_ns = kNoTime;
  };
  struct Cgroup {
    std::string path;  // empty when it was not recorded
    std::optional<LabelSetId> labels = {};
  };
  // A process or a thread; its row is none until the profile needs one.
  struct KnownProcess {
    SeenProcess seen;
    ProcessId row;
  };
  struct KnownThread {
    SeenThread seen;
    ThreadId row;
  };

  void forget_unknown_source();
  Source host_source();
  ProcessId process_row(uint32_t number);
  ProcessId add_process(const SeenProcess& seen);
  ThreadId add_thread(const SeenThread& seen);
  void start_over(const Profile& finished);
  void update_thread(const ThreadUpdate& update);
  void rename_thread(ThreadId id, Thread& thread, const ThreadUpdate& update);
  void update_process(const ProcessUpdate& update);
  struct AssembledStack {
    StackId stack;
    Ending ending = Ending::kUnknown;
  };

  AssembledStack stack_of(const PendingSample& sample);
  LabelSetId labels_of(const PendingSample& sample);
  BranchSetId branches_of(const PendingSample& sample, const Batch& batch);
  void add_sample(const PendingSample& sample, const Batch& batch);
  NamedKind& kind(uint32_t number);
  void order_events(Profile& profile) const;
  EventId event_row(uint32_t number);

  ProfileBuilder builder_;
  StackAssembly stacks_;
  std::vector<AssembledStack> stacks_of_chains_;  // by number of KnownChains
  bool stitches_;
  Stitching stitching_;
  std::vector<NamedKind> kinds_;  // by number
  std::optional<Host> host_;
  std::map<MachineId, SourceId> sources_;
  std::vector<KnownProcess> processes_;  // by number
  std::vector<KnownThread> threads_;     // by number
  std::vector<bool> has_several_names_;  // by row of a thread
  uint64_t mappings_ = 0;                // rows so far
  std::unordered_map<uint64_t, Cgroup> cgroups_;
  std::vector<Branch> branches_;  // of the sample that is being added
  bool has_samples_ = false;
  uint64_t total_weight_ = 0;
};

}  // namespace wick
