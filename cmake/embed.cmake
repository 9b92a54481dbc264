# SPDX-License-Identifier: Apache-2.0
# wick_embed(TARGET FILE SYMBOL...): compiles files into a target, each as a std::string_view.
#
#     wick_embed(wick_views src/views/svg/flame.js kFlameScript)
#
# gives `const std::string_view kFlameScript` in namespace wick, to be declared extern by a header beside
# the file. Any bytes will do; a file that the build makes is named by its full path. The bytes are turned into a .cc file when the file changes, by this same file
# run as a script (cmake -P); .incbin would be shorter, but ccache does not see what it includes.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(('.x..',){16})" "\\1\n" bytes "${bytes}")
  file(WRITE ${OUTPUT} "#include <string_view>

namespace wick {

extern const std::string_view ${SYMBOL};

static constexpr char bytes[] = {
${bytes}'\\0'};
constinit const std::string_view ${SYMBOL}(bytes, sizeof bytes - 1);

}  // namespace wick
")
  return()
endif()

set(WICK_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(wick_embed target)
  set(arguments ${ARGN})
  while(arguments)
    list(POP_FRONT arguments file symbol)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE input)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cc)
    add_custom_command(OUTPUT ${output} DEPENDS ${input} ${WICK_EMBED_SCRIPT}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=${symbol}
        -P ${WICK_EMBED_SCRIPT}
      COMMENT "Embedding ${file}")
    target_sources(${target} PRIVATE ${output})
  endwhile()
endfunction()
