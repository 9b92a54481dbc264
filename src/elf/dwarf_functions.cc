#include "elf/dwarf_functions.h"

#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "base/id_index.h"

namespace wick {

class FunctionReader {
 public:
  FunctionReader(const DwarfUnit& unit,
                 const Abbreviations& abbreviations,
                 DwarfLimits& limits,
                 std::span<const uint64_t> wanted,
                 bool passes_unwanted,
                 FunctionTree& tree)
      : unit_(unit),
        abbreviations_(abbreviations),
        limits_(limits),
        wanted_(wanted),
        passes_unwanted_(passes_unwanted),
        tree_(tree) {
    tree_.claims_.assign(wanted.size(), kNone);
  }

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
    if (wanted_.empty()) {
      tree_.nodes_.shrink_to_fit();
      tree_.owners_ = RangeTable(std::move(ranges_), RangeTable::Winner::kLarger);
    }
  }

 private:
  static constexpr uint32_t kNone = FunctionNode::kNone;
  // Real programs stay below a hundred and a million.
  static constexpr size_t kDeepest = 20'000;
  static constexpr size_t kMostNodes = 16'000'000;
  // An address is claimed by each of the functions at work there, five on average. Nodes that all
  // cover the same addresses would claim for ever.
  static constexpr uint64_t kMostClaims = 200;
  static constexpr uint64_t kAlwaysClaims = 1'000'000;

  static constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

  // Where the wanted addresses of a node are among all of them, so that those of what is inlined
  // there are found quickly.
  struct Window {
    uint64_t begin = 0;  // addresses of the node
    uint64_t end = 0;
    size_t first = 0;  // of the wanted ones from begin on
    size_t last = 0;   // of those from end on
  };
  // What surrounds the entries at one level.
  struct Scope {
    uint32_t node = kNone;     // the function or inlined call with code, or none
    bool in_function = false;  // also true in functions without code of their own
    Window window;
  };

  Scope scope() const { return open_.empty() ? Scope() : open_.back(); }
  void enter(const Scope& scope) { open_.push_back(scope); }
  void leave() { open_.pop_back(); }

  void visit(DwarfCursor& cursor, uint64_t entry, const Abbreviation& row) {
    Scope inner = scope();
    switch (row.tag) {
      case dw_tag::kSubprogram:
        inner = read_node(cursor, entry, row, Scope());
        if (passes_unwanted(cursor, row, inner.node)) {
          return;
        }
        break;
      case dw_tag::kInlinedSubroutine:
        if (inner.node != kNone) {
          inner = read_node(cursor, entry, row, inner);
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
      spec.skip(ahead, unit_.sizes);
    }
    if (!ahead.ok() || sibling <= ahead.offset() || sibling > unit_.end) {
      return false;
    }
    cursor.skip(sibling - cursor.offset());
    return true;
  }

  // Claims the wanted addresses in the pieces of a node; none: nobody asks for this node.
  std::optional<Window> claim(uint32_t node, const Window& around) {
    Window window{.begin = UINT64_MAX, .first = wanted_.size()};
    bool claimed = false;
    for (const OwnedRange& piece : ranges_) {
      bool inside = piece.begin >= around.begin && piece.end <= around.end;
      auto from = wanted_.begin() + static_cast<ptrdiff_t>(inside ? around.first : 0);
      auto to = inside ? wanted_.begin() + static_cast<ptrdiff_t>(around.last) : wanted_.end();
      auto at = static_cast<size_t>(std::lower_bound(from, to, piece.begin) - wanted_.begin());
      window.begin = std::min(window.begin, piece.begin);
      window.end = std::max(window.end, piece.end);
      window.first = std::min(window.first, at);
      for (; at < wanted_.size() && wanted_[at] < piece.end && take_claim(); ++at) {
        tree_.claims_[at] = node;
        claimed = true;
      }
      window.last = std::max(window.last, at);
    }
    return claimed ? std::optional(window) : std::nullopt;
  }

  bool take_claim() {
    if (++claims_ == kAlwaysClaims + kMostClaims * wanted_.size()) {
      limits_.add_damage();
    }
    return claims_ < kAlwaysClaims + kMostClaims * wanted_.size();
  }

  // Goes on behind the children of a function that nobody asks for.
  bool passes_unwanted(DwarfCursor& cursor, const Abbreviation& row, uint32_t node) const {
    bool passes = passes_unwanted_ && node == kNone && row.children &&
                  last_sibling_ > cursor.offset() && last_sibling_ <= unit_.end;
    if (passes) {
      cursor.skip(last_sibling_ - cursor.offset());
    }
    return passes;
  }

  // Returns the scope of what stands in the node; without a node where it has no code or nobody
  // asks for it.
  Scope read_node(DwarfCursor& cursor,
                  uint64_t entry,
                  const Abbreviation& row,
                  const Scope& around) {
    RangeValues values;
    FunctionNode node{.caller = around.node};
    uint64_t origin = entry;
    bool has_name = false;  // constructors have one that their origin does not know
    last_sibling_ = 0;
    for (const AttributeSpec& spec : abbreviations_.attributes(row)) {
      switch (spec.name) {
        case dw_at::kLowPc:
          values.low_pc = value_of(cursor, spec);
          break;
        case dw_at::kHighPc:
          values.high_pc = value_of(cursor, spec);
          break;
        case dw_at::kRanges:
          values.ranges = value_of(cursor, spec);
          break;
        case dw_at::kSibling:
          last_sibling_ = value_of(cursor, spec).number;
          break;
        case dw_at::kAbstractOrigin:
          if (DwarfValue value = value_of(cursor, spec);
              value.kind == DwarfValue::Kind::kReference) {
            origin = value.number;
          }
          break;
        case dw_at::kCallFile:
          node.call_file = value_of(cursor, spec).small();
          break;
        case dw_at::kCallLine:
          node.call_line = value_of(cursor, spec).small();
          break;
        case dw_at::kCallColumn:
          node.call_column = value_of(cursor, spec).small();
          break;
        default:
          has_name =
              has_name || spec.name == dw_at::kLinkageName || spec.name == dw_at::kMipsLinkageName;
          spec.skip(cursor, unit_.sizes);
          break;
      }
    }
    auto number = static_cast<uint32_t>(tree_.nodes_.size());
    Scope inner{.node = number, .in_function = true};
    if (!wanted_.empty()) {
      ranges_.clear();
    }
    std::optional<uint64_t> begin = add_ranges(unit_, values, number, limits_, ranges_);
    if (!begin && around.node == kNone) {
      return {.in_function = true};  // a declaration, or what inlined calls have in common
    }
    if (begin && !wanted_.empty()) {
      std::optional<Window> claimed = claim(number, around.window);
      if (!claimed) {
        return {.in_function = true};
      }
      inner.window = *claimed;
    }
    node.begin = begin.value_or(0);
    node.name = name_number(has_name ? entry : origin);
    tree_.nodes_.push_back(node);
    return inner;
  }

  // The forms that compilers use for these attributes, without a call.
  DwarfValue value_of(DwarfCursor& cursor, const AttributeSpec& spec) const {
    switch (spec.form) {
      case dw_form::kData1:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint8_t>()};
      case dw_form::kData2:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint16_t>()};
      case dw_form::kData8:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint64_t>()};
      case dw_form::kAddr:
        return {.kind = DwarfValue::Kind::kAddress,
                .number = cursor.unsigned_of(unit_.sizes.address)};
      case dw_form::kSecOffset:
        return {.kind = DwarfValue::Kind::kSectionOffset,
                .number = cursor.unsigned_of(unit_.sizes.offset)};
      case dw_form::kRef4:
        return {.kind = DwarfValue::Kind::kReference,
                .number = unit_.offset + cursor.number<uint32_t>()};
      default:
        return read_value(cursor, spec.form, spec.constant, unit_.sizes, unit_.offset);
    }
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
  bool passes_unwanted_;
  FunctionTree& tree_;
  uint64_t claims_ = 0;
  uint64_t last_sibling_ = 0;       // of the function that was read last
  IdIndex names_;                   // of tree_.named_entries_
  std::vector<Scope> open_;         // one for each level with children
  std::vector<OwnedRange> ranges_;  // of all nodes; with wanted addresses, of one
};

FunctionTree FunctionTree::read(const DwarfUnit& unit,
                                const Abbreviations& abbreviations,
                                DwarfLimits& limits,
                                std::span<const uint64_t> wanted) {
  FunctionTree tree;
  bool passes_unwanted = !wanted.empty();
  FunctionReader(unit, abbreviations, limits, wanted, passes_unwanted, tree).run();
  if (passes_unwanted && std::ranges::count(tree.claims_, FunctionNode::kNone) > 0) {
    tree = FunctionTree();
    FunctionReader(unit, abbreviations, limits, wanted, false, tree).run();
  }
  return tree;
}

}  // namespace wick
