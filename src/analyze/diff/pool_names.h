// SPDX-License-Identifier: Apache-2.0
// The names under which threads and processes of several runs are compared.
//
// A pool numbers its threads, and the numbers differ from run to run: pool-1-thread-3 before is
// pool-2-thread-3 after. If not all sides have the same names that differ in numbers only, these
// names are one row, with # for the numbers that vary: pool-#-thread-3. Names that all sides have
// stay: worker-1 and worker-2 are two rows if each side has both.
//
// web/src/model/pool_names.ts has the same rule for the page.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace wick {

class PoolNames {
 public:
  PoolNames() = default;
  // The names of each side.
  explicit PoolNames(const std::vector<std::set<std::string>>& sides);

  // The name to compare.
  const std::string& of(const std::string& name) const {
    auto found = pools_.find(name);
    return found == pools_.end() ? name : found->second;
  }
  bool has_pools() const { return !pools_.empty(); }

 private:
  std::map<std::string, std::string> pools_;  // by name, if it differs
};

}  // namespace wick
