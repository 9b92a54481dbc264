// Events in, a profile out: the one place that knows the order of the stages.
//
//     maps, forks, execs -> processes.h     which address space counts
//     samples            -> user_stack.h    addresses of the callers, many samples at once
//                        -> stack_assembly.h  stacks of the profile
//     all of it          -> naming.h        names, once for each address
//
// Samples that need unwinding are collected and unwound on all cores; the results are taken in the
// order of arrival, so the profile does not depend on how many cores there are. A recording that is
// read and one that is made right now take this same path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/worker_pool.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/naming.h"
#include "pipeline/processes.h"
#include "pipeline/stack_assembly.h"
#include "pipeline/user_stack.h"
#include "profile/builder.h"
#include "stream/event.h"

namespace wick {

class Pipeline : public EventSink {
 public:
  explicit Pipeline(const NameSources& sources);

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
  void on_fact(std::string_view key, std::string_view value) override;
  void on_checkpoint() override;

  // Lends the profile as it is at the last checkpoint, without names: use(const Profile&).
  template <typename Use>
  void with_profile_so_far(Use use) {
    builder_.with_profile_so_far(use);
  }

  // The profile with names; the pipeline is empty afterwards.
  Profile finish();

 private:
  // A sample on its way: who it belongs to is known, its user frames are being found.
  struct Pending {
    SampleEvent event;
    std::shared_ptr<SpaceState> space;  // as it was at that time
    ThreadId thread;
    std::vector<RawFrame> frames;
    Ending ending = Ending::kUnknown;
  };

  void unwind_pending();
  void find_frames(const SampleEvent& event,
                   const SpaceState& space,
                   UnwindScratch& scratch,
                   std::vector<RawFrame>& frames,
                   Ending& ending);
  void add_sample(const SampleEvent& event,
                  const SpaceState& space,
                  ThreadId thread,
                  std::span<const RawFrame> frames,
                  Ending ending);
  ThreadId thread_row(const EventContext& at);
  EventId event_row(uint32_t number);
  EventId add_event(uint32_t number);

  NameSources sources_;
  ProfileBuilder builder_;
  LoadedModules modules_;
  Processes processes_;
  StackAssembly assembly_;
  Architecture architecture_ = Architecture::kUnknown;
  struct NamedKind {
    std::string name = "unknown";
    std::string unit = "unknown";
    EventId row;  // none until it is sampled: recorders declare events that only carry maps
  };
  std::vector<NamedKind> kinds_;  // by number

  WorkerPool pool_;
  std::vector<UnwindScratch> scratch_;  // one for each worker
  std::vector<Pending> pending_;        // reused: the first pending_count_ count
  size_t pending_count_ = 0;
  std::vector<RawFrame> frames_;
  bool has_samples_ = false;
};

}  // namespace wick
