# Finds MuJoCo, 2.2.2 to 4.x, and defines the target MuJoCo::MuJoCo, MuJoCo_VERSION,
# MuJoCo_INCLUDE_DIR and MuJoCo_LIBRARY.
#
# Uses the first of these that exists; if it is unusable, that is an error, and no other is tried:
#   1. MUJOCO_ROOT, a CMake variable or an environment variable (MuJoCo_ROOT is the same)
#   2. .deps/mujoco next to this folder, where `./mees setup` puts the pinned version
#   3. CMAKE_PREFIX_PATH and the system's folders (Debian's libmujoco-dev)
# A folder may have the release archive's layout (include/mujoco, lib/libmujoco.so*), be an unpacked
# wheel (mujoco/include/mujoco, mujoco/libmujoco.so.X.Y.Z), or be the `mujoco` folder of one.

set(_mujoco_oldest 2.2.2)
set(_mujoco_advice "Run `./mees setup`, which puts the pinned MuJoCo into .deps/mujoco; or pass -DMUJOCO_ROOT=DIR, \
where DIR contains MuJoCo's release archive or its unpacked wheel; or install Debian's libmujoco-dev.")

# `222` up to 3.7, `3014000` since.
function(_mujoco_header_version header result)
    file(STRINGS "${header}" line REGEX "#define[ \t]+mjVERSION_HEADER[ \t]+[0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+" number "${line}")
    set(version "")
    if(number GREATER 999999)
        math(EXPR major "${number} / 1000000")
        math(EXPR minor "${number} / 1000 % 1000")
        math(EXPR patch "${number} % 1000")
        set(version "${major}.${minor}.${patch}")
    elseif(number MATCHES "^([0-9])([0-9])([0-9])$")
        set(version "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
    endif()
    set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Reads the SONAME, which does not depend on the file's name.
function(_mujoco_library_version library result)
    file(STRINGS "${library}" soname REGEX "libmujoco\\.so\\.[0-9]+\\.[0-9]+\\.[0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${soname}")
    set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Sets MuJoCo_INCLUDE_DIR, MuJoCo_LIBRARY and MuJoCo_VERSION, or _mujoco_problem.
macro(_mujoco_look_in root)
    set(_mujoco_prefix "${root}")
    if(EXISTS "${root}/mujoco/include/mujoco/mujoco.h")
        set(_mujoco_prefix "${root}/mujoco")
    endif()
    set(MuJoCo_INCLUDE_DIR "${_mujoco_prefix}/include")
    if(NOT IS_DIRECTORY "${root}")
        set(_mujoco_problem "no such folder: ${root}")
    elseif(EXISTS "${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h")
        file(GLOB _mujoco_libraries
            "${_mujoco_prefix}/lib/libmujoco.so*"
            "${_mujoco_prefix}/lib64/libmujoco.so*"
            "${_mujoco_prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libmujoco.so*"
            "${_mujoco_prefix}/libmujoco.so*")
        _mujoco_choose("${_mujoco_libraries}")
    elseif(EXISTS "${root}/mujoco/__init__.py" OR EXISTS "${root}/__init__.py")
        set(_mujoco_problem "${root} contains Python files but no include/mujoco/mujoco.h; \
since 4.0 headers and library are in the wheel `mujoco-core`, not `mujoco`")
    else()
        set(_mujoco_problem "no include/mujoco/mujoco.h in ${root}")
    endif()
endmacro()

# Chooses the library whose version is that of the headers in MuJoCo_INCLUDE_DIR.
macro(_mujoco_choose libraries)
    _mujoco_header_version("${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h" MuJoCo_VERSION)
    set(MuJoCo_LIBRARY "")
    foreach(_mujoco_candidate IN ITEMS ${libraries})
        if(EXISTS "${_mujoco_candidate}") # not a dangling link
            _mujoco_library_version("${_mujoco_candidate}" _mujoco_library_version)
            set(MuJoCo_LIBRARY "${_mujoco_candidate}")
            if(_mujoco_library_version STREQUAL MuJoCo_VERSION)
                break()
            endif()
        endif()
    endforeach()
    if(NOT MuJoCo_VERSION)
        set(_mujoco_problem "${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h does not define its version (mjVERSION_HEADER)")
    elseif(MuJoCo_VERSION VERSION_LESS _mujoco_oldest)
        set(_mujoco_problem "${MuJoCo_INCLUDE_DIR}/mujoco is MuJoCo ${MuJoCo_VERSION}, which is older than ${_mujoco_oldest}")
    elseif(NOT MuJoCo_LIBRARY)
        set(_mujoco_problem "there is no libmujoco.so* for the headers of MuJoCo ${MuJoCo_VERSION} in ${MuJoCo_INCLUDE_DIR}/mujoco")
    elseif(NOT _mujoco_library_version STREQUAL MuJoCo_VERSION)
        if(NOT _mujoco_library_version)
            set(_mujoco_library_version "unknown")
        endif()
        set(_mujoco_problem "the headers in ${MuJoCo_INCLUDE_DIR}/mujoco have version ${MuJoCo_VERSION}, \
but ${MuJoCo_LIBRARY} has version ${_mujoco_library_version}")
    endif()
endmacro()

set(MUJOCO_ROOT "" CACHE PATH "Folder of MuJoCo's release archive or unpacked wheel; empty: search")
get_filename_component(_mujoco_deps "${CMAKE_CURRENT_LIST_DIR}/../.deps/mujoco" ABSOLUTE)
set(_mujoco_problem "")
set(_mujoco_root "")
set(_mujoco_origin "MUJOCO_ROOT: ")
foreach(_mujoco_candidate IN ITEMS "${MUJOCO_ROOT}" "${MuJoCo_ROOT}" "$ENV{MUJOCO_ROOT}" "$ENV{MuJoCo_ROOT}")
    if(_mujoco_candidate AND NOT _mujoco_root)
        set(_mujoco_root "${_mujoco_candidate}")
    endif()
endforeach()
if(NOT _mujoco_root)
    set(_mujoco_origin "")
    if(EXISTS "${_mujoco_deps}")
        set(_mujoco_root "${_mujoco_deps}")
    endif()
endif()

if(_mujoco_root)
    _mujoco_look_in("${_mujoco_root}")
else()
    find_path(MuJoCo_INCLUDE_DIR mujoco/mujoco.h NO_CACHE)
    if(MuJoCo_INCLUDE_DIR)
        find_library(_mujoco_system_library mujoco HINTS "${MuJoCo_INCLUDE_DIR}/../lib" NO_CACHE)
        if(NOT _mujoco_system_library)
            set(_mujoco_system_library "")
        endif()
        _mujoco_choose("${_mujoco_system_library}")
    else()
        set(_mujoco_problem "MUJOCO_ROOT is not set, ${_mujoco_deps} does not exist, and mujoco/mujoco.h is not in a system folder")
    endif()
endif()

if(_mujoco_problem)
    set(MuJoCo_FOUND FALSE)
    if(MuJoCo_FIND_REQUIRED)
        message(FATAL_ERROR "cannot use MuJoCo (${_mujoco_origin}${_mujoco_problem}). ${_mujoco_advice}")
    elseif(NOT MuJoCo_FIND_QUIETLY)
        message(STATUS "cannot use MuJoCo (${_mujoco_origin}${_mujoco_problem})")
    endif()
    return()
endif()
if(MuJoCo_VERSION VERSION_GREATER_EQUAL 5)
    message(WARNING "MuJoCo ${MuJoCo_VERSION} is newer than the versions that this project supports (up to 4.x). ${_mujoco_advice}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo
    REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR VERSION_VAR MuJoCo_VERSION)
if(MuJoCo_FOUND AND NOT TARGET MuJoCo::MuJoCo)
    get_filename_component(_mujoco_file "${MuJoCo_LIBRARY}" REALPATH)
    add_library(MuJoCo::MuJoCo SHARED IMPORTED)
    set_target_properties(MuJoCo::MuJoCo PROPERTIES
        IMPORTED_LOCATION "${_mujoco_file}"
        IMPORTED_SONAME "libmujoco.so.${MuJoCo_VERSION}"
        INTERFACE_INCLUDE_DIRECTORIES "${MuJoCo_INCLUDE_DIR}")
endif()
