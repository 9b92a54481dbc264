// SPDX-License-Identifier: Apache-2.0
// The protocol and the tools, as a client sees them: lines in, lines out.
#include "mcp/server.h"

#include <filesystem>
#include <set>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/escape.h"
#include "mcp/transport.h"
#include "tests/support/files.h"

namespace wick::mcp {
namespace {

using ::wick::testing::ScratchDir;
using ::wick::testing::write_file;

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(at("in"));
    write_file(at("in/a.folded"), "main;parse;read 10\nmain;work;hash 60\nmain;work 20\nidle 10\n");
    write_file(at("secret.folded"), "main;secret 1\n");
  }
  std::string at(std::string_view name) const { return scratch_.file(name); }
  Server& server() {
    if (!server_) {
      server_ = std::make_unique<Server>(
          Questions(*AllowedFiles::of({at("in")}), *AllowedFiles::of({}), acquire::Options{}));
    }
    return *server_;
  }
  Json answer(const std::string& line) {
    std::string text = server().answer(line);
    EXPECT_EQ(text.find('\n'), std::string::npos) << "a message is one line";
    Result<Json> json = parse_json(text);
    EXPECT_TRUE(json) << text;
    return json ? *json : Json{};
  }
  Json request(std::string_view method, std::string_view params = "{}") {
    return answer(
        fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params));
  }
  // The result of a tool: its object, or its sentence if `is_error`.
  Json call(std::string_view tool, std::string_view arguments = "{}", bool is_error = false) {
    Json json =
        request("tools/call", fmt::format(R"({{"name":"{}","arguments":{}}})", tool, arguments));
    const Json* wrong = json.at("result.isError");
    EXPECT_TRUE(wrong != nullptr && wrong->truth == is_error) << tool << arguments;
    const Json* text = json.at("result.content.0.text");
    if (text == nullptr || is_error) {
      return text == nullptr ? Json{} : *text;
    }
    Result<Json> object = parse_json(text->text);
    EXPECT_TRUE(object) << text->text;
    return object ? *object : Json{};
  }

  ScratchDir scratch_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, InitializeNegotiatesTheRevision) {
  for (const char* known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    Json json = request("initialize", fmt::format(R"({{"protocolVersion":"{}"}})", known));
    EXPECT_EQ(json.at("result.protocolVersion")->text, known);
  }
  for (const char* params :
       {R"({"protocolVersion":"1900-01-01"})", R"({"protocolVersion":7})", "{}"}) {
    Json json = request("initialize", params);
    EXPECT_EQ(json.at("result.protocolVersion")->text, "2025-11-25") << params;
  }
  Json json = request("initialize");
  EXPECT_EQ(json.at("result.serverInfo.name")->text, "wick");
  EXPECT_NE(json.at("result.capabilities.tools"), nullptr);
  EXPECT_FALSE(json.at("result.instructions")->text.empty());
}

constexpr std::string_view kModern =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}})";

TEST_F(ServerTest, AnswersTheRevisionWithoutSessions) {
  Json found = request("server/discover", fmt::format("{{{}}}", kModern));
  EXPECT_EQ(found.at("result.supportedVersions.0")->text, "2026-07-28");
  EXPECT_EQ(found.at("result.resultType")->text, "complete");
  EXPECT_EQ(found.at("result.cacheScope")->text, "private");
  Json tools = request("tools/list", fmt::format("{{{}}}", kModern));
  EXPECT_EQ(tools.at("result.resultType")->text, "complete");
  EXPECT_GT(tools.at("result.ttlMs")->number, 0);
  Json called = request("tools/call", fmt::format(R"({{"name":"hot",{}}})", kModern));
  EXPECT_EQ(called.at("result.resultType")->text, "complete");
  EXPECT_FALSE(called.at("result.isError")->truth);
}

TEST_F(ServerTest, AnUnknownRevisionIsRefusedWithTheKnownOnes) {
  Json json = request("tools/list",
                      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2199-01-01"}})");
  EXPECT_EQ(json.at("error.code")->number, kUnsupportedVersion);
  EXPECT_EQ(json.at("error.data.requested")->text, "2199-01-01");
  EXPECT_EQ(json.at("error.data.supported.0")->text, "2026-07-28");
}

TEST_F(ServerTest, ATimelineHasFewPointsOfAllItsTime) {
  write_file(at("in/t.speedscope.json"),
             R"({"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"t",
                 "unit":"seconds","samples":[[0],[],[0]],"weights":[1,8,1]}]})");
  Json json = call("timeline", R"({"profile":"t.speedscope.json"})");
  const Json* points = json.at("sections.tracks_points.rows");
  ASSERT_NE(points, nullptr);
  ASSERT_EQ(points->items.size(), 10U);
  EXPECT_GT(points->items.back().find("time_ns")->number, 7e9);
  EXPECT_EQ(json.at("sections.tracks_points.left_out"), nullptr);
  Json more = call("timeline", R"({"profile":"t.speedscope.json","points":15})");
  EXPECT_EQ(more.at("sections.tracks_points.rows")->items.size(), 15U);
}

TEST_F(ServerTest, PingHasAnEmptyResult) {
  Json json = request("ping");
  EXPECT_TRUE(json.find("result")->is(Json::Kind::kObject));
  EXPECT_TRUE(json.find("result")->keys.empty());
  EXPECT_EQ(json.text_at("jsonrpc"), "2.0");
  EXPECT_EQ(json.number_at("id", 0), 1);
}

TEST_F(ServerTest, NotificationsAndResponsesHaveNoAnswer) {
  EXPECT_EQ(server().answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
  EXPECT_EQ(server().answer(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"hot"}})"),
            "");
  EXPECT_EQ(server().answer(
                R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})"),
            "");
  EXPECT_EQ(server().answer(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "");
  EXPECT_EQ(server().answer(""), "");
  EXPECT_EQ(server().answer(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])"), "");
}

TEST_F(ServerTest, ABatchIsAnsweredInOneLine) {
  Json json = answer(R"([{"jsonrpc":"2.0","id":"a","method":"ping"},7,
                         {"jsonrpc":"2.0","method":"notifications/initialized"},
                         {"jsonrpc":"2.0","id":"b","method":"nothing"}])");
  ASSERT_EQ(json.items.size(), 3U);
  EXPECT_EQ(json.items[0].text_at("id"), "a");
  EXPECT_EQ(json.at("1.error.code")->number, kInvalidRequest);
  EXPECT_EQ(json.at("2.error.code")->number, kUnknownMethod);
}

TEST_F(ServerTest, WrongRequestsHaveErrors) {
  EXPECT_EQ(answer("garbage").at("error.code")->number, kParseError);
  EXPECT_EQ(request("resources/list").at("error.code")->number, kUnknownMethod);
  EXPECT_EQ(request("tools/call").at("error.code")->number, kInvalidParams);
  EXPECT_EQ(request("tools/call", R"({"name":7})").at("error.code")->number, kInvalidParams);
  EXPECT_EQ(request("tools/call", R"({"name":"record"})").at("error.code")->number, kInvalidParams);
  EXPECT_EQ(request("tools/call", R"({"name":"hot","arguments":[1]})").at("error.code")->number,
            kInvalidParams);
}

// ---- Tools --------------------------------------------------------------------------------------

TEST_F(ServerTest, EveryAnalysisWithoutAPictureIsATool) {
  std::set<std::string> names;
  Json json = request("tools/list");
  for (const Json& tool : json.at("result.tools")->items) {
    names.emplace(tool.text_at("name"));
    EXPECT_TRUE(tool.at("annotations.readOnlyHint")->truth);
    EXPECT_EQ(tool.at("inputSchema.type")->text, "object");
    EXPECT_FALSE(tool.text_at("description").empty());
  }
  for (const Analysis& analysis : all_analyses()) {
    EXPECT_EQ(names.contains(std::string(analysis.name)), analysis.name != "flame")
        << analysis.name;
  }
  EXPECT_TRUE(names.contains("profiles"));
  EXPECT_TRUE(names.contains("info"));
}

// No argument names a file to write, and none but the profiles names a file to read.
TEST_F(ServerTest, NoPropertyIsAPath) {
  for (const Tool& tool : all_tools()) {
    for (const Flag& flag : tool.flags) {
      EXPECT_NE(flag.kind, FlagKind::kPath) << tool.name << flag.name;
    }
  }
  for (const char* name :
       {"output", "flame", "symfs", "debug-dir", "kallsyms", "debuginfod", "repeat"}) {
    Json text =
        call(name == std::string("flame") || name == std::string("repeat") ? "diff" : "report",
             fmt::format(R"({{"{}":"x","before":"a","after":"b"}})", name),
             true);
    EXPECT_NE(text.text.find("has no argument"), std::string::npos) << text.text;
  }
}

TEST_F(ServerTest, AQuestionHasAShortAnswerAndTheNextQuestions) {
  Json json = call("report", R"({"profile":"a.folded","limit":2})");
  EXPECT_EQ(json.at("sections.entries.rows.0.name")->text, "hash");
  EXPECT_EQ(json.at("sections.entries.rows.0.self_share")->number, 0.6);
  EXPECT_EQ(json.at("sections.entries.rows")->items.size(), 2U);
  EXPECT_EQ(json.at("sections.entries.left_out")->number, 4);
  EXPECT_TRUE(json.find("loss")->items.empty());
  EXPECT_EQ(json.at("next.0.tool")->text, "sandwich");
  EXPECT_EQ(json.at("next.0.arguments.function")->text, "hash");
}

TEST_F(ServerTest, WithoutNamesTheNextQuestionIsWhy) {
  write_file(at("in/a.folded"), "libc.so+0x46228 90\nmain 10\n");
  EXPECT_EQ(call("hot").at("next.0.tool")->text, "quality");
}

// The assistant can use them as they are.
TEST_F(ServerTest, NextQuestionsHaveAnswers) {
  std::vector<std::pair<std::string, std::string>> pending = {
      {"profiles", "{}"},
      {"hot", R"({"focus":"work"})"},
      {"report", R"({"limit":1,"by":"thread"})"},
      {"tree", "{}"},
      {"quality", "{}"},
      {"diff", R"({"before":["a.folded"],"after":"a.folded","limit":1})"}};
  for (size_t asked = 0; asked < pending.size() && asked < 40; ++asked) {
    std::string line = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{}}}}})",
        pending[asked].first,
        pending[asked].second);
    std::string text = server().answer(line);
    ASSERT_NE(text.find(R"("isError":false)"), std::string::npos) << line << "\n" << text;
    Json json = answer(line);
    for (const Json& next : json.at("result.structuredContent.next")->items) {
      std::string arguments;
      const Json* given = next.find("arguments");
      for (size_t i = 0; i < given->keys.size(); ++i) {
        const Json& value = given->items[i];
        std::string shown = value.is(Json::Kind::kNumber) ? fmt::format("{}", value.number)
                            : value.is(Json::Kind::kArray)
                                ? fmt::format(R"(["{}"])", json_text(value.items.at(0).text))
                                : fmt::format(R"("{}")", json_text(value.text));
        arguments += fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", given->keys[i], shown);
      }
      pending.emplace_back(next.text_at("tool"), "{" + arguments + "}");
    }
  }
  EXPECT_GT(pending.size(), 10U);
}

TEST_F(ServerTest, AComparisonNamesBothSides) {
  write_file(at("in/b.folded"), "main;work;hash 10\nmain;work 90\n");
  Json json = call("diff", R"({"before":"a.folded","after":["b.folded"]})");
  EXPECT_EQ(json.at("before.0")->text, "a.folded");
  EXPECT_EQ(json.at("after.0")->text, "b.folded");
  EXPECT_EQ(json.at("sections.changes.rows.0.verdict")->text, "more");
}

// A README can look like stacks; it is listed, but never what "the newest" means.
TEST_F(ServerTest, TextWithoutTheNameOfAProfileComesLast) {
  std::filesystem::last_write_time(
      at("in/a.folded"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  write_file(at("in/notes.md"), "main;work 3\n");
  EXPECT_EQ(call("hot").at("profile.0")->text, at("in/a.folded"));
  EXPECT_EQ(call("profiles").at("sections.profiles.rows")->items.size(), 2U);
}

TEST_F(ServerTest, WithoutAProfileTheNewestIsRead) {
  EXPECT_EQ(call("hot").at("profile.0")->text, at("in/a.folded"));
  std::filesystem::remove(at("in/a.folded"));
  EXPECT_NE(call("hot", "{}", true).text.find("There is no profile"), std::string::npos);
}

TEST_F(ServerTest, OtherFilesAreRefused) {
  for (const std::string& path : {at("secret.folded"), std::string("../secret.folded")}) {
    Json text = call("report", fmt::format(R"({{"profile":"{}"}})", path), true);
    EXPECT_NE(text.text.find("is not a file that wick may read"), std::string::npos) << text.text;
  }
  call("diff", fmt::format(R"({{"before":"a.folded","after":"{}"}})", at("secret.folded")), true);
}

// The value of a flag that names a file is the text itself, so no file is read.
TEST_F(ServerTest, AFileArgumentIsItsText) {
  Json json = call("report", R"({"areas":"hashing = hash\nreading = read"})");
  const Json* rows = json.at("sections.areas.rows");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->items[0].text_at("name"), "hashing");
  call("report", R"({"areas":"/etc/passwd"})", true);
}

TEST_F(ServerTest, ArgumentsAreCheckedWithASentence) {
  EXPECT_NE(call("report", R"({"focsu":"x"})", true).text.find("did you mean \"focus\"?"),
            std::string::npos);
  EXPECT_NE(call("sandwich", "{}", true).text.find("needs \"function\""), std::string::npos);
  EXPECT_NE(call("report", R"({"by":"colour"})", true).text.find("takes one of"),
            std::string::npos);
  call("report", R"({"limit":-1})", true);
  call("report", R"({"limit":1e300})", true);
  call("report", R"({"min-share":{}})", true);
  call("report", R"({"focus":"("})", true);
  call("tree", R"({"bottom-up":"yes"})", true);
  call("report", R"({"profile":[]})");
}

TEST_F(ServerTest, AcceptsWhatAssistantsWrite) {
  call("tree", R"({"bottom_up":true,"min_share":"5","depth":2,"focus":null})");
  call("report", R"({"limit":"3","label":"request","steady":false})", true);  // no such label
  call("diff", R"({"before":["a.folded","a.folded"],"after":"a.folded"})");
}

TEST_F(ServerTest, AProfileIsReadOnceUntilItChanges) {
  call("report");
  call("hot");
  call("sandwich", R"({"function":"hash"})");
  EXPECT_EQ(server().questions().cache().reads(), 1U);
  write_file(at("in/a.folded"), "main;changed 1000\n");
  EXPECT_EQ(call("report").at("sections.entries.rows.0.name")->text, "changed");
  EXPECT_EQ(server().questions().cache().reads(), 2U);
}

TEST_F(ServerTest, AnAnswerIsBounded) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += fmt::format("main;{}{:05} {}\n", std::string(200, 'f'), i, 1 + i % 7);
  }
  write_file(at("in/a.folded"), text);
  std::string line =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{"limit":100000}}})";
  std::string whole = server().answer(line);
  EXPECT_LT(whole.size(), 3 * kLongestAnswer);
  Json json = call("report", R"({"limit":100000})");
  EXPECT_NE(json.find("notes")->items.back().text.find("Rows are left out"), std::string::npos);
  EXPECT_GT(json.at("sections.entries.left_out")->number, 1000);
}

// ---- Transport ----------------------------------------------------------------------------------

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close(ends_[0]); }
  void close_writer() { close(ends_[1]); }
  void write(std::string_view text) const {
    while (!text.empty()) {
      ssize_t written = ::write(ends_[1], text.data(), text.size());
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  static void close(int& end) {
    if (end >= 0) {
      ::close(end);
      end = -1;
    }
  }
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(LineReader, SplitsLinesAndDropsLongOnes) {
  Pipe pipe;
  std::thread writer([&] {
    pipe.write("one\n\ntwo\n");
    pipe.write(std::string(3 * kLongestMessage, 'x') + "\n");
    pipe.write("three\nlast");
    pipe.close_writer();
  });
  LineReader lines(pipe.reader());
  EXPECT_EQ(lines.next()->text, "one");
  EXPECT_EQ(lines.next()->text, "");
  EXPECT_EQ(lines.next()->text, "two");
  EXPECT_TRUE(lines.next()->is_too_long);
  EXPECT_EQ(lines.next()->text, "three");
  EXPECT_EQ(lines.next()->text, "last");
  EXPECT_FALSE(lines.next());
  writer.join();
}

TEST_F(ServerTest, ServesUntilTheEndOfTheInput) {
  Pipe in;
  Pipe out;
  in.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\nnothing\n");
  in.close_writer();
  EXPECT_TRUE(serve(server(), in.reader(), out.writer()));
  out.close_writer();
  LineReader answers(out.reader());
  EXPECT_EQ(answers.next()->text, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_NE(answers.next()->text.find("-32700"), std::string::npos);
  EXPECT_FALSE(answers.next());
}

TEST_F(ServerTest, AClientThatHasGoneIsAnError) {
  Pipe in;
  Pipe out;
  in.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  in.close_writer();
  out.close_reader();
  EXPECT_FALSE(serve(server(), in.reader(), out.writer()));
}

}  // namespace
}  // namespace wick::mcp
