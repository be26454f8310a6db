# What `cmake --install` and CPack install. Programs find their libraries relative to themselves and contain the models,
# so the installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mees")
set(data_dir "${CMAKE_INSTALL_DATADIR}/mees")

install(DIRECTORY lib/mees DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp"
    PATTERN "detail" EXCLUDE)
install(DIRECTORY configs DESTINATION "${data_dir}")
install(DIRECTORY lib/mees/sim/models DESTINATION "${data_dir}")
install(DIRECTORY python DESTINATION "${data_dir}" PATTERN "__pycache__" EXCLUDE
    PATTERN "python/build" EXCLUDE PATTERN "*.egg-info" EXCLUDE PATTERN ".pytest_cache" EXCLUDE)
if(EXISTS "${PROJECT_SOURCE_DIR}/slurm")
    install(DIRECTORY slurm DESTINATION "${data_dir}" USE_SOURCE_PERMISSIONS)
endif()
# The page of mees_view, if `./mees view --build-only` has built it.
install(FILES "${PROJECT_SOURCE_DIR}/build/viewer/page.html" DESTINATION "${data_dir}/viewer" OPTIONAL)
install(FILES docker/modulefile DESTINATION "${data_dir}")
install(FILES README.md LICENSE CITATION.cff CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# MuJoCo is installed too, unless it is a system package.
get_filename_component(mujoco_library "${MuJoCo_LIBRARY}" REALPATH)
set(mujoco_comes_along FALSE)
if(NOT mujoco_library MATCHES "^/usr/lib")
    set(mujoco_comes_along TRUE)
    install(FILES "${mujoco_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(DIRECTORY "${MuJoCo_INCLUDE_DIR}/mujoco" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "experimental" EXCLUDE PATTERN "render" EXCLUDE)
endif()

install(EXPORT mees NAMESPACE mees:: FILE meesTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file(cmake/meesConfig.cmake.in "${PROJECT_BINARY_DIR}/meesConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/meesConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/meesConfig.cmake" "${PROJECT_BINARY_DIR}/meesConfigVersion.cmake"
    cmake/FindMuJoCo.cmake cmake/FindHttplib.cmake DESTINATION "${package_dir}")

set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_PACKAGE_NAME mees)
set(CPACK_PACKAGE_CONTACT "the mees developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_FILE_NAME "mees-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
get_filename_component(mujoco_folder "${mujoco_library}" DIRECTORY)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${mujoco_folder}")
include(CPack)
