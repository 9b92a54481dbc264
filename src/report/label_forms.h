// SPDX-License-Identifier: Apache-2.0
// The forms of a function's name, from the most complete to the shortest, by the rules of the
// language that wrote it. A reader needs the part that tells functions apart; each language has it
// at another end of the name:
//
//     C++      std::vector<int>::push_back(int const&)        std::vector<>::push_back, ..push_back
//              handle(handle(int)::_Z6handlei.Frame*) [clone .actor]          handle
//     Rust     <app::Pool as core::ops::Drop>::drop           app::Pool::drop, ..Pool::drop
//              app::handle::{{closure}}::h0123456789abcdef    app::handle
//     JVM      Lorg/js/ScriptableObject;.createSlot(I)V       org.js.ScriptableObject.createSlot,
//                                                             ScriptableObject.createSlot
//     Go       github.com/user/repo/pkg.(*Type).Method        pkg.(*Type).Method, ..Method
//     Python   py::tokenise:/srv/app/flow.py                  tokenise (flow.py), tokenise
//     V8       JS:*parse /srv/app/json.js:10:5                parse (json.js:10), parse
//     none     libc.so.6+0x175040                             keeps its offset
//
// The language is recognised by the syntax of the name alone, so that every source of names is
// treated alike. A text that is not a function's name (a path, a thread) has the forms of a path.
// The bodies of async functions and coroutines read as the function that the programmer wrote.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct LabelForms {
  std::vector<std::string> forms;  // at least one
  bool end_matters = false;        // a cut must leave the end: the offset of module+0x12
};

// `name` must be escaped already.
LabelForms label_forms(std::string_view name);

// The form within a sentence: without template arguments and parameters.
std::string name_in_text(std::string_view name);

// The same for all names of a text. Different names have different texts: names that look alike
// in short show the word at which they differ ("push_back [int]"), or the whole name.
std::map<std::string, std::string, std::less<>> names_in_text(const std::set<std::string>& names);

}  // namespace wick
