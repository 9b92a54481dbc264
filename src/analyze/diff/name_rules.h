// SPDX-License-Identifier: Apache-2.0
// The name under which a function is compared with functions of another build.
//
//     --map old=new          renamed functions: the old name counts as the new one
//     --map 's/REGEX/NEW/'   the same for every name that matches: the match becomes NEW, in which
//                            \1 is the first group. Another sign may replace the slashes:
//                            / | , # @ or !. With g at the end, all matches in a name change
//     --unify clones         f.constprop.0, f.isra.3.cold, f [clone .part.1], f::h0123456789abcdef
//                            are all f: copies that the compiler made of one function
//     --unify templates      push<int> and push<Long> are push
//     --unify all            both
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/groups.h"
#include "base/pattern.h"
#include "base/result.h"

namespace wick {

std::string without_template_arguments(std::string_view name);

class NameRules {
 public:
  // `maps` as given by the user. Names may contain '=', so the first '=' with a name of `known` on
  // its left is the separator; if there is none, the first '='.
  static Result<NameRules> make(const std::vector<std::string>& maps,
                                std::string_view unify,
                                const std::vector<std::string>& known);

  void rename(Group& group) const;
  // The maps that change none of the names in `known`, as the user wrote them.
  std::vector<std::string> unused_maps(const std::vector<std::string>& known) const;

 private:
  struct PatternMap {
    std::string text;  // as the user wrote it
    Pattern pattern;
    std::string replacement;
    bool is_global = false;
  };
  static Result<std::optional<PatternMap>> parse_pattern_map(const std::string& map);

  std::map<std::string, std::string, std::less<>> new_names_;
  std::vector<PatternMap> pattern_maps_;
  bool clones_ = false;
  bool templates_ = false;
};

}  // namespace wick
