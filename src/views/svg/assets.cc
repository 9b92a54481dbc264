// SPDX-License-Identifier: Apache-2.0
#include "views/svg/assets.h"

#include <string_view>

#include "base/check.h"

namespace wick {

extern const std::string_view kFlameStyle;
extern const std::string_view kTracksStyle;
extern const std::string_view kFlameTextScript;
extern const std::string_view kFlameFramesScript;
extern const std::string_view kFlameScript;
extern const std::string_view kFlameControlsScript;

std::string style_element() {
  CHECK(kFlameStyle.find("]]>") == std::string_view::npos);
  return "<style><![CDATA[\n" + std::string(kFlameStyle) + "]]></style>\n";
}

std::string tracks_style_element() {
  CHECK(kTracksStyle.find("]]>") == std::string_view::npos);
  return style_element() + "<style><![CDATA[\n" + std::string(kTracksStyle) + "]]></style>\n";
}

std::string script_element() {
  std::string text = "<script><![CDATA[\n(() => {\n'use strict';\n";
  for (std::string_view part :
       {kFlameTextScript, kFlameFramesScript, kFlameScript, kFlameControlsScript}) {
    CHECK(part.find("]]>") == std::string_view::npos);
    text += part;
  }
  return text + "})();\n]]></script>\n";
}

}  // namespace wick
