# SPDX-License-Identifier: Apache-2.0
# truth_variant(NAME ...): one build of the program, build/workloads/truth/truth-NAME, with its libraries next to it.
# One property differs from the plain build (-O2 -g, no frame pointers, PIE, dynamic):
#
#   COMPILE FLAGS...  compiled again with these flags after the plain ones
#   LINK FLAGS...     linked with these; without COMPILE the plain build's objects are linked again
#   REPACK KIND       processed by repack.py after linking
#   FIXED             not position independent: no -fPIE -pie
#   STATIC            one file: the library is part of it, nothing can be opened
#   BITS32            with its own libraries, in the folder m32
#   FRAME_POINTERS    only what the program says about itself

# The object files of one set of flags, without the file that differs in every variant.
function(truth_objects target)
  cmake_parse_arguments(arg "FIXED" "" "COMPILE" ${ARGN})
  add_library(${target} OBJECT ${TRUTH_SOURCES})
  workload_not_joined(${target})
  target_link_libraries(${target} PRIVATE workload_options)
  if(NOT arg_FIXED)
    target_compile_options(${target} PRIVATE -fPIE)
  endif()
  target_compile_options(${target} PRIVATE ${arg_COMPILE})
endfunction()

function(truth_report target)
  add_library(${target} OBJECT ${TRUTH_REPORT})
  target_link_libraries(${target} PRIVATE workload_options)
  target_compile_options(${target} PRIVATE -fPIE ${ARGN})
endfunction()

# The three shared libraries. They are -O2 without frame pointers whatever uses them.
function(truth_libraries suffix folder)
  foreach(library library opened_a opened_b)
    set(target truth_${library}${suffix})
    add_library(${target} SHARED libraries/${library}.cc)
    target_link_libraries(${target} PRIVATE workload_options)
    target_compile_options(${target} PRIVATE -fomit-frame-pointer ${ARGN})
    target_link_options(${target} PRIVATE ${ARGN})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME truth_${library}
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  endforeach()
endfunction()

function(truth_variant name)
  cmake_parse_arguments(arg "FIXED;STATIC;BITS32;FRAME_POINTERS" "REPACK" "COMPILE;LINK" ${ARGN})
  if(name STREQUAL "plain")
    set(target truth)
  else()
    set(target truth-${name})
  endif()
  if(arg_FIXED)
    set(fixed FIXED)
  endif()

  set(objects truth_objects)
  if(arg_COMPILE)
    set(objects truth_objects_${name})
    truth_objects(${objects} ${fixed} COMPILE ${arg_COMPILE})
  endif()
  set(report truth_report)
  if(arg_BITS32)
    set(report truth_report_m32)
  endif()
  add_executable(${target} variant.cc $<TARGET_OBJECTS:${objects}> $<TARGET_OBJECTS:${report}>)
  target_link_libraries(${target} PRIVATE workload_options ${CMAKE_DL_LIBS})
  target_compile_options(${target} PRIVATE ${arg_COMPILE})
  target_compile_definitions(${target} PRIVATE TRUTH_VARIANT="${name}")
  if(arg_FRAME_POINTERS)
    target_compile_definitions(${target} PRIVATE TRUTH_FRAME_POINTERS=1)
  endif()
  if(NOT arg_FIXED)
    target_compile_options(${target} PRIVATE -fPIE)
    target_link_options(${target} PRIVATE -pie)
  endif()
  target_link_options(${target} PRIVATE ${arg_LINK})
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")

  if(arg_STATIC)
    target_sources(${target} PRIVATE libraries/library.cc)
  elseif(arg_BITS32)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/m32")
    target_link_libraries(${target} PRIVATE truth_library_m32)
    add_dependencies(${target} truth_opened_a_m32 truth_opened_b_m32)
  else()
    target_link_libraries(${target} PRIVATE truth_library)
    add_dependencies(${target} truth_opened_a truth_opened_b)
  endif()

  if(arg_REPACK)
    set(whole ${CMAKE_CURRENT_BINARY_DIR}/before_repacking/${target})
    set(result ${CMAKE_CURRENT_BINARY_DIR}/${target})
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/before_repacking)
    add_custom_command(OUTPUT ${result}
      COMMAND ${WORKLOADS_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/repack.py ${arg_REPACK} ${whole} ${result}
      DEPENDS ${target} ${CMAKE_CURRENT_SOURCE_DIR}/repack.py
      COMMENT "Repacking ${target}" VERBATIM)
    add_custom_target(${target}_repacked ALL DEPENDS ${result})
  endif()
endfunction()

# The same program by another compiler, in one command: CMake supports one C++ compiler in a project.
function(truth_variant_by name compiler)
  set(result ${CMAKE_CURRENT_BINARY_DIR}/truth-${name})
  set(sources ${TRUTH_SOURCES} ${TRUTH_REPORT})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h ../common/*.h)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
  get_target_property(warnings workload_options INTERFACE_COMPILE_OPTIONS)
  add_custom_command(OUTPUT ${result}
    COMMAND ${compiler} -std=c++20 ${flags} ${warnings} -fPIE -pie -DTRUTH_VARIANT="${name}"
      -I${PROJECT_SOURCE_DIR} ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/variant.cc -o ${result}
      -L${CMAKE_CURRENT_BINARY_DIR} -ltruth_library "-Wl,-rpath,$ORIGIN" -pthread
    DEPENDS ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/variant.cc ${headers} truth_library
    COMMENT "Building truth-${name} with ${compiler}" VERBATIM)
  add_custom_target(truth_by_${name} ALL DEPENDS ${result} truth_opened_a truth_opened_b)
endfunction()
