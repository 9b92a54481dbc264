// SPDX-License-Identifier: Apache-2.0
// One function for each syntax: it returns the forms of a name, or nothing if the name has another
// syntax. label_forms asks them in order; the last one, for C++, Rust and paths, takes every name.
#include "report/label_forms.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/short_name.h"
#include "report/telling_word.h"

namespace wick {
namespace {

using Forms = std::vector<std::string>;

// Longer names are hostile or generated. They are cut without reading their syntax.
constexpr size_t kLongestRead = 2048;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_identifier(char c) {
  return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view after_last(std::string_view text, char separator) {
  size_t at = text.rfind(separator);
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

// "py::tokenise:/srv/app/flow.py", as CPython writes it into a perf map.
std::optional<LabelForms> python_forms(std::string_view name) {
  constexpr std::string_view kPrefix = "py::";
  size_t colon =
      name.starts_with(kPrefix) ? name.find(':', kPrefix.size()) : std::string_view::npos;
  bool is_scope = colon != std::string_view::npos && name.substr(colon).starts_with("::");  // C++
  if (colon == std::string_view::npos || is_scope || colon == kPrefix.size()) {
    return std::nullopt;
  }
  std::string function(name.substr(kPrefix.size(), colon - kPrefix.size()));
  std::string_view file = after_last(name.substr(colon + 1), '/');
  return LabelForms{.forms = {fmt::format("{} ({})", function, file), function}};
}

// "JS:*parse /srv/app/json.js:10:5", as V8 writes it with --perf-basic-prof.
std::optional<LabelForms> v8_forms(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes = {
      "LazyCompile:", "Function:", "JS:", "Eval:", "Script:"};
  const auto* prefix = std::ranges::find_if(
      kPrefixes, [&](std::string_view word) { return name.starts_with(word); });
  if (prefix == kPrefixes.end()) {
    return std::nullopt;
  }
  name.remove_prefix(prefix->size());
  name.remove_prefix(std::min(name.find_first_not_of("*~^+-"), name.size()));
  size_t space = name.find(' ');
  std::string_view function = name.substr(0, space);
  if (space == std::string_view::npos) {
    return LabelForms{.forms = {std::string(function.empty() ? "(anonymous)" : function)}};
  }
  std::string_view location = after_last(name.substr(space + 1), '/');
  size_t last = location.rfind(':');  // file:line:column
  bool has_column = last != std::string_view::npos && location.find(':') < last;
  std::string_view line = has_column ? location.substr(0, last) : location;
  if (function.empty()) {
    return LabelForms{.forms = {fmt::format("(anonymous) ({})", line), std::string(line)}};
  }
  return LabelForms{.forms = {fmt::format("{} ({})", function, line), std::string(function)}};
}

// The class and the method of "org/js/ScriptableObject" and "createSlot". A constructor has the name
// of its class only.
LabelForms java_forms(std::string_view path, std::string_view method) {
  std::string dotted(path);
  std::ranges::replace(dotted, '/', '.');
  std::string_view type = after_last(dotted, '.');
  std::string_view inner = after_last(type, '$');
  LabelForms result{
      .forms = {fmt::format("{}.{}", dotted, method), fmt::format("{}.{}", type, method)}};
  if (inner.size() < type.size() && !inner.empty() && is_upper(inner.front())) {
    result.forms.push_back(fmt::format("{}.{}", inner, method));
  }
  if (!method.starts_with('<')) {
    result.forms.emplace_back(method);
  }
  return result;
}

bool is_source_ending(std::string_view word) {
  constexpr std::array<std::string_view, 16> kEndings = {"c",
                                                         "cc",
                                                         "cpp",
                                                         "cxx",
                                                         "h",
                                                         "hpp",
                                                         "rs",
                                                         "go",
                                                         "py",
                                                         "js",
                                                         "ts",
                                                         "java",
                                                         "kt",
                                                         "so",
                                                         "o",
                                                         "s"};
  return std::ranges::find(kEndings, word) != kEndings.end();
}

// The length of "<init>", "lambda$main$0" or another method's name at the start of the text.
size_t method_size(std::string_view text) {
  size_t size = 0;
  while (size < text.size() &&
         (is_identifier(text[size]) || text[size] == '<' || text[size] == '>')) {
    ++size;
  }
  return size;
}

// "Lorg/js/ScriptableObject;.createSlot(I)V", "Lorg/js/Main;::run", "org/js/Main.run".
std::optional<LabelForms> jvm_forms(std::string_view name) {
  size_t end = 0;
  while (end < name.size() && (is_identifier(name[end]) || name[end] == '/')) {
    ++end;
  }
  std::string_view path = name.substr(0, end);
  if (path.find('/') == std::string_view::npos || path.starts_with('/')) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(end);
  bool described = path.starts_with('L') && rest.starts_with(';');
  if (described) {
    path.remove_prefix(1);
    rest.remove_prefix(1);
  }
  if (!rest.starts_with("::") && !rest.starts_with('.')) {
    return std::nullopt;
  }
  rest.remove_prefix(rest.starts_with('.') ? 1 : 2);
  std::string_view method = rest.substr(0, method_size(rest));
  rest.remove_prefix(method.size());
  std::string_view type = after_last(path, '/');
  bool is_class = !type.empty() && (described || is_upper(type.front()));
  bool ends_well = rest.empty() || rest.front() == '(' || rest.front() == ' ';
  if (method.empty() || !is_class || !ends_well || is_source_ending(method)) {
    return std::nullopt;
  }
  return java_forms(path, method);
}

// "com.example.Main$1.run": the class with its package, and the method.
struct DottedMethod {
  std::string_view path;
  std::string_view method;
};

std::optional<DottedMethod> dotted_method(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  DottedMethod found{name.substr(0, dot), name.substr(dot + 1)};
  std::string_view type = after_last(found.path, '.');
  bool plain = std::ranges::all_of(found.path, [](char c) { return is_identifier(c) || c == '.'; });
  bool has_class = type.size() < found.path.size() && !type.empty() && is_upper(type.front());
  bool has_method = !found.method.empty() && method_size(found.method) == found.method.size();
  return plain && has_class && has_method ? std::optional(found) : std::nullopt;
}

// "int java.lang.String.hashCode()", as HotSpot writes it into a perf map.
std::optional<LabelForms> hotspot_forms(std::string_view name) {
  size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')') || name.find("::") < open) {
    return std::nullopt;
  }
  std::optional<DottedMethod> found = dotted_method(after_last(name.substr(0, open), ' '));
  return found ? std::optional(java_forms(found->path, found->method)) : std::nullopt;
}

// "com.example.Main$1.run", as Android's tools write it. Files ("src.Main.java") look alike.
std::optional<LabelForms> dotted_forms(std::string_view name) {
  std::optional<DottedMethod> found = dotted_method(name);
  if (!found || is_upper(found->path.front()) || !is_identifier(found->path.front()) ||
      is_source_ending(found->method)) {
    return std::nullopt;
  }
  return java_forms(found->path, found->method);
}

// "libc.so.6+0x175040": the module loses its directory, the offset stays.
std::optional<LabelForms> offset_forms(std::string_view name) {
  size_t plus = name.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0 || plus + 3 == name.size() ||
      !std::ranges::all_of(name.substr(plus + 3), is_hex) ||
      name.find_first_of("(<") != std::string_view::npos) {
    return std::nullopt;
  }
  return LabelForms{.forms = {std::string(name), std::string(after_last(name, '/'))},
                    .end_matters = true};
}

// The depth of brackets at each byte would cost memory; this walks once and calls `visit(at)` for
// each byte outside of all brackets.
template <typename Visit>
void outside_of_brackets(std::string_view name, Visit visit) {
  size_t depth = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    char c = name[at];
    bool arrow = c == '>' && at > 0 && name[at - 1] == '-';
    if (c == '<' || c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if ((c == '>' && !arrow) || c == ')' || c == '}' || c == ']') {
      depth -= depth > 0 ? 1U : 0U;
    } else if (depth == 0) {
      visit(at);
    }
  }
}

// Adds "..name" for each later part of the name, the longest first. `is_separator` says whether a
// part begins after this byte.
template <typename IsSeparator>
void add_endings(std::string_view name, IsSeparator is_separator, Forms& forms) {
  outside_of_brackets(name, [&](size_t at) {
    if (at + 1 < name.size() && is_separator(at)) {
      forms.push_back(fmt::format("..{}", name.substr(at + 1)));
    }
  });
}

// "github.com/user/repo/pkg.(*Type[go.shape.int]).Method.func1"
std::optional<LabelForms> go_forms(std::string_view name) {
  bool has_receiver = name.find(".(*") != std::string_view::npos;
  size_t slash = name.substr(0, name.find_first_of("[(")).rfind('/');
  std::string_view local = slash == std::string_view::npos ? name : name.substr(slash + 1);
  bool in_package = slash != std::string_view::npos && local.find('.') != std::string_view::npos &&
                    !is_source_ending(after_last(local, '.')) && !name.starts_with('/');
  if ((!has_receiver && !in_package) || name.find("::") != std::string_view::npos ||
      name.find(' ') != std::string_view::npos) {
    return std::nullopt;
  }
  LabelForms result{.forms = {std::string(name), std::string(local)}};
  std::string folded;
  size_t depth = 0;
  for (char c : local) {
    depth -= c == ']' && depth > 0 ? 1U : 0U;
    if (depth == 0) {
      folded += c;
    }
    depth += c == '[' ? 1U : 0U;
  }
  result.forms.push_back(folded);
  // A receiver is a part of its own, although it is in brackets.
  for (size_t at = folded.find('.'); at != std::string::npos; at = folded.find('.', at + 1)) {
    if (at + 1 < folded.size()) {
      result.forms.push_back(".." + folded.substr(at + 1));
    }
  }
  return result;
}

// "app::run" of "app::run::h0123456789abcdef".
std::string_view without_hash(std::string_view name) {
  constexpr size_t kDigits = 16;
  constexpr std::string_view kMark = "::h";
  if (name.size() <= kDigits + kMark.size()) {
    return name;
  }
  std::string_view rest = name.substr(0, name.size() - kDigits - kMark.size());
  std::string_view hash = name.substr(rest.size());
  bool is_hash = hash.starts_with(kMark) && std::ranges::all_of(hash.substr(kMark.size()), is_hex);
  return is_hash ? rest : name;
}

// "_$LT$app..Pool$u20$as$u20$Drop$GT$::drop" is how a name without hash looks to tools that do not
// know Rust: "<app::Pool as Drop>::drop".
std::string without_rust_codes(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kCodes = {
      {{"_$", "$"},
       {"..", "::"},
       {"$LT$", "<"},
       {"$GT$", ">"},
       {"$LP$", "("},
       {"$RP$", ")"},
       {"$C$", ","},
       {"$RF$", "&"},
       {"$BP$", "*"},
       {"$u20$", " "},
       {"$u7b$", "{"},
       {"$u7d$", "}"},
       {"$u5b$", "["},
       {"$u5d$", "]"},
       {"$u27$", "'"}}};
  constexpr std::array<std::string_view, 4> kSigns = {"$LT$", "$u7b$", "$u20$", "$RF$"};
  if (std::ranges::none_of(kSigns, [&](std::string_view sign) { return name.contains(sign); })) {
    return name;
  }
  for (const auto& [code, text] : kCodes) {
    std::string decoded;
    std::string_view rest = name;
    for (size_t at = rest.find(code); at != std::string_view::npos; at = rest.find(code)) {
      decoded += rest.substr(0, at);
      decoded += text;
      rest.remove_prefix(at + code.size());
    }
    name = decoded + std::string(rest);
  }
  return name;
}

// The parts that a compiler adds where an async function or a coroutine continues after a wait.
bool drop_continuation(std::string& name) {
  constexpr std::array<std::string_view, 6> kEndings = {" [clone .resume]",
                                                        " [clone .actor]",
                                                        " (.resume)",
                                                        "::{{closure}}",
                                                        "::{closure}",
                                                        "::{{coroutine}}"};
  for (std::string_view ending : kEndings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
      return true;
    }
  }
  // rustc numbers them: ::{closure#0}, ::{async_fn#0}, ::{async_block_env#1}.
  size_t open = name.rfind("::{");
  if (open == std::string::npos || open == 0 || !name.ends_with('}')) {
    return false;
  }
  std::string_view word = std::string_view(name).substr(open + 3);
  if (!word.starts_with("closure") && !word.starts_with("async_")) {
    return false;
  }
  name.resize(open);
  return true;
}

// The name as the programmer wrote it: without hash and continuations.
std::string written_name(std::string_view name) {
  std::string written = without_rust_codes(std::string(without_hash(name)));
  while (drop_continuation(written)) {
  }
  // The parameter of GCC's resumed coroutines is the frame: "f(f(int)::_Z1fi.Frame*)".
  size_t frame = written.find(".Frame*)");
  size_t open = written.find('(');
  if (frame != std::string::npos && open != std::string::npos && open > 0 && open < frame) {
    written.resize(open);
  }
  return written;
}

// "<app::Pool as core::ops::Drop>::drop" becomes "app::Pool::drop".
std::string without_trait(const std::string& name) {
  if (!name.starts_with('<')) {
    return name;
  }
  size_t close = 0;
  size_t depth = 0;
  for (size_t at = 0; at < name.size() && close == 0; ++at) {
    depth += name[at] == '<' ? 1U : 0U;
    if (name[at] == '>' && name[at - 1] != '-') {
      --depth;
      close = depth == 0 ? at : 0;
    }
  }
  size_t as = std::string::npos;
  outside_of_brackets(std::string_view(name).substr(1, close > 0 ? close - 1 : 0), [&](size_t at) {
    if (as == std::string::npos && name.compare(at + 1, 4, " as ") == 0) {
      as = at + 1;
    }
  });
  if (close == 0 || as == std::string::npos) {
    return name;
  }
  std::string bare = name.substr(1, as - 1) + name.substr(close + 1);
  return bare.empty() ? name : bare;
}

// Template functions have their return type in front: "void std::sort<>".
std::string without_return_type(const std::string& name) {
  size_t begin = 0;
  outside_of_brackets(name, [&](size_t at) {
    if (name[at] == ' ' && name.compare(at, 5, " [clo") != 0) {
      begin = at + 1;
    }
  });
  bool is_plain = name.find("operator") == std::string::npos && begin < name.size() &&
                  name.find("::") != std::string::npos && is_identifier(name[begin]);
  return begin > 0 && is_plain && name.find("::", begin) != std::string::npos ? name.substr(begin)
                                                                              : name;
}

// C++, Rust, paths, and everything else.
LabelForms scoped_forms(std::string_view name) {
  constexpr std::string_view kCall = "}::operator()";
  LabelForms result;
  std::string written = written_name(name);
  result.forms.push_back(written);
  std::string folded = short_name(written);
  if (folded.ends_with(" const")) {
    folded.resize(folded.size() - 6);
  }
  if (folded.ends_with(kCall)) {
    folded.resize(folded.size() - kCall.size() + 1);
  }
  if (folded.empty()) {  // "(2 more)" is not a parameter list
    return result;
  }
  result.forms.push_back(folded);
  std::string bare = without_return_type(without_trait(folded));
  result.forms.push_back(bare);
  add_endings(
      bare,
      [&](size_t at) {
        bool scope = bare[at] == ':' && at > 0 && bare[at - 1] == ':' && bare[at + 1] != ':';
        return scope || bare[at] == '/';
      },
      result.forms);
  return result;
}

}  // namespace

LabelForms label_forms(std::string_view name) {
  if (name.size() > kLongestRead) {
    return {.forms = {std::string(name)}};
  }
  for (auto forms_of :
       {python_forms, v8_forms, jvm_forms, hotspot_forms, dotted_forms, offset_forms, go_forms}) {
    if (std::optional<LabelForms> forms = forms_of(name)) {
      return *forms;
    }
  }
  return scoped_forms(name);
}

std::string name_in_text(std::string_view name) {
  LabelForms label = label_forms(name);
  return label.forms[std::min<size_t>(1, label.forms.size() - 1)];
}

std::map<std::string, std::string, std::less<>> names_in_text(const std::set<std::string>& names) {
  std::map<std::string, std::string, std::less<>> texts;
  for (const std::string& name : names) {
    texts[name] = name_in_text(name);
  }
  auto names_by_text = [&] {
    std::map<std::string, std::set<std::string_view>> groups;
    for (const auto& [name, text] : texts) {
      groups[text].insert(name);
    }
    std::erase_if(groups, [](const auto& group) { return group.second.size() == 1; });
    return groups;
  };
  for (int round = 0; round < 2; ++round) {  // those that share the word differ later
    for (const auto& [text, alike] : names_by_text()) {
      size_t difference = first_difference(alike);
      for (std::string_view name : alike) {
        std::string_view word = word_from(name, difference);
        texts.find(name)->second =
            word.empty() ? name_in_text(name) : fmt::format("{} [{}]", name_in_text(name), word);
      }
    }
  }
  for (const auto& [text, alike] : names_by_text()) {
    for (std::string_view name : alike) {
      texts.find(name)->second = name;
    }
  }
  return texts;
}

}  // namespace wick
