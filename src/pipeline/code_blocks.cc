// SPDX-License-Identifier: Apache-2.0
// Each distinct pair of a branch target and the next branch is decoded once.
#include "pipeline/code_blocks.h"

#include <optional>
#include <set>
#include <vector>

#include "base/hash.h"
#include "base/id_index.h"
#include "pipeline/code_reader.h"

namespace wick {
namespace {

// Longer ones are not code that ran between two branches.
constexpr uint64_t kLongestBlock = 1U << 20U;
constexpr uint64_t kLongestInstruction = 16;

BlockExit exit_of(isa::Kind kind) {
  switch (kind) {
    case isa::Kind::kConditionalJump:
      return BlockExit::kConditionalJump;
    case isa::Kind::kJump:
    case isa::Kind::kFarJump:
      return BlockExit::kJump;
    case isa::Kind::kIndirectJump:
      return BlockExit::kIndirectJump;
    case isa::Kind::kCall:
      return BlockExit::kCall;
    case isa::Kind::kIndirectCall:
    case isa::Kind::kFarCall:
      return BlockExit::kIndirectCall;
    case isa::Kind::kReturn:
    case isa::Kind::kFarReturn:
      return BlockExit::kReturn;
    case isa::Kind::kSystemCall:
      return BlockExit::kSystemCall;
    case isa::Kind::kSystemReturn:
      return BlockExit::kSystemReturn;
    case isa::Kind::kInterrupt:
    case isa::Kind::kInterruptReturn:
      return BlockExit::kInterrupt;
    default:
      return BlockExit::kOther;
  }
}

// A branch stack has every branch that is taken, except those into a kernel that is not recorded.
bool never_continues(isa::Kind kind) {
  switch (exit_of(kind)) {
    case BlockExit::kJump:
    case BlockExit::kIndirectJump:
    case BlockExit::kCall:
    case BlockExit::kIndirectCall:
    case BlockExit::kReturn:
    case BlockExit::kSystemReturn:
      return true;
    default:
      return kind == isa::Kind::kUndefined;
  }
}

class BlockReader {
 private:
  static uint64_t hash(FrameId begin, FrameId end) { return hash_mix(begin.value, end.value); }
  auto hash_of_row() const {
    return [this](uint32_t row) {
      const CodeBlock& block = profile_.code_blocks[BlockId(row)];
      return hash(block.begin, block.end);
    };
  }

 public:
  BlockReader(Profile& profile, const NameOptions& sources)
      : profile_(profile), code_(sources, {}) {
    for (const CodeBlock& block : profile.code_blocks) {
      known_.add(hash(block.begin, block.end), hash_of_row());
    }
  }

  void run() {
    for (const BranchSet& set : profile_.branch_sets) {
      for (size_t row = set.first; row + 1 < size_t{set.first} + set.count; ++row) {
        FrameId begin = profile_.edges[profile_.branches[row + 1].edge].to;
        FrameId end = profile_.edges[profile_.branches[row].edge].from;
        add(begin, end);
      }
    }
    for (size_t row = 0; row < profile_.code_blocks.size(); ++row) {
      CodeBlock& block = profile_.code_blocks[BlockId::from_index(row)];
      if (block.path == BlockPath::kUnknown) {
        measure(block);
      }
    }
  }

 private:
  void add(FrameId begin, FrameId end) {
    uint64_t key = hash(begin, end);
    uint32_t row = known_.find(key, [&](uint32_t r) {
      const CodeBlock& block = profile_.code_blocks[BlockId(r)];
      return block.begin == begin && block.end == end;
    });
    if (row == IdIndex::kNone) {
      profile_.code_blocks.push_back({.begin = begin, .end = end});
      known_.add(key, hash_of_row());
    }
  }

  void measure(CodeBlock& block) {
    const Frame& begin = profile_.frames[block.begin];
    const Frame& end = profile_.frames[block.end];
    bool has_addresses = begin.address != 0 && end.address != 0;
    bool in_functions = begin.module.valid() &&
                        profile_.modules[begin.module].address_kind == AddressKind::kInFunction;
    if (!has_addresses || in_functions) {
      return;
    }
    if (begin.module != end.module || end.address < begin.address ||
        end.address - begin.address > kLongestBlock) {
      block.path = BlockPath::kImpossible;
      return;
    }
    if (!begin.module.valid() || missing_.contains({begin.module, begin.mode})) {
      return;
    }
    Result<CodeReader::Straight> code =
        code_.straight_at(profile_, begin, end.address - begin.address + kLongestInstruction);
    if (!code) {
      missing_.insert({begin.module, begin.mode});
      return;
    }
    CodeBlock measured =
        measured_block(code->instructions, code->bytes, begin.address, end.address);
    block.instructions = measured.instructions;
    block.path = measured.path;
    block.exit = measured.exit;
  }

  Profile& profile_;
  CodeReader code_;
  IdIndex known_;  // code_blocks by begin and end
  std::set<std::pair<ModuleId, Mode>> missing_;
};

}  // namespace

CodeBlock measured_block(isa::InstructionSet set, Bytes code, uint64_t begin, uint64_t end) {
  CodeBlock block;
  for (uint64_t at = begin; at <= end;) {
    isa::Instruction instruction = isa::decode(set, code, at);
    if (!instruction.ok()) {
      return {};
    }
    ++block.instructions;
    if (at == end) {
      block.path = BlockPath::kStraight;
      block.exit = exit_of(instruction.kind);
      return block;
    }
    if (never_continues(instruction.kind)) {
      break;
    }
    at += instruction.length;
    code = code.subspan(instruction.length);
  }
  return {.path = BlockPath::kImpossible};
}

void add_code_blocks(Profile& profile, const NameOptions& sources) {
  if (!profile.branch_sets.empty()) {
    BlockReader(profile, sources).run();
  }
}

}  // namespace wick
