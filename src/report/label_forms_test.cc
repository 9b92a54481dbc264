// SPDX-License-Identifier: Apache-2.0
#include "report/label_forms.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

using Forms = std::vector<std::string>;

// The forms in order, without neighbours that are equal.
Forms forms_of(std::string_view name) {
  Forms forms = label_forms(name).forms;
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  return forms;
}

TEST(LabelForms, OfCppFoldArgumentsFirst) {
  EXPECT_EQ(forms_of("main"), Forms({"main"}));
  EXPECT_EQ(forms_of("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            Forms({"std::vector<int, std::allocator<int> >::push_back(int const&)",
                   "std::vector<>::push_back",
                   "..vector<>::push_back",
                   "..push_back"}));
  EXPECT_EQ(
      forms_of("void ns::sort<int*>(int*, int*)"),
      Forms({"void ns::sort<int*>(int*, int*)", "void ns::sort<>", "ns::sort<>", "..sort<>"}));
  EXPECT_EQ(forms_of("run(int)::{lambda(char)#1}::operator()(char) const"),
            Forms({"run(int)::{lambda(char)#1}::operator()(char) const",
                   "run::{lambda#1}",
                   "..{lambda#1}"}));
  EXPECT_EQ(forms_of("(2 more)"), Forms({"(2 more)"}));
  EXPECT_EQ(forms_of("operator new(unsigned long)"),
            Forms({"operator new(unsigned long)", "operator new"}));
  EXPECT_EQ(forms_of("ns::A::operator bool() const"),
            Forms({"ns::A::operator bool() const",
                   "ns::A::operator bool",
                   "..A::operator bool",
                   "..operator bool"}));
}

TEST(NamesInText, AreShortButDifferent) {
  using Texts = std::map<std::string, std::string, std::less<>>;
  EXPECT_EQ(names_in_text({"f<int>(int)", "main", "f<int>(int)"}),
            Texts({{"f<int>(int)", "f<>"}, {"main", "main"}}));
  EXPECT_EQ(names_in_text({"f<int>(int)", "f<char>(char)", "f"}),
            Texts({{"f<int>(int)", "f<> [int]"}, {"f<char>(char)", "f<> [char]"}, {"f", "f"}}));
  EXPECT_EQ(names_in_text({"f<a, b>", "f<a, c>", "f<d, b>"}),
            Texts({{"f<a, b>", "f<> [b]"}, {"f<a, c>", "f<> [c]"}, {"f<d, b>", "f<> [d]"}}));
  // "g(int)" has no word that the other lacks.
  EXPECT_EQ(names_in_text({"g(int)", "g(int) const"}),
            Texts({{"g(int)", "g"}, {"g(int) const", "g [const]"}}));
  EXPECT_EQ(names_in_text({"g(!)", "g(?)"}), Texts({{"g(!)", "g(!)"}, {"g(?)", "g(?)"}}));
}

TEST(LabelForms, OfCoroutinesReadAsTheFunction) {
  EXPECT_EQ(forms_of("app::serve(app::serve(int)::_ZN3app5serveEi.Frame*) [clone .actor]"),
            Forms({"app::serve", "..serve"}));
  EXPECT_EQ(forms_of("app::serve(int) [clone .resume]"),
            Forms({"app::serve(int)", "app::serve", "..serve"}));
}

TEST(LabelForms, OfRust) {
  EXPECT_EQ(forms_of("app::pool::run::h0123456789abcdef"),
            Forms({"app::pool::run", "..pool::run", "..run"}));
  EXPECT_EQ(forms_of("<app::Pool<T> as core::ops::drop::Drop>::drop"),
            Forms({"<app::Pool<T> as core::ops::drop::Drop>::drop",
                   "<app::Pool<> as core::ops::drop::Drop>::drop",
                   "app::Pool<>::drop",
                   "..Pool<>::drop",
                   "..drop"}));
}

TEST(LabelForms, OfRustWithCodes) {
  EXPECT_EQ(forms_of("_$LT$app..Pool$LT$T$GT$$u20$as$u20$core..Drop$GT$::drop::h0123456789abcdef"),
            Forms({"<app::Pool<T> as core::Drop>::drop",
                   "<app::Pool<> as core::Drop>::drop",
                   "app::Pool<>::drop",
                   "..Pool<>::drop",
                   "..drop"}));
  EXPECT_EQ(forms_of("log::set_logger::_$u7b$$u7b$closure$u7d$$u7d$"),
            Forms({"log::set_logger", "..set_logger"}));
  EXPECT_EQ(forms_of("run_$x"), Forms({"run_$x"}));
}

TEST(LabelForms, OfAsyncRustReadAsTheFunction) {
  for (const char* name : {"app::serve::{{closure}}",
                           "app::serve::{{closure}}::{{closure}}::h0123456789abcdef",
                           "app::serve::{closure#0}",
                           "app::serve::{async_fn#0}",
                           "app::serve::{async_block_env#1}"}) {
    EXPECT_EQ(forms_of(name), Forms({"app::serve", "..serve"})) << name;
  }
  EXPECT_EQ(forms_of("{closure#0}"), Forms({"{closure#0}"}));
}

TEST(LabelForms, OfTheJvm) {
  Forms expected(
      {"org.js.ScriptableObject.createSlot", "ScriptableObject.createSlot", "createSlot"});
  for (const char* name : {"Lorg/js/ScriptableObject;.createSlot(Ljava/lang/Object;I)Lorg/js/S",
                           "Lorg/js/ScriptableObject;::createSlot",
                           "org/js/ScriptableObject.createSlot",
                           "org.js.ScriptableObject.createSlot",
                           "int org.js.ScriptableObject.createSlot(java.lang.Object)"}) {
    EXPECT_EQ(forms_of(name), expected) << name;
  }
  EXPECT_EQ(forms_of("Ljava/util/HashMap;.<init>()V"),
            Forms({"java.util.HashMap.<init>", "HashMap.<init>"}));
  EXPECT_EQ(forms_of("Lorg/js/Scheduler$Worker;.run()V"),
            Forms({"org.js.Scheduler$Worker.run", "Scheduler$Worker.run", "Worker.run", "run"}));
  EXPECT_EQ(forms_of("org/js/Main$1.run"), Forms({"org.js.Main$1.run", "Main$1.run", "run"}));
}

TEST(LabelForms, OfOtherTextsWithDots) {
  for (const char* name : {"libc.so.6",
                           "lib.Qt.so",
                           "runtime.mallocgc",
                           "src.Main.java",
                           "..X.y",
                           "Main.Inner.run",
                           "a.B.",
                           "A.B"}) {
    EXPECT_EQ(forms_of(name), Forms({name})) << name;
  }
}

TEST(LabelForms, OfPathsLoseDirectories) {
  EXPECT_EQ(forms_of("src/Main.java"), Forms({"src/Main.java", "..Main.java"}));
  EXPECT_EQ(forms_of("/usr/lib/libz.so.1"),
            Forms({"/usr/lib/libz.so.1", "..usr/lib/libz.so.1", "..lib/libz.so.1", "..libz.so.1"}));
}

TEST(LabelForms, OfGo) {
  EXPECT_EQ(forms_of("github.com/user/repo/pkg.(*Type[go.shape.int]).Method.func1"),
            Forms({"github.com/user/repo/pkg.(*Type[go.shape.int]).Method.func1",
                   "pkg.(*Type[go.shape.int]).Method.func1",
                   "pkg.(*Type[]).Method.func1",
                   "..(*Type[]).Method.func1",
                   "..Method.func1",
                   "..func1"}));
  EXPECT_EQ(forms_of("runtime.mallocgc"), Forms({"runtime.mallocgc"}));
  EXPECT_EQ(forms_of("main.resume"), Forms({"main.resume"}));
}

TEST(LabelForms, OfInterpreters) {
  EXPECT_EQ(forms_of("py::tokenise:/srv/app/flow.py"), Forms({"tokenise (flow.py)", "tokenise"}));
  EXPECT_EQ(forms_of("py::object::call(int)")[1], "py::object::call");  // C++
  EXPECT_EQ(forms_of("py::<module>:<string>"), Forms({"<module> (<string>)", "<module>"}));
  EXPECT_EQ(forms_of("JS:*parse /srv/app/json.js:10:5"), Forms({"parse (json.js:10)", "parse"}));
  EXPECT_EQ(forms_of("LazyCompile:~ /srv/app/json.js:10:5"),
            Forms({"(anonymous) (json.js:10)", "json.js:10"}));
}

TEST(LabelForms, WithoutAFunctionKeepTheOffset) {
  LabelForms label = label_forms("/usr/lib/libc.so.6+0x175040");
  EXPECT_EQ(label.forms, Forms({"/usr/lib/libc.so.6+0x175040", "libc.so.6+0x175040"}));
  EXPECT_TRUE(label.end_matters);
  EXPECT_FALSE(label_forms("f(int)+0x12").end_matters);
}

// Every text has a form, none is empty, and reading one takes a bounded time.
TEST(LabelForms, OfHostileNames) {
  for (std::string name : {std::string(),
                           std::string("::"),
                           std::string("<"),
                           std::string("< as >"),
                           std::string("<a as b"),
                           std::string("py::"),
                           std::string("py:::"),
                           std::string("JS:"),
                           std::string("L/;."),
                           std::string("/."),
                           std::string("a/.b"),
                           std::string("+0x"),
                           std::string(".Frame*)"),
                           std::string(2000, '<'),
                           std::string(2000, '('),
                           std::string(100'000, ':')}) {
    LabelForms label = label_forms(name);
    ASSERT_FALSE(label.forms.empty()) << name;
    for (const std::string& form : label.forms) {
      EXPECT_TRUE(!form.empty() || name.empty()) << name;
    }
  }
}

}  // namespace
}  // namespace wick
