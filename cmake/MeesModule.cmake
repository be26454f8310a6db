# Compiler options of all targets, and mees_module(), which declares a module.

add_library(mees_flags INTERFACE)
target_compile_features(mees_flags INTERFACE cxx_std_20)
# -ffp-contract=off: with fused multiply-add, which the compiler inserts where it likes, the same expression in two
# places could give different results.
target_compile_options(mees_flags INTERFACE
    -Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
    -ffp-contract=off
    $<$<BOOL:${MEES_WERROR}>:-Werror>)
set(arch_options "")
if(MEES_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(arch_options -march=${MEES_ARCH})
endif()
target_compile_options(mees_flags INTERFACE ${arch_options})
if(MEES_SANITIZE)
    target_compile_options(mees_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(mees_flags INTERFACE -fsanitize=address,undefined)
    target_compile_options(mees_flags INTERFACE $<$<BOOL:${MEES_FUZZ}>:-fsanitize=fuzzer-no-link>)
elseif(MEES_TSAN)
    target_compile_options(mees_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(mees_flags INTERFACE -fsanitize=thread)
endif()

# All presets but debug compile several files at once (CMAKE_UNITY_BUILD), in little more than half the time.
# Files whose local names occur in other files of the module too are compiled alone.
function(mees_compile_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# mees_module(name [DEPENDS module...] [PUBLIC lib...] [PRIVATE lib...])
# Adds the static library mees_<name> of all sources in this folder and its subfolders.
# DEPENDS lists the modules whose headers this one includes (checked by tests/layers).
function(mees_module name)
    cmake_parse_arguments(PARSE_ARGV 1 module "" "" "DEPENDS;PUBLIC;PRIVATE")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    add_library(mees_${name} STATIC ${sources})
    add_library(mees::${name} ALIAS mees_${name})
    target_include_directories(mees_${name} PUBLIC
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_target_properties(mees_${name} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS mees_${name} EXPORT mees DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    list(TRANSFORM module_DEPENDS PREPEND mees::)
    target_link_libraries(mees_${name}
        PUBLIC ${module_DEPENDS} ${module_PUBLIC}
        PRIVATE ${module_PRIVATE} $<BUILD_INTERFACE:mees_flags>)
    target_compile_features(mees_${name} PUBLIC cxx_std_20)
    # A project must compile the code in headers like the libraries: Eigen's alignment, which decides how memory is
    # allocated and freed, depends on -march.
    foreach(option -ffp-contract=off ${arch_options})
        target_compile_options(mees_${name} INTERFACE $<INSTALL_INTERFACE:${option}>)
    endforeach()
endfunction()
