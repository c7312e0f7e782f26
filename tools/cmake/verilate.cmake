# SPDX-License-Identifier: Apache-2.0
# RTL blocks: linted, synthesised, and turned into C++ by Verilator while the product is built.
find_package(Threads REQUIRED)
find_program(TWIN_VERILATOR verilator)
find_program(TWIN_YOSYS yosys)
set(TWIN_HAVE_RTL OFF)
if(TWINRT_RTL AND TWIN_VERILATOR)
  execute_process(COMMAND ${TWIN_VERILATOR} --getenv VERILATOR_ROOT
    OUTPUT_VARIABLE TWIN_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(TWIN_VERILATED_INCLUDE verilated.h PATHS ${TWIN_VERILATOR_ROOT}/include NO_DEFAULT_PATH)
  find_path(TWIN_ZLIB_INCLUDE zlib.h)
  find_library(TWIN_ZLIB_LIBRARY z)
  if(TWIN_VERILATED_INCLUDE AND TWIN_ZLIB_INCLUDE AND TWIN_ZLIB_LIBRARY)
    set(TWIN_HAVE_RTL ON)
  endif()
endif()
if(NOT TWIN_HAVE_RTL)
  message(STATUS
    "RTL: no Verilator or zlib (./dev setup): TWINRT_MODEL=rtl and lockstep will be refused, tests of the RTL are left out")
  return()
endif()

set(TWIN_RTL_FOLDER ${PROJECT_SOURCE_DIR}/rtl-stubs)
set(TWIN_RTL_COMMON ${TWIN_RTL_FOLDER}/common/rtl/npu_pkg.sv)
set(TWIN_RTL_HEADERS ${TWIN_RTL_FOLDER}/common/rtl/npu_assert.svh
  ${TWIN_RTL_FOLDER}/common/rtl/npu_act_call.svh)
set(TWIN_RTL_WAIVERS ${TWIN_RTL_FOLDER}/common/lint_waivers.vlt)

# What is generated is not ours to warn about.
add_library(twin_verilated_flags INTERFACE)
target_include_directories(twin_verilated_flags SYSTEM INTERFACE ${TWIN_VERILATED_INCLUDE}
  ${TWIN_VERILATED_INCLUDE}/vltstd)
target_compile_definitions(twin_verilated_flags INTERFACE VM_SC=0 VM_COVERAGE=0 VM_TRACE_VCD=0)

set(TWIN_VERILATED_OPTIONS -O3 CACHE STRING "How the compiler optimises what Verilator writes")

# Without Python waveforms have all signals, too.
option(TWINRT_RTL_ALL_WAVES "Waveforms also of what follows from ports and registers within a clock"
  OFF)
find_package(Python3 COMPONENTS Interpreter)

# Verilator's own library, with what writes waveforms.
add_library(twin_verilated STATIC EXCLUDE_FROM_ALL ${TWIN_VERILATED_INCLUDE}/verilated.cpp
  ${TWIN_VERILATED_INCLUDE}/verilated_threads.cpp ${TWIN_VERILATED_INCLUDE}/verilated_fst_c.cpp)
target_compile_definitions(twin_verilated PRIVATE VM_TRACE=1 VM_TRACE_FST=1)
target_compile_options(twin_verilated PRIVATE ${TWIN_VERILATED_OPTIONS} -w)
target_include_directories(twin_verilated SYSTEM PRIVATE ${TWIN_ZLIB_INCLUDE})
target_link_libraries(twin_verilated PUBLIC twin_verilated_flags ${TWIN_ZLIB_LIBRARY}
  Threads::Threads)

# twin_verilate(<target> TOP <module> SOURCES … [PREFIX <class>] [TRACE] [COVERAGE] [PARAMETERS
# Name=value …]): a static library with the C++ class of a module, its header in the target's
# include path.
function(twin_verilate target)
  cmake_parse_arguments(arg "TRACE;COVERAGE" "TOP;PREFIX" "SOURCES;PARAMETERS" ${ARGN})
  if(NOT arg_PREFIX)
    set(arg_PREFIX V${arg_TOP})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  set(top ${PROJECT_SOURCE_DIR})
  # What has no value before it is written gets one when the class is made: 0, or what the context's
  # seed gives (benches).
  set(options --cc -O3 --assert --x-assign unique --x-initial unique -Wno-fatal -Werror-USERERROR)
  if(arg_TRACE)
    list(APPEND options --trace-fst --trace-max-array 16) # larger memories cost most
    if(Python3_Interpreter_FOUND AND NOT TWINRT_RTL_ALL_WAVES)
      set(quiet ${CMAKE_CURRENT_BINARY_DIR}/${target}.sv)
      set(read)
      foreach(source IN LISTS arg_SOURCES)
        get_filename_component(name ${source} NAME)
        list(APPEND read ${quiet}/${name})
      endforeach()
      add_custom_command(OUTPUT ${read} DEPENDS ${arg_SOURCES} ${TWIN_RTL_FOLDER}/waves.py
        COMMAND ${Python3_EXECUTABLE} -B ${TWIN_RTL_FOLDER}/waves.py ${quiet} ${arg_SOURCES}
        VERBATIM)
      set(arg_SOURCES ${read})
      set(top ${PROJECT_BINARY_DIR})
    endif()
  endif()
  if(arg_COVERAGE)
    list(APPEND options --coverage-line --coverage-toggle)
  endif()
  foreach(parameter IN LISTS arg_PARAMETERS)
    list(APPEND options -G${parameter})
  endforeach()
  # Messages of assertions name the sources: from the top of the tree that they are in, not of this
  # machine.
  set(relative)
  foreach(source IN LISTS arg_SOURCES)
    file(RELATIVE_PATH name ${top} ${source})
    list(APPEND relative ${name})
  endforeach()
  add_custom_command(OUTPUT ${folder}/${arg_PREFIX}__ALL.cpp BYPRODUCTS ${folder}/${arg_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${TWIN_VERILATOR} ${options} --prefix ${arg_PREFIX} --top-module ${arg_TOP} --Mdir
    ${folder}
      -I${TWIN_RTL_FOLDER}/common/rtl ${TWIN_RTL_WAIVERS} ${relative}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DPREFIX=${arg_PREFIX} -P
    ${PROJECT_SOURCE_DIR}/tools/cmake/verilated_all.cmake
    WORKING_DIRECTORY ${top}
    DEPENDS ${arg_SOURCES} ${TWIN_RTL_HEADERS} ${TWIN_RTL_WAIVERS}
    ${PROJECT_SOURCE_DIR}/tools/cmake/verilated_all.cmake
    COMMENT "Verilating ${arg_TOP} (${target})" VERBATIM)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${folder}/${arg_PREFIX}__ALL.cpp)
  target_include_directories(${target} SYSTEM PUBLIC ${folder})
  # coverage is thousands of counters: minutes at -O1
  target_compile_options(${target} PRIVATE
    $<IF:$<BOOL:${arg_COVERAGE}>,-O0,${TWIN_VERILATED_OPTIONS}> -w)
  # messages name these sources, too
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_BINARY_DIR}/=)
  target_compile_definitions(${target} PRIVATE $<IF:$<BOOL:${arg_TRACE}>,VM_TRACE=1,VM_TRACE=0>)
  target_link_libraries(${target} PUBLIC twin_verilated)
endfunction()

# twin_rtl_block(<block> [SOURCES file …] [PARTS block …] [SMALL Name=value …]): the folder
# rtl-stubs/<block> with the module npu_<block>; PARTS are the blocks it instantiates. Libraries
# rtl_<block> and rtl_<block>_trace (class Tnpu_<block>) for the product, at the parameters'
# defaults; tests rtl.lint.<block>, rtl.parameters.<block> and, with the parameters of SMALL,
# rtl.synth.<block>, and coverage.
function(twin_rtl_block block)
  cmake_parse_arguments(arg "" "" "SOURCES;PARTS;SMALL" ${ARGN})
  if(NOT arg_SOURCES)
    set(arg_SOURCES rtl/npu_${block}.sv)
  endif()
  set(sources)
  foreach(part IN LISTS arg_PARTS)
    get_property(of_part GLOBAL PROPERTY TWIN_RTL_SOURCES_${part})
    list(APPEND sources ${of_part})
  endforeach()
  foreach(source IN LISTS arg_SOURCES)
    # one name for what several blocks share
    get_filename_component(path ${TWIN_RTL_FOLDER}/${block}/${source} ABSOLUTE)
    list(APPEND sources ${path})
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set_property(GLOBAL PROPERTY TWIN_RTL_SOURCES_${block} ${sources})
  set_property(GLOBAL PROPERTY TWIN_RTL_SMALL_${block} ${arg_SMALL})
  set(all ${TWIN_RTL_COMMON} ${sources})

  twin_verilate(rtl_${block} TOP npu_${block} SOURCES ${all})
  twin_verilate(rtl_${block}_trace TOP npu_${block} PREFIX Tnpu_${block} TRACE SOURCES ${all})

  if(TWINRT_TESTS)
    add_test(NAME rtl.lint.${block} COMMAND ${TWIN_RTL_FOLDER}/lint ${TWIN_VERILATOR} npu_${block}
      ${all})
    set_tests_properties(rtl.lint.${block} PROPERTIES LABELS rtl TIMEOUT 60)
    set(tools --verilator=${TWIN_VERILATOR})
    if(TWIN_YOSYS)
      list(APPEND tools --yosys=${TWIN_YOSYS})
    endif()
    add_test(NAME rtl.parameters.${block} COMMAND ${Python3_EXECUTABLE} -B
      ${TWIN_RTL_FOLDER}/parameters.py ${tools}
      ${TWIN_RTL_FOLDER}/${block}/README.md npu_${block} ${all})
    set_tests_properties(rtl.parameters.${block} PROPERTIES LABELS rtl TIMEOUT 120)
    # A target that links the traced class adds a test of its waveforms.
    set_property(GLOBAL PROPERTY twin_rtl_sources_${block} ${all})
    if(TWIN_YOSYS)
      add_test(NAME rtl.synth.${block} COMMAND ${TWIN_RTL_FOLDER}/synth ${TWIN_YOSYS} npu_${block}
        ${all} -- ${arg_SMALL})
      set_tests_properties(rtl.synth.${block} PROPERTIES LABELS rtl TIMEOUT 300)
    endif()
  endif()
endfunction()
if(NOT TWIN_YOSYS)
  message(STATUS "RTL: no Yosys (./dev setup): tests rtl.synth.* are left out")
endif()

# Line and toggle coverage: the programs that it depends on, each run once, and a table.
if(TWINRT_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(TWIN_RTL_COVERAGE_PROGRAMS ${PROJECT_BINARY_DIR}/tests/coverage)
  add_custom_target(rtl_coverage VERBATIM USES_TERMINAL
    COMMAND ${Python3_EXECUTABLE} -B ${TWIN_RTL_FOLDER}/coverage.py --work
    ${PROJECT_BINARY_DIR}/rtl_coverage ${TWIN_RTL_COVERAGE_PROGRAMS})
endif()

# twin_rtl_coverage_program(<target> <block> [Name=value …]): makes of it the program
# tests/coverage/<block>, for rtl_coverage alone, with the block at these parameters. It writes what
# it covered to --coverage=FILE.
function(twin_rtl_coverage_program target block)
  set(library rtl_${block}_coverage)
  get_property(sources GLOBAL PROPERTY TWIN_RTL_SOURCES_${block})
  twin_verilate(${library} TOP npu_${block} COVERAGE PARAMETERS ${ARGN} SOURCES ${TWIN_RTL_COMMON}
    ${sources})
  target_sources(${library} PRIVATE ${TWIN_VERILATED_INCLUDE}/verilated_cov.cpp)
  twin_bench_parameters(${target} ${ARGN})
  target_compile_definitions(${target} PRIVATE BENCH_COVERAGE=1)
  target_link_libraries(${target} PRIVATE ${library})
  # clang-tidy looks at what is built for the tests; the headers of this are made when it is.
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${TWIN_RTL_COVERAGE_PROGRAMS} OUTPUT_NAME ${block} EXCLUDE_FROM_ALL ON)
  add_dependencies(rtl_coverage ${target})
endfunction()

function(twin_bench_parameters target)
  foreach(parameter IN LISTS ARGN)
    string(TOUPPER "BENCH_${parameter}" definition)
    target_compile_definitions(${target} PRIVATE ${definition})
  endforeach()
endfunction()

# twin_rtl_bench(<block> <source> DEFAULTS Name=value … [SMALL Name=value …] [MODEL file …]): a
# bench against the C++ model. Test rtl.bench.<block> runs it with the block at its defaults,
# rtl_coverage with the parameters of SMALL, here or of the block. The bench knows parameters as
# BENCH_<NAME>. MODEL: the block's C++ sources in sim/core, for those that need no others; without,
# all of the model is linked.
function(twin_rtl_bench block source)
  if(NOT TWINRT_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEFAULTS;SMALL;MODEL" ${ARGN})
  list(TRANSFORM arg_MODEL PREPEND ${PROJECT_SOURCE_DIR}/sim/core/)
  foreach(target IN ITEMS rtl_bench_${block} rtl_bench_${block}_coverage)
    add_executable(${target} ${TWIN_RTL_FOLDER}/${source} ${arg_MODEL})
    target_include_directories(${target} PRIVATE ${TWIN_RTL_FOLDER})
    target_link_libraries(${target} PRIVATE twin_warnings)
    if(arg_MODEL)
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/sim
        ${PROJECT_SOURCE_DIR}/sim/include)
    else()
      target_link_libraries(${target} PRIVATE twinsim_core)
    endif()
  endforeach()
  twin_bench_parameters(rtl_bench_${block} ${arg_DEFAULTS})
  target_compile_definitions(rtl_bench_${block} PRIVATE BENCH_COVERAGE=0)
  target_link_libraries(rtl_bench_${block} PRIVATE rtl_${block})
  set_target_properties(rtl_bench_${block} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  add_test(NAME rtl.bench.${block} COMMAND ${TWIN_RTL_FOLDER}/run_bench
    $<TARGET_FILE:rtl_bench_${block}>)
  set_tests_properties(rtl.bench.${block} PROPERTIES LABELS rtl TIMEOUT 120)
  if(NOT arg_SMALL)
    get_property(arg_SMALL GLOBAL PROPERTY TWIN_RTL_SMALL_${block})
  endif()
  twin_rtl_coverage_program(rtl_bench_${block}_coverage ${block} ${arg_SMALL})
endfunction()
