# SPDX-License-Identifier: Apache-2.0
# wick_joined(TARGET): compiles the sources of a target several at a time, as one file that includes them.
#
# Problem: most of what compiling a file costs is its headers. Joined, up to WICK_MAX_JOINED files read them once,
# which halves the build.
#
# What files of one namespace define at the first column must differ within a batch, since they share one anonymous
# namespace there. So this reads those names, and a file goes into the first batch that defines none of them. A file is
# compiled alone, which costs two seconds more, if it has a macro or a using directive of its own (other than for literals), or a
# type of its own that a header of the same namespace could also declare (a private `Line` beside base's).
#
# The names are read when CMake runs. A clash that is written later is an error of the compiler; running CMake again
# puts the two files into different batches.
#
# A batch of 64 costs a quarter less than four of 16 (under the sanitizers 34 s became 25 s), but needs up to 3 GB, and
# many cores would wait for the last one. So batches are that large only on few cores with much memory.
#
# Not done where there is a compiler cache, whose unit is the edited file. So the two kinds of builds check each other:
# alone a file must include what it needs, joined it must not leak names.
cmake_host_system_information(RESULT WICK_CORES QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT WICK_MEMORY_MIB QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR WICK_MIB_A_CORE "${WICK_MEMORY_MIB} / ${WICK_CORES}")
if(WICK_CORES LESS_EQUAL 4 AND WICK_MIB_A_CORE GREATER_EQUAL 3500)
  set(WICK_USUAL_JOINED 64)
else()
  set(WICK_USUAL_JOINED 16)
endif()
set(WICK_MAX_JOINED ${WICK_USUAL_JOINED} CACHE STRING "The most sources of a batch (cmake/joined.cmake)")

set(WICK_TYPE "\n(struct|class|enum class|enum|union|using) ([A-Za-z_0-9]+) ")

# The namespace of a file: the first one that it opens.
function(wick_namespace_of text result)
  string(REGEX MATCH "\nnamespace ([a-z_0-9:]+) {" opened "${text}")
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# The types that the headers of src/ define, as "wick::Line".
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
set(WICK_HEADER_TYPES "")
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX MATCHALL "${WICK_TYPE}" types "${text}")
  wick_namespace_of("${text}" namespace)
  list(TRANSFORM types REPLACE "${WICK_TYPE}" "${namespace}::\\2")
  list(APPEND WICK_HEADER_TYPES ${types})
endforeach()

# The names that a source defines at the first column (types, functions and variables), as "wick::folded::read". "alone"
# if it must not be joined.
function(wick_names_of source result)
  file(READ ${source} text)
  string(REGEX REPLACE "\nusing namespace std::[a-z_]*literals;" "" text "${text}")
  if(text MATCHES "\n(#define|using namespace) ")
    set(${result} alone PARENT_SCOPE)
    return()
  endif()
  wick_namespace_of("${text}" namespace)
  # The head of each definition is the line up to its parameters, value or body; its name is the last word.
  string(REGEX MATCHALL "\n[A-Za-z][^]\n;({=[]*" heads "${text}")
  set(names "")
  foreach(head IN LISTS heads)
    if(head MATCHES "^${WICK_TYPE}")
      if("${namespace}::${CMAKE_MATCH_2}" IN_LIST WICK_HEADER_TYPES)
        set(${result} alone PARENT_SCOPE)
        return()
      endif()
      list(APPEND names ${namespace}::${CMAKE_MATCH_2})
    elseif(NOT head MATCHES "^\n(namespace|extern) " AND head MATCHES "[ *&]([A-Za-z_0-9]+) *$")
      list(APPEND names ${namespace}::${CMAKE_MATCH_1})
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# The first batch that has room and none of the names. batch_N_size and batch_N_names describe batch N of the caller.
function(wick_batch_for names result)
  set(batch 0)
  while(DEFINED batch_${batch}_size)
    set(clash FALSE)
    foreach(name IN LISTS names)
      if(name IN_LIST batch_${batch}_names)
        set(clash TRUE)
        break()
      endif()
    endforeach()
    if(NOT clash AND batch_${batch}_size LESS WICK_MAX_JOINED)
      break()
    endif()
    math(EXPR batch "${batch} + 1")
  endwhile()
  set(${result} ${batch} PARENT_SCOPE)
endfunction()

function(wick_joined target)
  if(NOT WICK_JOINED)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  # A source that is included may well define a class outside of the anonymous namespace with members inside of it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    wick_names_of(${source} names)
    if(names STREQUAL alone)
      continue()
    endif()
    wick_batch_for("${names}" batch)
    list(APPEND batch_${batch}_names ${names})
    if(NOT DEFINED batch_${batch}_size)
      set(batch_${batch}_size 0)
    endif()
    math(EXPR batch_${batch}_size "${batch_${batch}_size} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP batch_${batch})
  endforeach()
endfunction()
