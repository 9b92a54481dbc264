// SPDX-License-Identifier: Apache-2.0
#include "pipeline/known_flows.h"

#include <utility>

#include "unwind/call_site.h"

namespace wick {
namespace {

class LinkedCode : public CodeBytes {
 public:
  LinkedCode(LoadedModules& modules, LoadedId loaded) : modules_(modules), loaded_(loaded) {}
  Bytes code_at(uint64_t linked) const override { return modules_.linked_code_at(loaded_, linked); }

 private:
  LoadedModules& modules_;
  LoadedId loaded_;
};

}  // namespace

CodeFlow::Reach KnownFlows::reach(const Code& code, Start begin, uint64_t linked) {
  auto known = flows_.find(begin);
  if (known != flows_.end() && known->second.reached) {
    return known->second.reached->at(linked);
  }
  LinkedCode bytes(code.modules, begin.loaded);
  CodeFlow::Reached reached = CodeFlow(code.arch, bytes, code.budget).reached_from(begin.linked);
  CodeFlow::Reach reach = reached.at(linked);
  if (code.budget > 0) {
    reserve(reached.instructions());
    flows_[begin].reached = std::move(reached);
  }
  return reach;
}

bool KnownFlows::jumps_into(
    const Code& code, Start function, uint64_t size, uint64_t begin, uint64_t end) {
  auto known = flows_.find(function);
  if (known == flows_.end() || !known->second.jumps) {
    Bytes bytes = code.modules.linked_code_at(function.loaded, function.linked);
    std::vector<uint64_t> jumps;
    if (bytes.size() >= size) {
      jumps = jumps_out_of(code.arch, bytes.first(size), function.linked);
    }
    reserve(jumps.size());
    known = flows_.try_emplace(function).first;
    known->second.jumps = std::move(jumps);
  }
  return has_address_in(*known->second.jumps, begin, end);
}

void KnownFlows::reserve(size_t size) {
  size_ += size + 1;
  if (size_ > kMaxSize) {
    flows_.clear();
    size_ = size + 1;
  }
}

}  // namespace wick
