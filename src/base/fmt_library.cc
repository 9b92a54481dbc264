// SPDX-License-Identifier: Apache-2.0
// The compiled half of fmt. Debian ships fmt as a shared library but not as an archive for static
// linking. Its header-only mode compiles the whole formatter into every file that prints: 3.4 s
// instead of 0.9 s for a small one. So this file compiles the implementation header once, and all
// other files use fmt's ordinary headers. The list names the templates that those headers declare
// but do not define.
#include <fmt/format-inl.h>

#ifndef FMT_HEADER_ONLY
namespace fmt::inline v9::detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float value) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double value) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref locale);
template char decimal_point_impl(locale_ref locale);
template void buffer<char>::append(const char* begin, const char* end);
template void vformat_to(buffer<char>& out,
                         string_view format,
                         basic_format_args<FMT_BUFFER_CONTEXT(char)> arguments,
                         locale_ref locale);

}  // namespace fmt::inline v9::detail
#endif
