# Finds cpp-httplib and defines the target Httplib::Httplib: the single header, or Debian's library, which is compiled with
# OpenSSL, zlib and Brotli and whose header must be used with the same definitions.
find_path(Httplib_INCLUDE_DIR httplib.h)
find_library(Httplib_LIBRARY cpp-httplib)
mark_as_advanced(Httplib_INCLUDE_DIR Httplib_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Httplib REQUIRED_VARS Httplib_INCLUDE_DIR)
if(Httplib_FOUND AND NOT TARGET Httplib::Httplib)
    add_library(Httplib::Httplib INTERFACE IMPORTED)
    target_include_directories(Httplib::Httplib INTERFACE "${Httplib_INCLUDE_DIR}")
    if(Httplib_LIBRARY)
        target_link_libraries(Httplib::Httplib INTERFACE "${Httplib_LIBRARY}")
        target_compile_definitions(Httplib::Httplib INTERFACE
            CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
    endif()
endif()
