function(do)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT status EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nended with ${status}:\n${text}")
    endif()
    set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
do(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/moved")

# The installed program runs after the move, with its models.
do("${WORK}/moved/bin/mees_master" --version)
do("${WORK}/moved/bin/mees_master" "${WORK}/moved/share/mees/configs/ant_small.toml" --dry-run)
do("${WORK}/moved/bin/mees_master" "${WORK}/moved/share/mees/configs/half_cheetah_small.toml" --dry-run)

do("${WORK}/moved/bin/mees_master" --self-test)
if(NOT text MATCHES "bit-identical")
    message(FATAL_ERROR "the self-test compared nothing:\n${text}")
endif()

# Every program has its manual page and its completion.
file(GLOB programs RELATIVE "${WORK}/moved/bin" "${WORK}/moved/bin/*")
foreach(program ${programs})
    foreach(file share/man/man1/${program}.1 share/bash-completion/completions/${program})
        if(NOT EXISTS "${WORK}/moved/${file}")
            message(FATAL_ERROR "${file} was not installed")
        endif()
    endforeach()
endforeach()

# Private headers are not installed.
file(GLOB_RECURSE private RELATIVE "${WORK}/moved" "${WORK}/moved/include/mees/*/detail/*.hpp")
if(private)
    message(FATAL_ERROR "private headers were installed: ${private}")
endif()

do(${CMAKE_COMMAND} -S "${PROJECT}" -B "${WORK}/build" -G "${GENERATOR}"
    -DCMAKE_PREFIX_PATH=${WORK}/moved -DCMAKE_BUILD_TYPE=Release)
do(${CMAKE_COMMAND} --build "${WORK}/build")
do("${WORK}/build/pendulum" master "${PROJECT}/pendulum.toml" --out "${WORK}/run")
if(NOT EXISTS "${WORK}/run/map.h5" OR NOT text MATCHES "generation 3 of 3")
    message(FATAL_ERROR "the consumer did not train:\n${text}")
endif()

# The self-test of a program covers the domains that it adds.
do("${WORK}/build/pendulum" master --self-test)
if(NOT text MATCHES "pendulum")
    message(FATAL_ERROR "the self-test did not step the pendulum:\n${text}")
endif()

do("${WORK}/build/pendulum" evaluate "${WORK}/run/map.h5" --episodes 2 --out "${WORK}/evaluated.h5")
do("${WORK}/build/pendulum" replay "${WORK}/run/map.h5" --cell best --episodes 2)
if(NOT text MATCHES "height")
    message(FATAL_ERROR "pendulum replay does not report the domain's reward:\n${text}")
endif()
do("${WORK}/build/pendulum" inspect summary "${WORK}/run/map.h5")
execute_process(COMMAND "${WORK}/build/pendulum" dance RESULT_VARIABLE status ERROR_VARIABLE text)
if(NOT status EQUAL 2 OR NOT text MATCHES "replay")
    message(FATAL_ERROR "an unknown program ended with ${status}:\n${text}")
endif()
execute_process(COMMAND "${WORK}/build/pendulum" adapt "${WORK}/run/map.h5" --damage J0
    RESULT_VARIABLE status ERROR_VARIABLE text)
if(NOT status EQUAL 2 OR NOT text MATCHES "the domain pendulum cannot be damaged")
    message(FATAL_ERROR "pendulum adapt ended with ${status}:\n${text}")
endif()

# Programs without the domain can inspect its map, but refuse to run it.
do("${WORK}/moved/bin/mees_inspect" summary "${WORK}/run/map.h5")
if(NOT text MATCHES "generation  3 of 3")
    message(FATAL_ERROR "mees_inspect does not report the generation:\n${text}")
endif()
do("${WORK}/moved/bin/mees_inspect" export "${WORK}/run/map.h5" --out "${WORK}/best.onnx")
foreach(program mees_replay mees_evaluate mees_refine)
    set(options "")
    if(program STREQUAL mees_refine)
        set(options --cells filled --out "${WORK}/refined.h5")
    endif()
    execute_process(COMMAND "${WORK}/moved/bin/${program}" "${WORK}/run/map.h5" ${options}
        RESULT_VARIABLE status ERROR_VARIABLE text)
    if(NOT status EQUAL 3 OR NOT text MATCHES "unknown domain pendulum")
        message(FATAL_ERROR "${program} ended with ${status}:\n${text}")
    endif()
endforeach()
