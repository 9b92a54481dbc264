// SPDX-License-Identifier: Apache-2.0
// Turns events into a profile. This class defines the order of the stages.
//
//     maps, forks, execs -> processes.h         the valid address space             this thread
//     samples            -> sample_stacks.h     addresses of the callers            workers
//                        -> profile_assembly.h  stacks of the profile               one thread
//     frames             -> naming.h            names, once for each address        any thread
//
// Samples pass through the stages in batches and in the order of arrival, so the profile does not
// depend on the number of cores. While this thread collects a batch, the workers unwind the one
// before, and the batches before that are added to the profile. Samples whose stack depends on
// their call chain alone skip the second stage. Reading a recording and recording live use the same
// stages.
//
// The stages share the modules (loaded_modules.h has the rules) and the address spaces, which never
// change once a sample refers to them (processes.h). An event that changes anything else waits
// until the stages are idle.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/batch_worker.h"
#include "base/worker_pool.h"
#include "pipeline/batch.h"
#include "pipeline/live_names.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/naming.h"
#include "pipeline/processes.h"
#include "pipeline/profile_assembly.h"
#include "pipeline/row_numbers.h"
#include "pipeline/sample_stacks.h"
#include "pipeline/unused_content.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick {

struct PipelineOptions {
  bool stitches = false;  // complete truncated stacks (stitching.h)
  // The recorded processes are running: the pipeline reads their memory, and the files that they
  // see, through /proc. False if a recording is read.
  bool is_live = false;
  // Reads the memory of live processes. Must outlive the pipeline. Null: read it directly.
  ProcessMemory* memory = nullptr;
  // Adds the functions of interpreted programs to the stacks of live processes.
  bool reads_interpreters = true;
};

class Pipeline : public EventSink, public StackFeedback {
 public:
  explicit Pipeline(const NameOptions& sources, const PipelineOptions& options = {});
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

  void on_switch(const SwitchEvent& /*event*/) override { unused_.see_switch(); }
  void on_aux(const AuxEvent& event) override { unused_.see_trace(event); }

  // Lends the profile with all samples so far, without names: use(const Profile&).
  template <typename Use>
  void with_profile_so_far(Use use) {
    finish_all_batches();
    profile_.builder().with_profile_so_far(use);
  }

  // Cuts off a window: a profile of the samples, marks, losses and everything else since the last
  // cut. Mappings, processes, threads, caches of the unwinder and open files stay, so the next
  // window starts where this one ends. Each window has only the rows that it needs, and the facts,
  // machine and clock of the recording: the window bounds the memory.
  //
  //     sum of all windows, including that of finish() = the profile without cuts
  //
  // In each window, a renamed thread has its last name of that window.
  RecordedWindow cut();

  // Starts to look up the names of all new frames on another thread, and returns at once. Does
  // nothing while that thread is busy with the last call; a later call includes those frames.
  void look_up_names();
  // The number of addresses looked up so far.
  uint64_t names_looked_up() { return naming_.looked_up(); }
  // A window with names. Any thread may call this during the recording.
  Profile named(RecordedWindow window);

  // The window since the last cut, with names. Ends the recording.
  Profile finish();

 private:
  // The number of a thread or a process. It gets a row with the first request.
  uint32_t thread_number(const EventContext& at);
  uint32_t process_number(TaskKey key);
  ThreadId known_thread(const EventContext& at);
  void hand_over_if_full();
  void collect_stack(const SampleEvent& event, const SpaceState& space);
  void wait_for_assembler();
  const SpaceState& keep_space(const std::shared_ptr<SpaceState>& space);
  // Passes the collected batch on to the workers, or past them. Waits for the batch before it.
  void hand_over();
  // Waits for the workers, and passes their batch on to the assembler.
  void finish_unwound_batch();
  void drop_ended(int64_t now);
  void drop_thread(TaskKey key);
  void release_thread(uint32_t number);
  // The address space of a program that ended, for its mappings in the profile; null if there are
  // too many.
  std::shared_ptr<SpaceState> last_space(const ProcessState& process);
  void drop_process(TaskKey key);
  void forget_interpreter(TaskKey process);
  void report_unread_interpreters();
  // Returns when everything collected so far is in the profile.
  void finish_all_batches();

  PipelineOptions options_;
  RunningProcesses running_;
  ProcessMemory* live_ = nullptr;  // null if a recording is read
  LoadedModules modules_;
  Processes processes_;
  struct EndedThread {
    TaskKey process;
    int32_t tid = -1;
    int64_t time_ns = 0;
    bool was_gone = false;  // the kernel did not know its process when this was looked at before
  };
  std::deque<EndedThread> ended_;  // by time; their states are dropped a little later
  InterpretedFunctions interpreted_functions_;
  std::unique_ptr<Interpreters> interpreters_;  // null: not read
  SampleStacks stacks_;
  ProfileAssembly profile_;
  UnusedContent unused_;
  RowNumbers thread_numbers_;
  RowNumbers process_numbers_;
  size_t mappings_of_ended_ = 0;  // in this window

  WorkerPool pool_;
  std::vector<UnwindScratch> scratch_;  // one for each worker
  Batch collected_;
  Batch unwound_;  // the workers' batch
  BatchWorker<Batch> assembler_;
  bool assembler_borrows_ = false;  // it may have samples whose chains are in the recording
  Naming naming_;
  LiveNames live_names_;
};

}  // namespace wick
