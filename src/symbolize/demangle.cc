// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle.h"

#include <csetjmp>
#include <cstddef>

#define HAVE_DECL_BASENAME 1  // libiberty would declare string.h's basename again, differently
#include <libiberty/demangle.h>

#include "symbolize/cython_names.h"

namespace wick {
namespace {

constexpr size_t kMaxInput = 16 * 1024;
constexpr size_t kMaxOutput = 64 * 1024;

struct Collected {
  std::string text;
  std::jmp_buf too_long;
};

// The demangler calls this with one part of the text after the other. The callback cannot stop it,
// and a hostile name would make it run for years: so a jump leaves it. The demangler owns nothing
// that the jump would leak, except one small block for an identifier in punycode.
void collect(const char* piece, size_t size, void* opaque) {
  auto* collected = static_cast<Collected*>(opaque);
  if (size > kMaxOutput - collected->text.size()) {
    std::longjmp(collected->too_long, 1);
  }
  collected->text.append(piece, size);
}

bool demangle_into(const char* name, Collected& collected) {
  if (setjmp(collected.too_long) != 0) {
    return false;
  }
  // Rust's older scheme looks like C++ with a hash at the end, 17h and 16 digits, so Rust comes
  // first. Its demangler reads the whole name before it rejects it, so it is called only for such
  // names.
  bool may_be_rust = name[1] == 'R' || std::string_view(name).find("17h") != std::string_view::npos;
  if (may_be_rust && rust_demangle_callback(name, DMGL_NO_OPTS, collect, &collected) != 0) {
    return true;
  }
  collected.text.clear();
  return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, collect, &collected) != 0;
}

}  // namespace

std::string demangled(std::string_view linkage_name) {
  if (linkage_name.starts_with("__pyx_")) {
    std::string name = cython_name(linkage_name);
    return name.empty() || name.size() > kMaxOutput ? std::string(linkage_name) : name;
  }
  bool mangled = linkage_name.starts_with("_Z") || linkage_name.starts_with("_R");
  if (!mangled || linkage_name.size() > kMaxInput) {
    return std::string(linkage_name);
  }
  Collected collected;
  collected.text.reserve(256);
  std::string terminated(linkage_name);
  if (!demangle_into(terminated.c_str(), collected) || collected.text.empty()) {
    return terminated;
  }
  return std::move(collected.text);
}

}  // namespace wick
