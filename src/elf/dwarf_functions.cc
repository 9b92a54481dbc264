#include "elf/dwarf_functions.h"

#include <algorithm>

#include "base/hash.h"
#include "base/id_index.h"

namespace wick {

class FunctionReader {
 public:
  FunctionReader(const DwarfUnit& unit,
                 const Abbreviations& abbreviations,
                 DwarfLimits& limits,
                 std::span<const uint64_t> wanted,
                 FunctionTree& tree)
      : unit_(unit), abbreviations_(abbreviations), limits_(limits), wanted_(wanted), tree_(tree) {}

  void run() {
    DwarfCursor cursor = unit_.entries_at(unit_.root);
    while (!cursor.at_end()) {
      uint64_t entry = cursor.offset();
      uint64_t code = cursor.uleb();
      if (code == 0) {
        if (open_.empty()) {
          continue;  // padding
        }
        leave();
        if (open_.empty()) {
          break;
        }
        continue;
      }
      const Abbreviation* row = abbreviations_.find(code);
      if (row == nullptr || open_.size() >= kDeepest || tree_.nodes_.size() >= kMostNodes) {
        limits_.add_damage();
        break;
      }
      visit(cursor, entry, *row);
      if (open_.empty() && !row->children) {
        break;  // a root without children is the whole unit
      }
    }
    if (!cursor.ok()) {
      limits_.add_damage();
    }
    tree_.nodes_.shrink_to_fit();
    tree_.owners_ = RangeTable(std::move(ranges_), RangeTable::Winner::kLarger);
  }

 private:
  static constexpr uint32_t kNone = FunctionNode::kNone;
  // Real programs stay below a hundred and a million.
  static constexpr size_t kDeepest = 20'000;
  static constexpr size_t kMostNodes = 16'000'000;

  static constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

  // What surrounds the entries at one level.
  struct Scope {
    uint32_t node = kNone;     // the function or inlined call with code, or none
    bool in_function = false;  // also true in functions without code of their own
  };

  Scope scope() const { return open_.empty() ? Scope() : open_.back(); }
  void enter(const Scope& scope) { open_.push_back(scope); }
  void leave() { open_.pop_back(); }

  void visit(DwarfCursor& cursor, uint64_t entry, const Abbreviation& row) {
    Scope inner = scope();
    switch (row.tag) {
      case dw_tag::kSubprogram:
        inner = {read_node(cursor, entry, row, kNone), true};
        if (passes_unwanted(cursor, row, inner.node)) {
          return;
        }
        break;
      case dw_tag::kInlinedSubroutine:
        if (inner.node != kNone) {
          inner = {read_node(cursor, entry, row, inner.node), true};
          if (passes_unwanted(cursor, row, inner.node)) {
            return;
          }
          break;
        }
        abbreviations_.skip(cursor, row);
        break;
      case dw_tag::kClassType:
      case dw_tag::kStructureType:
      case dw_tag::kUnionType:
      case dw_tag::kInterfaceType:
        if (row.has_sibling && !inner.in_function && pass_over(cursor, row)) {
          return;
        }
        abbreviations_.skip(cursor, row);
        break;
      case dw_tag::kArrayType:
      case dw_tag::kEnumerationType:
      case dw_tag::kSubroutineType:
      case dw_tag::kCallSite:
      case dw_tag::kGnuCallSite:
      case dw_tag::kFormalParameter:
      case dw_tag::kVariable:
        if (row.children && row.has_sibling && pass_over(cursor, row)) {
          return;
        }
        abbreviations_.skip(cursor, row);
        break;
      default:
        abbreviations_.skip(cursor, row);
        break;
    }
    if (row.children) {
      enter(inner);
    }
  }

  // Goes to the next entry on the same level. False, with the cursor where it was, if what the
  // entry says cannot be so.
  bool pass_over(DwarfCursor& cursor, const Abbreviation& row) const {
    DwarfCursor ahead = cursor;
    uint64_t sibling = 0;
    for (const AttributeSpec& spec : abbreviations_.attributes(row)) {
      if (spec.name == dw_at::kSibling) {
        sibling = read_value(ahead, spec.form, spec.constant, unit_.sizes, unit_.offset).number;
        break;
      }
      skip_form(ahead, spec.form, unit_.sizes);
    }
    if (!ahead.ok() || sibling <= ahead.offset() || sibling > unit_.end) {
      return false;
    }
    cursor.skip(sibling - cursor.offset());
    return true;
  }

  bool is_wanted(const OwnedRange& range) const {
    auto first = std::ranges::lower_bound(wanted_, range.begin);
    return first != wanted_.end() && *first < range.end;
  }

  // Whether no wanted address lies in what was just read; if so its ranges are taken back.
  bool takes_back_unwanted(size_t first_range) {
    auto first = ranges_.begin() + static_cast<ptrdiff_t>(first_range);
    if (wanted_.empty() ||
        std::any_of(first, ranges_.end(), [&](const OwnedRange& r) { return is_wanted(r); })) {
      return false;
    }
    ranges_.resize(first_range);
    return true;
  }

  // Goes on behind the children of a function that nobody asks for.
  bool passes_unwanted(DwarfCursor& cursor, const Abbreviation& row, uint32_t node) const {
    bool passes = !wanted_.empty() && node == kNone && row.children &&
                  last_sibling_ > cursor.offset() && last_sibling_ <= unit_.end;
    if (passes) {
      cursor.skip(last_sibling_ - cursor.offset());
    }
    return passes;
  }

  uint32_t read_node(DwarfCursor& cursor,
                     uint64_t entry,
                     const Abbreviation& row,
                     uint32_t caller) {
    RangeValues values;
    FunctionNode node{.caller = caller};
    uint64_t origin = entry;
    bool has_name = false;  // constructors have one that their origin does not know
    size_t first_range = ranges_.size();
    last_sibling_ = 0;
    for_each_attribute(
        cursor, unit_, abbreviations_, row, [&](uint16_t name, const DwarfValue& value) {
          switch (name) {
            case dw_at::kLowPc:
              values.low_pc = value;
              break;
            case dw_at::kHighPc:
              values.high_pc = value;
              break;
            case dw_at::kRanges:
              values.ranges = value;
              break;
            case dw_at::kSibling:
              last_sibling_ = value.number;
              break;
            case dw_at::kAbstractOrigin:
              if (value.kind == DwarfValue::Kind::kReference) {
                origin = value.number;
              }
              break;
            case dw_at::kLinkageName:
            case dw_at::kMipsLinkageName:
              has_name = true;
              break;
            case dw_at::kCallFile:
              node.call_file = value.small();
              break;
            case dw_at::kCallLine:
              node.call_line = value.small();
              break;
            case dw_at::kCallColumn:
              node.call_column = value.small();
              break;
            default:
              break;
          }
        });
    auto number = static_cast<uint32_t>(tree_.nodes_.size());
    std::optional<uint64_t> begin = add_ranges(unit_, values, number, limits_, ranges_);
    if (!begin && caller == kNone) {
      return kNone;  // a declaration, or what inlined calls have in common
    }
    if (begin && takes_back_unwanted(first_range)) {
      return kNone;
    }
    node.begin = begin.value_or(0);
    node.name = name_number(has_name ? entry : origin);
    tree_.nodes_.push_back(node);
    return number;
  }

  uint32_t name_number(uint64_t entry) {
    std::vector<uint64_t>& entries = tree_.named_entries_;
    uint64_t hash = hash_mix(entry, kSpread);
    uint32_t known = names_.find(hash, [&](uint32_t row) { return entries[row] == entry; });
    if (known == IdIndex::kNone) {
      known = static_cast<uint32_t>(entries.size());
      entries.push_back(entry);
      names_.add(hash, [&](uint32_t row) { return hash_mix(entries[row], kSpread); });
    }
    return known;
  }

  const DwarfUnit& unit_;
  const Abbreviations& abbreviations_;
  DwarfLimits& limits_;
  std::span<const uint64_t> wanted_;
  FunctionTree& tree_;
  uint64_t last_sibling_ = 0;  // of the function that was read last
  IdIndex names_;              // of tree_.named_entries_
  std::vector<Scope> open_;    // one for each level with children
  std::vector<OwnedRange> ranges_;
};

FunctionTree FunctionTree::read(const DwarfUnit& unit,
                                const Abbreviations& abbreviations,
                                DwarfLimits& limits,
                                std::span<const uint64_t> wanted) {
  FunctionTree tree;
  FunctionReader(unit, abbreviations, limits, wanted, tree).run();
  auto is_missing = [&](uint64_t address) { return tree.find(address) == FunctionNode::kNone; };
  if (!wanted.empty() && std::ranges::any_of(wanted, is_missing)) {
    tree = FunctionTree();
    FunctionReader(unit, abbreviations, limits, {}, tree).run();
  }
  return tree;
}

}  // namespace wick
