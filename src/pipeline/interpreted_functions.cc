// SPDX-License-Identifier: Apache-2.0
#include "pipeline/interpreted_functions.h"

namespace wick {

uint32_t InterpretedFunctions::intern(const Function& function) {
  std::lock_guard lock(mutex_);
  if (auto known = numbers_.find(function); known != numbers_.end()) {
    return known->second;
  }
  if (bytes_ > kMaxBytes) {
    return static_cast<uint32_t>(functions_.size() - 1);
  }
  bytes_ += 2 * (sizeof function + function.name.size() + function.file.size());
  functions_.push_back(bytes_ > kMaxBytes ? Function{.name = "[other functions]"} : function);
  auto number = static_cast<uint32_t>(functions_.size() - 1);
  numbers_.emplace(functions_.back(), number);
  return number;
}

const InterpretedFunctions::Function& InterpretedFunctions::at(uint32_t number) const {
  std::lock_guard lock(mutex_);
  return functions_[number];
}

}  // namespace wick
