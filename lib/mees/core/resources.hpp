#pragma once

#include "mees/core/error.hpp"

#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace mees {

/// Errors that name the settings which ask for too much: "es.population = 1000000000".
[[nodiscard]] Error out_of_memory(std::string_view settings);
[[nodiscard]] Error out_of_threads(std::string_view reason);

/// The result of `work`. If memory or threads run out in it, throws an Error that names
/// `settings()`.
template <class Work, class Settings>
auto with_resources(Settings const& settings, Work const& work) -> decltype(work())
{
    try {
        return work();
    } catch (std::bad_alloc const&) {
        throw out_of_memory(settings());
    } catch (std::length_error const&) {
        throw out_of_memory(settings());
    } catch (std::system_error const& error) {
        if (error.code() == std::errc::resource_unavailable_try_again) {
            throw out_of_threads(error.what());
        }
        throw;
    }
}

}  // namespace mees
