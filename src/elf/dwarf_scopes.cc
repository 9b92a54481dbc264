// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf_scopes.h"

#include <string_view>

namespace wick {
namespace {

constexpr uint16_t kNamespace = 0x39;

struct Named {
  DwarfValue name;
  uint64_t sibling = 0;
  uint64_t origin = 0;  // the entry that has the name instead
};

// Leaves the cursor after the attributes.
Named read_names(DwarfCursor& cursor,
                 const DwarfUnit& unit,
                 const Abbreviations& abbreviations,
                 const Abbreviation& row) {
  Named named;
  for_each_attribute(cursor, unit, abbreviations, row, [&](uint16_t name, const DwarfValue& value) {
    switch (name) {
      case dw_at::kName:
        named.name = value;
        break;
      case dw_at::kSibling:
        named.sibling = value.number;
        break;
      case dw_at::kAbstractOrigin:
      case dw_at::kSpecification:
        named.origin = value.kind == DwarfValue::Kind::kReference ? value.number : 0;
        break;
      default:
        break;
    }
  });
  return named;
}

bool is_scope(uint16_t tag) {
  return tag == kNamespace || tag == dw_tag::kClassType || tag == dw_tag::kStructureType ||
         tag == dw_tag::kUnionType || tag == dw_tag::kInterfaceType || tag == dw_tag::kSubprogram;
}

// A scope, named by its entry or by its declaration, which may be elsewhere.
struct Scope {
  std::string_view name;
  uint64_t declaration = 0;  // 0: none
};

Scope scope_of(const DwarfUnit& unit,
               const Abbreviations& abbreviations,
               const Named& first,
               uint16_t tag) {
  constexpr int kMaxSteps = 4;
  Named named = first;
  Scope scope;
  for (int step = 0; step < kMaxSteps && named.origin > unit.root && named.origin < unit.end;
       ++step) {
    scope.declaration = named.origin;
    DwarfCursor cursor = unit.entries_at(named.origin);
    const Abbreviation* row = abbreviations.find(cursor.uleb());
    named = row != nullptr ? read_names(cursor, unit, abbreviations, *row) : Named();
  }
  scope.name = unit.text(named.name);
  if (scope.name.empty()) {
    scope.name = tag == kNamespace ? "(anonymous namespace)" : "<lambda>";
  }
  return scope;
}

std::vector<std::string> scopes_of_entries(const DwarfUnit& unit,
                                           const Abbreviations& abbreviations,
                                           std::span<const uint64_t> entries,
                                           int declarations,
                                           uint64_t& read);

// The open scopes, outermost first. An entry inside a function is also in the scope of the
// function's declaration.
std::string joined(const DwarfUnit& unit,
                   const Abbreviations& abbreviations,
                   std::span<const Scope> open,
                   int declarations,
                   uint64_t& read) {
  std::string text;
  for (const Scope& scope : open) {
    if (scope.name.empty()) {
      continue;
    }
    if (scope.declaration != 0 && declarations > 0) {
      text = scopes_of_entries(
          unit, abbreviations, {&scope.declaration, 1}, declarations - 1, read)[0];
    }
    text += text.empty() ? "" : "::";
    text += scope.name;
  }
  return text;
}

std::vector<std::string> scopes_of_entries(const DwarfUnit& unit,
                                           const Abbreviations& abbreviations,
                                           std::span<const uint64_t> entries,
                                           int declarations,
                                           uint64_t& read) {
  constexpr size_t kDeepest = 1000;
  std::vector<std::string> scopes(entries.size());
  std::vector<Scope> open;  // without a name: not a scope
  DwarfCursor cursor = unit.entries_at(unit.root);
  size_t next = 0;  // index into the entries
  while (!cursor.at_end() && open.size() < kDeepest) {
    uint64_t here = cursor.offset();
    while (next < entries.size() && entries[next] <= here) {
      if (entries[next] == here) {
        scopes[next] = joined(unit, abbreviations, open, declarations, read);
      }
      ++next;
    }
    if (next == entries.size()) {
      break;
    }
    uint64_t code = cursor.uleb();
    if (code == 0) {
      if (!open.empty()) {
        open.pop_back();
      }
      continue;
    }
    const Abbreviation* row = abbreviations.find(code);
    if (row == nullptr) {
      break;
    }
    if (!row->children) {
      abbreviations.skip(cursor, *row);
      read += cursor.offset() - here;
      continue;
    }
    Named named = read_names(cursor, unit, abbreviations, *row);
    read += cursor.offset() - here;
    if (named.sibling > cursor.offset() && named.sibling <= entries[next]) {
      cursor.skip(named.sibling - cursor.offset());
      continue;
    }
    open.push_back(is_scope(row->tag) ? scope_of(unit, abbreviations, named, row->tag) : Scope());
  }
  return scopes;
}

}  // namespace

bool has_scopes(const DwarfUnit& unit) {
  constexpr uint32_t kCPlusPlus = 0x04;
  constexpr uint32_t kCPlusPlus03 = 0x19;
  constexpr uint32_t kCPlusPlus11 = 0x1A;
  constexpr uint32_t kCPlusPlus14 = 0x21;
  constexpr uint32_t kCPlusPlus17 = 0x2A;
  constexpr uint32_t kCPlusPlus20 = 0x2B;
  switch (unit.language) {
    case kCPlusPlus:
    case kCPlusPlus03:
    case kCPlusPlus11:
    case kCPlusPlus14:
    case kCPlusPlus17:
    case kCPlusPlus20:
      return true;
    default:
      return false;
  }
}

std::vector<std::string> enclosing_scopes(const DwarfUnit& unit,
                                          const Abbreviations& abbreviations,
                                          std::span<const uint64_t> entries,
                                          uint64_t& read) {
  constexpr int kMaxDeclarations = 2;
  return scopes_of_entries(unit, abbreviations, entries, kMaxDeclarations, read);
}

}  // namespace wick
