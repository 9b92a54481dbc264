// SPDX-License-Identifier: Apache-2.0
// The categories that the writer gives to frames: one for each mode, and one for functions of Python,
// with subcategories for code that was generated or that woke the thread. Viewers show them as colours.
#pragma once

#include <array>
#include <string_view>

#include "profile/code_tables.h"

namespace wick::firefox {

struct WrittenCategory {
  Mode mode;
  std::string_view name;
  std::string_view color;
};
// A viewer needs one grey category.
inline constexpr std::array<WrittenCategory, 7> kCategories = {{
    {Mode::kUnknown, "Other", "grey"},
    {Mode::kUser, "User", "yellow"},
    {Mode::kKernel, "Kernel", "orange"},
    {Mode::kHypervisor, "Hypervisor", "red"},
    {Mode::kGuestUser, "Guest user", "lightblue"},
    {Mode::kGuestKernel, "Guest kernel", "blue"},
    {Mode::kUser, "Python", "green"},
}};
inline constexpr size_t kPythonCategory = 6;
inline constexpr std::array<std::string_view, 3> kSubcategories = {"Other", "JIT", "Waker"};

constexpr int64_t category_of(const Frame& frame) {
  return frame.language == Language::kPython ? int64_t{kPythonCategory}
                                             : static_cast<int64_t>(frame.mode);
}
constexpr int64_t subcategory_of(uint8_t flags) {
  return (flags & kJit) != 0 ? 1 : (flags & kWaker) != 0 ? 2 : 0;
}

}  // namespace wick::firefox
