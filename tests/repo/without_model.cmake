# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -DFOLDER=… -P without_model.cmake: with TWINRT_SIM=OFF the product is configured
# and nothing of it asks for SystemC, Verilator or the model; the suites for a board are there. To
# install it before it is built is refused.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER} -G Ninja -DTWINRT_SIM=OFF
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "TWINRT_SIM=OFF does not configure:\n${output}")
endif()
file(READ ${FOLDER}/build.ninja rules)
foreach(word systemc verilat twinsim backends/sim/ backend_sim)
  if(rules MATCHES "${word}")
    message(FATAL_ERROR "with TWINRT_SIM=OFF build.ninja speaks of ${word}")
  endif()
endforeach()
foreach(target backend-ascend backend-record libacl_rt event_suite acl_bench bin/twinrt)
  if(NOT rules MATCHES "${target}")
    message(FATAL_ERROR "with TWINRT_SIM=OFF there is no ${target}")
  endif()
endforeach()
file(READ ${FOLDER}/tests/board_suites.txt suites)
if(NOT suites MATCHES "event")
  message(FATAL_ERROR "with TWINRT_SIM=OFF there are no suites for a board")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${FOLDER} --prefix ${FOLDER}/prefix
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "run ./dev build" OR EXISTS ${FOLDER}/prefix)
  message(FATAL_ERROR "to install before the build ended with ${status}:\n${output}")
endif()
file(REMOVE_RECURSE ${FOLDER})
