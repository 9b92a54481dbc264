// SPDX-License-Identifier: Apache-2.0
// Gives frames their functions and lines, and the functions that were inlined there frames of their
// own.
//
// A frame is an address; at one address several functions may be at work
// (symbolize/address_table.h). The frame becomes the function that has the code, and for each
// function inlined into it a frame follows, marked kInlined, with the same address:
//
//     before   main;outer+0x20
//     after    main;outer+0x20;middle{inlined};leaf{inlined}
//
// Last, the stacks are rewritten with the frames that came in between.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "symbolize/address_table.h"

namespace wick {

class Inlining {
 public:
  // Functions that the profile has already are used again.
  Inlining(Profile& profile, StringInterner& strings);

  // Frames of one module, by address, and what is known of their addresses: each is in at most one
  // of the views. Addresses of the views are by `base` larger than those of the profile.
  void apply(std::span<const AddressView> views,
             std::span<const FrameId> frames,
             uint64_t base = 0);
  // The function of a list, made when the profile does not have it.
  FunctionId function(ModuleId module, const NamedCode& code);
  // Rewrites the stacks, if there is anything to put in between.
  void finish();

 private:
  // What makes a function the same function.
  struct FunctionKey {
    ModuleId module;
    uint64_t address = 0;
    StringId name;
    StringId file;  // of functions without an address: else it belongs to the address
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
  // A view, and the functions and files of the profile for its own, as far as they were needed.
  struct Names {
    explicit Names(const AddressView& from)
        : view(from), functions(from.functions.size()), files(from.text_ends.size()) {}
    const AddressView& view;
    std::vector<FunctionId> functions;
    std::vector<StringId> files;  // by text
  };

  static FunctionKey key_of(const Function& function);
  void apply(FrameId id, const AddressEntry& entry, Names& names);
  // Sets what the row says: function, line, column, and the file where it is not the function's.
  void describe(Frame& frame, const AddressFrame& row, Names& names);
  FunctionId function(ModuleId module, uint32_t row, Names& names);
  FunctionId intern(const Function& function);
  StringId file(uint32_t text, Names& names);
  void rewrite_stacks();

  Profile& profile_;
  StringInterner& strings_;
  uint64_t base_ = 0;  // of the views that are being applied
  std::unordered_map<FunctionKey, FunctionId, FunctionKeyHash> functions_;
  std::vector<Expansion> expansions_;  // by frame
  std::vector<FrameId> expanded_;
  std::vector<uint32_t> chain_;  // of the entry that is being applied
};

}  // namespace wick
