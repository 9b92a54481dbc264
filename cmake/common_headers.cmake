# SPDX-License-Identifier: Apache-2.0
# wick_common_headers(TARGET): reads the standard headers that nearly every file includes once instead of each time,
# which is a third of what compiling costs (1.5 to 1.1 s a file under the sanitizers, 3.3 to 1.5 s a test).
#
# The first target with some set of flags compiles them, the later ones use the result. What comes from a precompiled
# header is no system header to g++ 12, which then warns of a copy inside the library's own strings: false, and switched
# off. Not done where there is a compiler cache, which cannot cache such objects. Sources include what they need as if
# this did not exist, and builds with a cache check that.
set(WICK_COMMON_HEADERS <algorithm> <array> <bit> <charconv> <cstdint> <expected> <functional> <map> <memory> <optional>
  <ranges> <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

function(wick_common_headers target)
  if(NOT WICK_JOINED)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(target STREQUAL wick_testing OR "wick_testing" IN_LIST libraries)
    set(headers ${WICK_COMMON_HEADERS} <gtest/gtest.h>)
    set(flags tests)
  elseif(WICK_SANITIZE MATCHES undefined AND target IN_LIST WICK_READS_BYTES)
    set(headers ${WICK_COMMON_HEADERS})
    set(flags aligned)
  elseif(target IN_LIST WICK_COLD_FOLDERS)
    set(headers ${WICK_COMMON_HEADERS})
    set(flags cold)
  else()
    set(headers ${WICK_COMMON_HEADERS})
    set(flags plain)
  endif()
  get_property(owner GLOBAL PROPERTY wick_headers_${flags})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${headers})
    set_property(GLOBAL PROPERTY wick_headers_${flags} ${target})
  endif()
endfunction()
