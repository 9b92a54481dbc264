// SPDX-License-Identifier: Apache-2.0
// The name under which a function is compared with functions of another build.
//
//     --map old=new          renamed functions: the old name counts as the new one
//     --unify clones         f.constprop.0, f.isra.3.cold, f [clone .part.1], f::h0123456789abcdef
//                            are all f: copies that the compiler made of one function
//     --unify templates      push<int> and push<Long> are push
//     --unify all            both
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/groups.h"
#include "base/result.h"

namespace wick {

std::string without_clone_suffix(std::string_view name);
std::string without_template_arguments(std::string_view name);

class NameRules {
 public:
  // `maps` as given by the user. Names may contain '=', so the first '=' with a name of `known` on
  // its left is the separator; if there is none, the first '='.
  static Result<NameRules> make(const std::vector<std::string>& maps,
                                std::string_view unify,
                                const std::vector<std::string>& known);

  void rename(Group& group) const;
  // The maps whose OLD is not in `known`, as OLD=NEW.
  std::vector<std::string> unused_maps(const std::vector<std::string>& known) const;

 private:
  std::map<std::string, std::string, std::less<>> new_names_;
  bool clones_ = false;
  bool templates_ = false;
};

}  // namespace wick
