// SPDX-License-Identifier: Apache-2.0
// Tests the reader of flame graphs: titles and markup by themselves, then pictures that the tests
// write as text, truncated and hostile ones included. Real pictures of several programs must give
// the stacks that they were drawn from.
#include "formats/flamegraph_svg/flamegraph_svg.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/flamegraph_svg/markup.h"
#include "formats/flamegraph_svg/title.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::flamegraph_svg {
namespace {

FlagValues flags_with(std::string_view name = {}, std::string_view value = {}) {
  FlagValues flags;
  flags.declare(read_flags());
  if (!name.empty()) {
    flags.set(name, std::string(value));
  }
  return flags;
}

Result<Profile> read_text(std::string text, const FlagValues& flags = flags_with()) {
  Input input = Input::from_text("picture.svg", std::move(text));
  Result<Profile> profile = read(input, flags);
  EXPECT_TRUE(!profile || validate(*profile)) << validate(*profile).error().message;
  return profile;
}

// Folded lines of one event, sorted.
std::string folded(const Profile& profile, uint32_t event = 0) {
  std::vector<std::string> lines;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    if (profile.samples.event[row] != EventId(event)) {
      continue;
    }
    std::string line;
    for (StackId at = profile.samples.stack[row]; at != kEmptyStack;
         at = profile.stacks.parent(at)) {
      std::string name = frame_name(profile, profile.stacks.frame(at));
      line = line.empty() ? name : fmt::format("{};{}", name, line);
    }
    double weight = static_cast<double>(profile.samples.weight[row]) /
                    profile.events[profile.samples.event[row]].scale;
    lines.push_back(fmt::format("{} {}\n", line, weight));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

std::string folded_of(std::string text, const FlagValues& flags = flags_with()) {
  Result<Profile> profile = read_text(std::move(text), flags);
  return profile ? folded(*profile) : profile.error().message;
}

bool reports(const Profile& profile, std::string_view words) {
  return std::ranges::any_of(profile.losses, [&](const Loss& loss) {
    return profile.strings[loss.reason].find(words) != std::string_view::npos;
  });
}

struct Drawn {
  std::string title;
  double x = 0;
  double width = 0;
  int depth = 0;
  std::string more = {};  // attributes
};

std::string picture(const std::vector<Drawn>& frames, bool icicle = false) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\">\n"
      "<svg width=\"1200\"><!-- a > b -->\n<script><![CDATA[ if (a < b) '<title>x (1 samples, "
      "1%)</title>' ]]></script>\n<rect x=\"0\" y=\"0\" width=\"100%\" height=\"9\"/>\n"
      "<text id=\"title\">Flame Graph</text>\n";
  for (const Drawn& frame : frames) {
    text += fmt::format(
        "<g class=\"func_g\">\n<title>{}</title><rect x=\"{:.1f}\" y=\"{}\" "
        "width=\"{:.1f}\" height=\"15.0\"{}/>\n<text x=\"1\">l..</text></g>\n",
        frame.title,
        frame.x,
        icicle ? 36 + 16 * frame.depth : 400 - 16 * frame.depth,
        frame.width,
        frame.more);
  }
  return text + "</svg>\n";
}

const std::vector<Drawn> kSmall = {
    {"hash (60 samples, 60.00%)", 10, 708, 2},
    {"all (100 samples, 100%)", 10, 1180, 0},
    {"main (90 samples, 90.00%)", 10, 1062, 1},
    {"std::vector&lt;int&gt;::at(int) (20 samples, 20.00%)", 718, 236, 2},
    {"idle (10 samples, 10.00%)", 1072, 118, 1},
};
constexpr std::string_view kSmallFolded =
    "idle 10\nmain 10\nmain;hash 60\nmain;std::vector<int>::at(int) 20\n";

TEST(FlamegraphSvg, TitlesAreTakenApart) {
  std::optional<Title> title = parse_title("operator()(int) (1,234 samples, 12.34%; -1.20%)");
  ASSERT_TRUE(title);
  EXPECT_EQ(title->name, "operator()(int)");
  EXPECT_EQ(title->amount, 1234);
  EXPECT_EQ(title->unit, "samples");
  EXPECT_DOUBLE_EQ(title->change.value_or(0), -0.012);
  title = parse_title("read (1,234 samples, under 0.01 %)\nself 12 samples, libc.so.6, kernel");
  ASSERT_TRUE(title);
  EXPECT_EQ(title->self.value_or(-1), 12);
  EXPECT_EQ(title->module, "libc.so.6");
  EXPECT_EQ(title->kind, "kernel");
  title = parse_title("read (3 samples, 0.10 %)\nself 1 sample, libc.so.6");
  EXPECT_EQ(title->self, 1);
  EXPECT_EQ(title->unit, "samples");
  EXPECT_EQ(parse_title("ip_xmit (-2 sample weight, 7 samples, 3.27%)")->amount, 7);
  for (std::string_view bad : {"", "main", "main (12)", "main (x samples, 1%)", "(1 samples, 1)"}) {
    EXPECT_FALSE(parse_title(bad)) << bad;
  }
}

TEST(FlamegraphSvg, TitlesOfWicksComparisonsHaveBothSides) {
  std::optional<Title> title = parse_title(
      "f (650 samples, 59.09 %)\nself 650 samples, before 500 samples, after 1,800 samples, own "
      "change +300 samples (+27.27 %), libc.so.6");
  ASSERT_TRUE(title);
  EXPECT_EQ(title->before, 500);
  EXPECT_EQ(title->after, 1800);
  EXPECT_EQ(title->module, "libc.so.6");
}

TEST(FlamegraphSvg, DeclarationsTakeNoSquareOfTheirLength) {
  std::string text = "<svg>";
  for (int i = 0; i < 1'000'000; ++i) {
    text += "<!\">\"";
  }
  EXPECT_FALSE(read_text(text));
}

TEST(FlamegraphSvg, HugeChangesFit) {
  std::string text = folded_of(
      "<svg><g><title>all (100 samples, 100%)</title><rect x=\"10\" y=\"33\" width=\"1180\" "
      "height=\"15\"/></g><g><title>f (100 samples, 100%; +1e30%)</title><rect x=\"10\" y=\"17\" "
      "width=\"1180\" height=\"15\"/></g><g><title>g (50 samples, 50%; -1e30%)</title><rect "
      "x=\"10\" y=\"1\" width=\"590\" height=\"15\"/></g></svg>");
  EXPECT_EQ(text, "f 50\nf;g 50\n");
}

TEST(FlamegraphSvg, EntitiesBecomeCharacters) {
  EXPECT_EQ(unescaped("&lt;&amp;&#65;&#x42;&quot;&apos;&gt;"), "<&AB\"'>");
  EXPECT_EQ(unescaped("&nope; & &#xD800; &#99999999; &"), "&nope; & &#xD800; &#99999999; &");
}

TEST(FlamegraphSvg, NestsByGeometry) {
  EXPECT_EQ(folded_of(picture(kSmall)), kSmallFolded);
  EXPECT_EQ(folded_of(picture(kSmall, true)), kSmallFolded);  // icicle
}

TEST(FlamegraphSvg, SamplesAreCounted) {
  Result<Profile> profile = read_text(picture(kSmall));
  ASSERT_TRUE(profile);
  EXPECT_TRUE(profile->losses.empty());
  uint64_t count = 0;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    count += profile->samples.count[row];
  }
  EXPECT_EQ(count, 100U);
}

TEST(FlamegraphSvg, RecursionStaysDistinct) {
  EXPECT_EQ(folded_of(picture({{"all (8 samples, 100%)", 10, 1180, 0},
                               {"f (8 samples, 100%)", 10, 1180, 1},
                               {"f (4 samples, 50%)", 10, 590, 2},
                               {"f (4 samples, 50%)", 600, 590, 2},
                               {"f (2 samples, 25%)", 600, 295, 3}})),
            "f;f 2\nf;f 4\nf;f;f 2\n");
}

TEST(FlamegraphSvg, TheFirstPicturesHadTheirTitlesInHandlers) {
  EXPECT_EQ(folded_of("<svg><rect x=\"10\" y=\"50\" width=\"100\" onmouseover=\"s('a (-3 sample "
                      "weight, 10 samples, 100%)')\"/><rect x=\"10\" y=\"34\" width=\"50.0\" "
                      "onmouseover=\"s('it\\'s (5 samples, 50%)')\"/></svg>"),
            "a 5\na;it's 5\n");
}

TEST(FlamegraphSvg, InfernoHasExactNumbers) {
  // By pixels b would be on top of a; fg:x says that it is on top of c.
  std::string text =
      "<svg><svg id=\"frames\" total_samples=\"3000\">"
      "<g><title>all (3,000 samples, 100%)</title><rect x=\"0%\" y=\"80\" width=\"100%\" "
      "fg:x=\"0\" "
      "fg:w=\"3000\"/></g>"
      "<g><title>a (1 samples, 0.03%)</title><rect x=\"0%\" y=\"64\" width=\"0%\" fg:x=\"0\" "
      "fg:w=\"1\"/></g>"
      "<g><title>c (2,999 samples, 99.97%)</title><rect x=\"0%\" y=\"64\" width=\"99%\" fg:x=\"1\" "
      "fg:w=\"2999\"/></g>"
      "<a href=\"x\"><title>mine</title><rect x=\"0%\" y=\"48\" width=\"0%\" fg:x=\"1\" "
      "fg:w=\"1\"/></a></svg></svg>";
  EXPECT_EQ(folded_of(text), "a 1\nc 2998\nc;mine 1\n");
}

TEST(FlamegraphSvg, AFactorIsKept) {
  std::string text =
      "<svg><g><title>all (715 samples, 100%)</title><rect x=\"0\" y=\"80\" width=\"9\" fg:x=\"0\" "
      "fg:w=\"286\"/></g><g><title>a (3 samples, 0.42%)</title><rect x=\"0\" y=\"64\" width=\"9\" "
      "fg:x=\"0\" fg:w=\"1\"/></g></svg>";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded(*profile), " 712.5\na 2.5\n");
  EXPECT_EQ(profile->samples.count[0] + profile->samples.count[1], 286U);
}

TEST(FlamegraphSvg, AZoomedPictureIsReadAsItWasBefore) {
  std::vector<Drawn> zoomed = kSmall;
  zoomed[0] = {kSmall[0].title, 10, 1180, 2, " _orig_x=\"10.0\" _orig_width=\"708.0\""};
  zoomed[2] = {kSmall[2].title, 10, 1180, 1, " _orig_x=\"10.0\" _orig_width=\"1062.0\""};
  EXPECT_EQ(folded_of(picture(zoomed)), kSmallFolded);
}

TEST(FlamegraphSvg, WhatAZoomedPictureLacksIsReported) {
  std::string text =
      "<svg><g><title>all (100 samples, 100%)</title><rect x=\"10.0\" y=\"80\" "
      "width=\"1180.0\"/></g>"
      "<g><title>main (90 samples, 90%)</title><rect x=\"10.0\" y=\"64\" width=\"1180.0\"/></g>"
      "<g style=\"display: none\"><title>idle (10 samples, 10%)</title><rect x=\"1072.0\" y=\"64\" "
      "width=\"118.0\"/></g>"
      "<g><title>hash (60 samples, 60%)</title><rect x=\"10.0\" y=\"48\" width=\"1180.0\"/></g>"
      "<g><title>mix (30 samples, 30%)</title><rect x=\"10.0\" y=\"32\" "
      "width=\"590.0\"/></g></svg>";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded(*profile), "main;hash 30\nmain;hash;mix 30\n");
  ASSERT_FALSE(profile->losses.empty());
  EXPECT_EQ(profile->losses[0].count, 40U);
  EXPECT_TRUE(reports(*profile, "zoomed"));
}

TEST(FlamegraphSvg, WicksOwnPictureKeepsModulesKindsAndOwnCost) {
  std::string text =
      "<svg class=\"wick-flame\"><title>Flame Graph</title><rect class=\"bg\" width=\"100%\"/>"
      "<g id=\"frames\" transform=\"translate(0 64)\" data-unit=\"samples\" data-total=\"100\" "
      "data-root=\"bottom\">"
      "<g transform=\"translate(0 32)\" data-s=\"0\" data-w=\"100\"><g class=\"r\"><title>all (100 "
      "samples, 100.00 %)\nself 0 samples</title><rect x=\"10\" width=\"1180\"/></g></g>"
      "<g transform=\"translate(0 16)\" data-s=\"0 90\" data-w=\"90 10\"><g "
      "class=\"g1\"><title>main "
      "(90 samples, 90.00 %)\nself 5 samples, a.out, user</title><rect x=\"10\" width=\"7\"/></g>"
      "<g><title>read (10 samples, 10.00 %)\nself 10 samples, kernel</title><rect x=\"10\" "
      "width=\"7\"/></g></g>"
      "<g transform=\"translate(0 0)\" data-s=\"0 60\" data-w=\"60 25\"><g><title>hash (60 "
      "samples, "
      "60.00 %)\nself 60 samples, lib.so, user</title><rect x=\"1\" width=\"7\"/></g>"
      "<g class=\"m\"><title>7 frames below 0.3 px (25 samples, 25.00 %)</title><rect x=\"10\" "
      "width=\"7\"/></g></g></g></svg>";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(folded(*profile),
            "main 5\nmain;[frames too narrow to draw] 25\nmain;hash 60\nread 10\n");
  EXPECT_TRUE(reports(*profile, "too narrow"));
  StackId read_stack = profile->samples.stack[profile->samples.size() - 1];
  bool kernel = false;
  for (size_t row = 0; row < profile->frames.size(); ++row) {
    kernel = kernel || profile->frames[FrameId::from_index(row)].mode == Mode::kKernel;
  }
  EXPECT_TRUE(kernel);
  EXPECT_NE(read_stack, kEmptyStack);
}

TEST(FlamegraphSvg, WicksComparisonsGiveBothSidesWhateverTheirWidths) {
  auto picture_of = [](std::string_view f, std::string_view gone, std::string_view all) {
    std::string text =
        "<svg class=\"wick-flame\"><g id=\"frames\" data-unit=\"samples\" data-total=\"T\" "
        "data-root=\"bottom\"><g transform=\"translate(0 16)\" data-s=\"0\" "
        "data-w=\"T\"><g><title>all "
        "(T samples, 100.00 %)\nself 0 samples, before 700 samples, after 800 samples, own change "
        "0 "
        "samples (0 %)</title><rect x=\"10\" width=\"7\"/></g></g><g transform=\"translate(0 0)\" "
        "data-s=\"0 F\" data-w=\"F G\"><g><title>f (F samples, 80.00 %)\nself F samples, before "
        "500 "
        "samples, after 800 samples, own change +300 samples (+30 %)</title><rect x=\"10\" "
        "width=\"7\"/></g><g><title>gone (G samples, 20.00 %)\nself G samples, before 200 samples, "
        "after 0 samples, own change -200 samples (-20 %)</title><rect x=\"10\" "
        "width=\"7\"/></g></g></g></svg>";
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      bool alone = !std::isalpha(static_cast<unsigned char>(text[i + 1]));
      bool number = alone && (text[i - (i > 0)] == ' ' || text[i - (i > 0)] == '(' ||
                              text[i - (i > 0)] == '"');
      result += number && text[i] == 'T'   ? all
                : number && text[i] == 'F' ? f
                : number && text[i] == 'G' ? gone
                                           : text.substr(i, 1);
    }
    return result;
  };
  for (const std::string& text :
       {picture_of("650", "100", "750"), picture_of("500", "200", "700")}) {
    Result<Profile> profile = read_text(text);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(folded(*profile, 0), "f 800\n");
    EXPECT_EQ(folded(*profile, 1), "f 500\ngone 200\n");
    EXPECT_FALSE(reports(*profile, "vanished")) << "they are drawn";
  }
}

TEST(FlamegraphSvg, ADifferentialPictureIsAPair) {
  Result<Profile> profile = read_text(picture({{"all (100 samples, 100%)", 10, 1180, 0},
                                               {"a (60 samples, 60.00%; 0.00%)", 10, 708, 1},
                                               {"b (50 samples, 50.00%; +20.00%)", 10, 590, 2},
                                               {"c (40 samples, 40.00%; -5.00%)", 718, 472, 1}}));
  ASSERT_TRUE(profile);
  ASSERT_TRUE(is_before_after(*profile));
  EXPECT_EQ(folded(*profile, 0), "a 10\na;b 50\nc 40\n");
  EXPECT_EQ(folded(*profile, 1), "a 10\na;b 30\nc 45\n");
  EXPECT_TRUE(reports(*profile, "vanished"));
}

TEST(FlamegraphSvg, StacksAreTurnedRoundOnRequest) {
  EXPECT_EQ(folded_of(picture(kSmall), flags_with("leaf-first", "true")),
            "hash;main 60\nidle 10\nmain 10\nstd::vector<int>::at(int);main 20\n");
}

TEST(FlamegraphSvg, UnitsAreTheTitles) {
  Result<Profile> profile =
      read_text(picture({{"all (5 ms, 100%)", 10, 1180, 0}, {"a (5 ms, 100%)", 10, 1180, 1}}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded(*profile), "a 5000000\n");
  EXPECT_EQ(profile->strings[profile->events[EventId(0)].unit], "nanoseconds");
  EXPECT_EQ(profile->samples.count[0], 0U);
}

TEST(FlamegraphSvg, MissingCallersAreReported) {
  std::vector<Drawn> frames = kSmall;
  frames.erase(frames.begin() + 2);  // main
  Result<Profile> profile = read_text(picture(frames));
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded(*profile), " 10\nhash 60\nidle 10\nstd::vector<int>::at(int) 20\n");
  EXPECT_TRUE(reports(*profile, "caller is not in the picture"));
}

// Frames that are wider than the rest of their caller are reduced: no total ever exceeds the whole.
TEST(FlamegraphSvg, TheWholeIsNeverExceeded) {
  Result<Profile> profile = read_text(picture({{"all (10 samples, 100%)", 10, 1180, 0},
                                               {"a (6 samples, 60%)", 10, 708, 1},
                                               {"b (7 samples, 60%)", 718, 472, 1}}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(folded(*profile), "a 6\nb 4\n");
  EXPECT_TRUE(reports(*profile, "wider than their callers"));
}

TEST(FlamegraphSvg, WhatIsNoFlameGraphIsSaid) {
  EXPECT_NE(folded_of("<svg><rect x=\"1\" y=\"2\" width=\"3\"/><title>A chart</title></svg>")
                .find("is a picture, but not a flame graph"),
            std::string::npos);
  EXPECT_NE(folded_of("<svg><text x=\"1\">ERROR: No stack counts found</text></svg>")
                .find("found no stacks to draw"),
            std::string::npos);
  EXPECT_TRUE(sniff(as_bytes("<?xml version=\"1.0\"?>\n<svg>")));
  EXPECT_FALSE(sniff(as_bytes("<?xml version=\"1.0\"?>\n<html>")));
  EXPECT_FALSE(sniff(as_bytes("main;<svg 3\n")));
}

TEST(FlamegraphSvg, EveryCutGivesAnErrorOrAReportedLoss) {
  std::string whole = picture(kSmall);
  size_t last_frame_end = whole.rfind("</g>");
  for (size_t size = 0; size + 1 < whole.size(); ++size) {
    Result<Profile> profile = read_text(whole.substr(0, size));
    if (!profile) {
      EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
    } else if (size < last_frame_end) {
      EXPECT_TRUE(reports(*profile, "ends early")) << size;
    }
  }
}

TEST(FlamegraphSvg, DepthAndHostileNumbersDoNoHarm) {
  std::vector<Drawn> deep = {{"all (1 samples, 100%)", 10, 1180, 0}};
  for (int depth = 1; depth < 100'000; ++depth) {
    deep.push_back({"f (1 samples, 100%)", 10, 1180, depth});
  }
  Result<Profile> profile = read_text(picture(deep));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.size(), 1U);
  for (std::string_view number : {"1e300", "nan", "-5", "999999999999999999999", "1e-300", ""}) {
    std::string text = fmt::format(
        "<svg><g><title>a ({0} samples, 1%)</title><rect x=\"{0}\" y=\"{0}\" width=\"{0}\" "
        "fg:x=\"{0}\" fg:w=\"{0}\"/></g><g><title>b (9007199254740992 samples, 1%)</title><rect "
        "x=\"1\" y=\"1\" width=\"1\"/></g></svg>",
        number);
    Result<Profile> odd = read_text(text);
    EXPECT_TRUE(odd || odd.error().message.ends_with('.'));
  }
}

// Total share of functions whose name matches.
double share(const Profile& profile, std::string_view part) {
  int64_t all = 0;
  int64_t matching = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    all += profile.samples.weight[row];
    bool found = false;
    for (StackId at = profile.samples.stack[row]; at != kEmptyStack && !found;
         at = profile.stacks.parent(at)) {
      found = frame_name(profile, profile.stacks.frame(at)).find(part) != std::string::npos;
    }
    matching += found ? profile.samples.weight[row] : 0;
  }
  return 100 * static_cast<double>(matching) / static_cast<double>(all);
}

TEST(FlamegraphSvg, TheRedoxPicturesGiveThePublishedShares) {
  std::string before_path = testing::corpus_path("redox/boot-before.svg");
  SKIP_WITHOUT_CORPUS(before_path);
  Result<Profile> before = read_text(testing::read_file(before_path));
  Result<Profile> after =
      read_text(testing::read_file(testing::corpus_path("redox/boot-after.svg")));
  ASSERT_TRUE(before && after);
  EXPECT_TRUE(before->losses.empty() && after->losses.empty());
  struct Published {
    std::string_view name;
    double before;
    double after;
  };
  for (const Published& row : {Published{"BuddyAllocator", 35.8, 0},
                               {"[kernel::context::memory::correct_inner]", 35.1, 0.5},
                               {"[kernel::context::switch::switch]", 41.2, 66.3},
                               {"time::counter", 20.7, 30.4},
                               {"[kernel::syscall::syscall]", 23.8, 28.4}}) {
    EXPECT_NEAR(share(*before, row.name), row.before, 0.06) << row.name;
    EXPECT_NEAR(share(*after, row.name), row.after, row.after == 0.5 ? 0.5 : 0.06) << row.name;
  }
}

TEST(FlamegraphSvg, PicturesOfOthersGiveTheStacksTheyWereDrawnFrom) {
  std::string path =
      testing::corpus_path("inferno/flamegraph/example-perf-stacks/example-perf-stacks.svg");
  SKIP_WITHOUT_CORPUS(path);
  std::string expected = testing::read_file(
      testing::corpus_path("FlameGraph/results-regenerated/example-perf-stacks-collapsed-all.txt"));
  std::vector<std::string> lines;
  for (size_t at = 0; at < expected.size();) {
    size_t end = expected.find('\n', at);
    std::string line = expected.substr(at, end - at + 1);
    for (std::string_view suffix : {"_[k]", "_[j]", "_[i]", "_[w]"}) {
      for (size_t found = line.find(suffix); found != std::string::npos;
           found = line.find(suffix)) {
        line.erase(found, suffix.size());
      }
    }
    lines.push_back(line);
    at = end + 1;
  }
  std::ranges::sort(lines);
  std::string sorted;
  for (const std::string& line : lines) {
    sorted += line;
  }
  EXPECT_EQ(folded_of(testing::read_file(path)), sorted);
}

}  // namespace
}  // namespace wick::flamegraph_svg
