// Gives frames their lines, and the functions that were inlined there frames of their own.
//
// A frame is an address; at one address several functions may be at work (elf/dwarf_info.h). The
// frame stays as the function that has the code, and for each function inlined into it a frame
// follows, marked kInlined, with the same address:
//
//     before   main;outer+0x20
//     after    main;outer+0x20;middle{inlined};leaf{inlined}
//
// Addresses are looked up once for all frames that have them, in order of address, on all cores;
// what is found is put into the profile by one thread in that same order, so the result does not
// depend on how many cores there are. Last, the stacks are written anew with the frames that came
// in between.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/worker_pool.h"
#include "profile/profile.h"
#include "symbolize/module_dwarf.h"

namespace wick {

class Inlining {
 public:
  Inlining(Profile& profile, StringInterner& strings) : profile_(profile), strings_(strings) {}

  // A frame whose address is in a module with this debug information.
  void add(FrameId frame, const ModuleDwarf& dwarf) { wanted_.push_back({&dwarf, frame}); }
  // Looks all of them up and changes the profile.
  void run();

 private:
  struct Wanted {
    const ModuleDwarf* dwarf = nullptr;
    FrameId frame;
  };
  // What makes an inlined function the same function.
  struct FunctionKey {
    ModuleId module;
    std::string_view name;
    std::string_view file;
    uint32_t line = 0;
    friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
  };
  struct FunctionKeyHash {
    size_t operator()(const FunctionKey& key) const;
  };
  // Frames of expanded_ that follow a frame.
  struct Expansion {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  uint64_t address(const Wanted& wanted) const { return profile_.frames[wanted.frame].address; }
  bool same_place(const Wanted& a, const Wanted& b) const {
    return a.dwarf == b.dwarf && address(a) == address(b);
  }
  void apply(FrameId id, std::span<const DwarfFrame> chain);
  void complete_function(Frame& frame, const DwarfFrame& found);
  FunctionId inlined_function(ModuleId module, const DwarfFrame& found);
  Function described(ModuleId module, const DwarfFrame& found);
  void rewrite_stacks();

  Profile& profile_;
  StringInterner& strings_;
  std::vector<Wanted> wanted_;
  std::unordered_map<FunctionKey, FunctionId, FunctionKeyHash> functions_;
  std::vector<Expansion> expansions_;  // by frame
  std::vector<FrameId> expanded_;
};

}  // namespace wick
