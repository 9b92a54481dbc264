// SPDX-License-Identifier: Apache-2.0
// Gives frames their functions and lines, and adds frames for inlined functions.
//
// A frame is an address. Because of inlining, several functions may be active at one address
// (symbolize/address_table.h). The frame becomes the function that contains the code. For each
// function inlined into it another frame follows, marked kInlined, with the same address:
//
//     before   main;outer+0x20
//     after    main;outer+0x20;middle{inlined};leaf{inlined}
//
// At the end, finish() rewrites the stacks with the added frames.
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
  // Uses the functions that the profile already has.
  Inlining(Profile& profile, StringInterner& strings);

  // `frames` are of one module, by address. Each address is in at most one of the views. Addresses
  // in the views are larger by `base` than those of the profile.
  void apply(std::span<const AddressView> views,
             std::span<const FrameId> frames,
             uint64_t base = 0);
  // The function of a list; added if the profile does not have it.
  FunctionId function(ModuleId module, const NamedCode& code);
  // Rewrites the stacks, if frames were added.
  void finish();

 private:
  // Functions with equal keys are the same function.
  struct FunctionKey {
    ModuleId module;
    uint64_t address = 0;
    StringId name;
    StringId file;  // only for functions without an address; otherwise the address decides
    uint32_t line = 0;
    friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
  };
  struct FunctionKeyHash {
    size_t operator()(const FunctionKey& key) const;
  };
  // The frames of expanded_ that follow a frame.
  struct Expansion {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  // A view, and the functions and files of the profile for those of the view, as far as needed.
  struct Names {
    explicit Names(const AddressView& from)
        : view(from), functions(from.functions.size()), files(from.text_ends.size()) {}
    const AddressView& view;
    std::vector<FunctionId> functions;
    std::vector<StringId> files;  // by text
  };

  static FunctionKey key_of(const Function& function);
  void apply(FrameId id, const AddressEntry& entry, Names& names);
  // Sets the fields from the row: function, line, column, and the file if it is not the function's.
  void describe(Frame& frame, const AddressFrame& row, Names& names);
  FunctionId function(ModuleId module, uint32_t row, Names& names);
  FunctionId intern(const Function& function);
  StringId file(uint32_t text, Names& names);
  void rewrite_stacks();

  Profile& profile_;
  StringInterner& strings_;
  uint64_t base_ = 0;  // of the current views
  std::unordered_map<FunctionKey, FunctionId, FunctionKeyHash> functions_;
  std::vector<Expansion> expansions_;  // by frame
  std::vector<FrameId> expanded_;
  std::vector<uint32_t> chain_;  // of the current entry
};

}  // namespace wick
