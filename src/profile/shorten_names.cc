// SPDX-License-Identifier: Apache-2.0
#include "profile/shorten_names.h"

#include "base/short_name.h"

namespace wick {

void shorten_names(Profile& profile) {
  StringInterner strings(std::move(profile.strings));
  for (size_t row = 0; row < profile.functions.size(); ++row) {
    Function& function = profile.functions[FunctionId::from_index(row)];
    std::string shown = short_name(strings.table()[function.name]);
    if (!shown.empty()) {
      function.name = strings.intern(shown);
    }
  }
  profile.strings = strings.release();
}

}  // namespace wick
