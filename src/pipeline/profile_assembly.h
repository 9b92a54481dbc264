// SPDX-License-Identifier: Apache-2.0
// The last stage: adds batches of samples to the profile, after their stack copies were unwound. It
// looks up call chains here, and not on the thread that reads the recording, which has as much
// work.
//
// It runs on its own thread, one batch after the other. Other threads must not use the profile or
// change the tables of modules until it is idle (pipeline.cc).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/batch.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/sample_stacks.h"
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
  ProfileAssembly(LoadedModules& modules,
                  const InterpretedFunctions& functions,
                  const SampleStacks& sample_stacks,
                  bool stitches)
      : sample_stacks_(sample_stacks), stacks_(builder_, modules, functions), stitches_(stitches) {}

  static uint16_t cpu_of(const EventContext& at) {
    return at.cpu >= 0 && at.cpu < kNoCpu ? static_cast<uint16_t>(at.cpu) : kNoCpu;
  }

  void set_host(const HostEvent& event);
  void set_clock(const ClockEvent& event);
  void add_kind(const EventKind& event);
  void take(Batch& batch);
  // None if nothing is known about the host.
  SourceId source_of(MachineId machine);
  // The row of a thread by its number; none while no sample of it has arrived.
  ThreadId thread_row(uint32_t number);
  // Adds the mappings of a process whose modules have frames in the profile. Call it after the last
  // sample of the process.
  void add_mappings(uint32_t process, const AddressSpace& space);

  ProfileBuilder& builder() { return builder_; }
  std::span<const LoadedId> loaded_of_modules() const { return stacks_.loaded_of_modules(); }
  // Returns the profile and starts the next one, in which processes and threads get rows again with
  // their next event. `missing_files` could not be opened: addresses in them are offsets.
  RecordedWindow finish(const std::vector<LoadedId>& missing_files);

 private:
  struct NamedKind {
    std::string name = "unknown";
    std::string unit = "unknown";
    Event event;
    EventId row;  // none until the first sample: some events only carry maps
  };

  // The recorded machine.
  struct Host {
    std::string name;
    std::string kernel;
    std::string boot_id;
    ClockKind clock = ClockKind::kUnknown;
    int64_t wall_clock_ns = kNoTime;
  };
  struct TaskName {
    std::string name;
    std::string coroutine;
    friend auto operator<=>(const TaskName&, const TaskName&) = default;
  };
  struct Cgroup {
    std::string path;  // empty if it was not recorded
    using Labels = std::array<std::optional<LabelSetId>, kLockUses>;  // by use of the lock
    Labels labels = {};
    std::map<TaskName, Labels> of_tasks;
  };
  // A process or a thread; its row is none until the profile needs one. Numbers are used again, so
  // that a reference to another process has its serial number, too.
  struct KnownProcess {
    SeenProcess seen;
    ProcessId row = {};
    uint64_t serial = 0;  // unique; 0: has ended
    uint64_t serial_of_parent = 0;
  };
  struct KnownThread {
    SeenThread seen;
    ThreadId row = {};
    uint64_t serial_of_process = 0;
    bool is_used = false;  // its number belongs to a thread
  };

  void forget_unknown_source();
  Source host_source();
  uint64_t serial_of(uint32_t process) const;
  bool is_process(uint32_t number, uint64_t serial) const;
  ProcessId process_row(uint32_t number);
  ProcessId add_process(const KnownProcess& known);
  ThreadId add_thread(const KnownThread& known);
  void start_over(const Profile& finished);
  void change_thread(const ThreadUpdate& update);
  void update_thread(const ThreadUpdate& update);
  void rename_thread(ThreadId id, Thread& thread, const ThreadUpdate& update);
  void name_thread(uint32_t number, const std::string& name);
  void change_process(const ProcessUpdate& update);
  void update_process(const ProcessUpdate& update);
  void add_samples(std::span<const PendingSample> samples, const Batch& batch);
  AssembledStack assemble(const UnwoundStack& found, const PendingSample& sample);
  AssembledStack stack_of_chain(const PendingSample& sample);
  // Of samples in a cgroup (0: none), with what is known about the interpreter of their thread.
  LabelSetId labels_of(uint64_t cgroup, const UnwoundStack& found);
  LabelSetId make_labels(uint64_t cgroup, LockUse lock_use, const TaskName& task);
  BranchSetId branches_of(const PendingSample& sample, const Batch& batch);
  void add_sample(const PendingSample& sample, const AssembledStack& assembled, const Batch& batch);
  NamedKind& kind(uint32_t number);
  void order_events(Profile& profile) const;
  EventId event_row(uint32_t number);

  const SampleStacks& sample_stacks_;
  UnwindScratch scratch_;
  UnwoundStack found_;  // of a new chain
  KnownChains known_chains_;
  ProfileBuilder builder_;
  StackAssembly stacks_;
  bool stitches_;
  Stitching stitching_;
  std::vector<NamedKind> kinds_;  // by number
  std::optional<Host> host_;
  std::map<MachineId, SourceId> sources_;
  std::vector<KnownProcess> processes_;  // by number
  std::vector<KnownThread> threads_;     // by number
  uint64_t serials_ = 0;                 // of processes so far
  uint64_t ended_ = 0;                   // processes, so far
  std::vector<bool> has_several_names_;  // by row of a thread
  uint64_t mappings_ = 0;                // rows so far
  std::unordered_map<uint64_t, Cgroup> cgroups_;
  size_t tasks_ = 0;              // that have labels
  std::vector<Branch> branches_;  // of the current sample
  bool has_samples_ = false;
  uint64_t total_weight_ = 0;
};

}  // namespace wick
