// SPDX-License-Identifier: Apache-2.0
// Turns addresses into stacks of the profile.
//
// A sample arrives as addresses of its process, leaf first. Programs run the same paths again and
// again, so this class looks up the callers of a sample as a whole (one hash, one comparison). It
// adds only new callers frame by frame, from the root. Results for an address are cached under the
// epoch of its address space (processes.h).
//
// The address of a frame is inside its instruction (base/frame_address.h), so that names and lines
// can be looked up without the origin of the frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/frame_address.h"
#include "base/id_index.h"
#include "base/pod_vector.h"
#include "pipeline/interpreted_functions.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/processes.h"
#include "profile/builder.h"

namespace wick {

// A frame before the lookup in the mappings of its process.
struct UnresolvedFrame {
  FrameAddress address;  // of an interpreted function: see InterpretedFunctions::frame
  Mode mode = Mode::kUser;
  FrameOrigin origin = FrameOrigin::kUnknown;
};

class StackAssembly {
 public:
  StackAssembly(ProfileBuilder& builder,
                LoadedModules& modules,
                const InterpretedFunctions& functions)
      : builder_(builder), modules_(modules), functions_(functions) {}

  // `frames` are leaf first, and `callers_hash` is their hash. `kernel` and `space` have the
  // mappings of kernel and user addresses.
  StackId assemble(std::span<const UnresolvedFrame> frames,
                   uint64_t callers_hash,
                   const SpaceState& kernel,
                   const SpaceState& space);
  FrameId frame(const UnresolvedFrame& unresolved,
                const SpaceState& kernel,
                const SpaceState& space);
  // The row of a module; none if it does not have a frame.
  ModuleId known_module(LoadedId loaded) const {
    return loaded.index() < module_rows_.size() ? module_rows_[loaded.index()] : ModuleId();
  }
  // The loaded file of each module of the profile.
  std::span<const LoadedId> loaded_of_modules() const { return loaded_; }
  // The builder starts another profile: drops all rows.
  void start_over();
  // Drops cached results, most of which belong to address spaces of processes that ended.
  void forget_cached();
  // Depends on the frames alone, so workers can compute it.
  static uint64_t callers_hash(std::span<const UnresolvedFrame> frames);

 private:
  struct KnownCallers {
    uint64_t hash = 0;
    size_t begin = 0;     // in caller_frames_
    uint64_t epochs = 0;  // of the kernel and of the process
    uint32_t count = 0;
    StackId stack;
  };
  struct KnownFrame {
    uint64_t address = 0;
    uint32_t epoch = 0;
    Mode mode = Mode::kUnknown;
    FrameOrigin origin = FrameOrigin::kUnknown;
    FrameId frame;
  };

  StackId stack_of_callers(std::span<const UnresolvedFrame> callers,
                           uint64_t hash,
                           const SpaceState& kernel,
                           const SpaceState& space);
  Frame described(const UnresolvedFrame& unresolved, const SpaceState& state);
  Frame interpreted(const UnresolvedFrame& unresolved);
  ModuleId module(LoadedId loaded);
  void forget_callers();

  ProfileBuilder& builder_;
  LoadedModules& modules_;
  const InterpretedFunctions& functions_;
  std::vector<ModuleId> module_rows_;  // by LoadedId; none until used
  std::vector<LoadedId> loaded_;       // by ModuleId

  PodVector<KnownFrame> known_;
  IdIndex known_index_;
  PodVector<KnownCallers> callers_;
  IdIndex callers_index_;
  PodVector<UnresolvedFrame> caller_frames_;
};

}  // namespace wick
