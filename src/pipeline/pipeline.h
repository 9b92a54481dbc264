// SPDX-License-Identifier: Apache-2.0
// Events in, a profile out: the one place that knows the order of the stages.
//
//     maps, forks, execs -> processes.h         which address space counts          this thread
//     samples            -> user_stack.h        addresses of the callers            workers
//                        -> profile_assembly.h  stacks of the profile               one thread
//     frames             -> naming.h            names, once for each address        any thread
//
// Samples go through the stages in batches, and in the order of arrival, so the profile does not
// depend on how many cores there are: while this thread collects a batch, the one before is unwound
// on the other cores, and those before that are put into the profile. Samples that need no
// unwinding skip the second stage. A recording that is read and one that is made right now take
// this same path.
//
// What the stages share are the modules (loaded_modules.h says who may do what) and the address
// spaces, which never change once a sample refers to them (processes.h). Everything else that an
// event changes waits for the stages to rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/batch_worker.h"
#include "base/worker_pool.h"
#include "pipeline/batch.h"
#include "pipeline/known_chains.h"
#include "pipeline/live_names.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/naming.h"
#include "pipeline/processes.h"
#include "pipeline/profile_assembly.h"
#include "pipeline/user_stack.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick {

struct PipelineOptions {
  bool stitches = false;  // complete stacks that were cut (stitching.h)
  // Where the memory of the recorded processes is read while they run (NameSources::files.live); a
  // recording that is read never asks for it. Must outlive the pipeline. Null: from the processes.
  ProcessMemory* memory = nullptr;
};

class Pipeline : public EventSink, public StackFeedback {
 public:
  explicit Pipeline(const NameSources& sources, const PipelineOptions& options = {});
  ~Pipeline() override;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void on_host(const HostEvent& event) override;
  void on_event_kind(const EventKind& kind) override;
  void on_sample(const SampleEvent& event) override;
  void on_map(const MapEvent& event) override;
  void on_build_id(const BuildIdEvent& event) override;
  void on_kernel_symbol(const KernelSymbolEvent& event) override;
  void on_symbol(const SymbolEvent& event) override;
  void on_comm(const CommEvent& event) override;
  void on_fork(const ForkEvent& event) override;
  void on_lost(const LostEvent& event) override;
  void on_mark(const MarkEvent& event) override;
  void on_fact(std::string_view key, std::string_view value) override;
  void on_checkpoint() override;

  StackFindings take_stack_findings() override;

  void on_clock(const ClockEvent& event) override;
  void on_cgroup(const CgroupEvent& event) override;
  void on_process(const ProcessEvent& event) override;
  void on_exit(const ExitEvent& event) override;

  // Not used yet.
  void on_switch(const SwitchEvent& /*event*/) override {}
  void on_aux(const AuxEvent& /*event*/) override {}

  // Lends the profile with all samples so far, without names: use(const Profile&).
  template <typename Use>
  void with_profile_so_far(Use use) {
    settle();
    profile_.builder().with_profile_so_far(use);
  }

  // Cuts off a window: the samples, marks, losses and everything else that happened since the last
  // cut, in a profile of its own. Mappings, processes, threads, caches of the unwinder and open
  // files stay, so the next window goes on where this one ends. Each window has only the rows that
  // it needs, and facts, machine and clock of the recording: memory is bounded by the window.
  //
  //     sum of all windows, the one of finish() included = the profile without cuts
  //
  // A thread that was renamed has the name it had at the end of each window.
  RecordedWindow cut();

  // Starts looking up the names of all frames so far that are new, on a thread of its own, and
  // returns at once. While that thread is still busy with the last call, nothing happens: the next
  // call makes up for it.
  void look_up_names();
  // How many addresses were looked up so far.
  uint64_t names_looked_up() { return naming_.looked_up(); }
  // A window with names. For any thread, while the recording goes on.
  Profile named(RecordedWindow window);

  // What happened since the last cut, with names; the end of the recording.
  Profile finish();

 private:
  // Of a collected sample: its chain has not been looked up yet.
  struct WaitingChain {
    size_t sample = 0;
    KnownChains::Key key;
  };

  // The numbers of a thread and of a process, which get rows when they are asked for first.
  uint32_t thread_number(const EventContext& at);
  uint32_t process_number(TaskKey key);
  ThreadId known_thread(const EventContext& at);
  void hand_over_if_full();
  void look_up_chains();
  const SpaceState& keep_space(const std::shared_ptr<SpaceState>& space);
  // The collected batch goes on to the workers, or past them; the one before must be done there.
  void hand_over();
  // The batch that is with the workers goes on into the profile.
  void settle_unwound();
  // Everything collected so far gets into the profile.
  void settle();
  void keep_stack_pointers(const SampleEvent& event,
                           size_t first_unwound,
                           const UnwindScratch& scratch,
                           UnwoundStack& found) const;
  void find_stack(const SampleEvent& event,
                  const SpaceState& space,
                  UnwindScratch& scratch,
                  UnwoundStack& found);

  PipelineOptions options_;
  RunningProcesses running_;
  ProcessMemory* live_ = nullptr;  // null for a recording that is read
  LoadedModules modules_;
  Processes processes_;
  ProfileAssembly profile_;
  KnownChains known_chains_;
  std::vector<WaitingChain> waiting_chains_;
  Architecture architecture_ = Architecture::kUnknown;
  uint32_t thread_count_ = 0;  // numbers given out
  uint32_t process_count_ = 0;

  WorkerPool pool_;
  std::vector<UnwindScratch> scratch_;  // one for each worker
  Batch collected_;
  Batch unwound_;  // by the workers, right now
  BatchWorker<Batch> assembler_;
  Naming naming_;
  LiveNames live_names_;
};

}  // namespace wick
