#include "mees/policy/parameter_store.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/eigen_span.hpp"
#include "mees/core/log.hpp"

#include <span>
#include <utility>

namespace mees {
namespace {

std::span<std::byte const> bytes_of(Parameters const& parameters)
{
    return std::as_bytes(span_of(parameters));
}

}  // namespace

ParameterStore::ParameterStore(std::filesystem::path folder, std::int64_t memory_limit)
    : folder_{std::move(folder)},
      memory_limit_{memory_limit},
      in_memory_{std::make_shared<std::atomic<std::int64_t>>(0)}
{
}

ControllerPtr ParameterStore::keep(ControllerPtr controller)
{
    auto const& parameters = controller->parameters;
    if (parameters.is_kept()) {
        return controller;
    }
    bool const fits = bytes_in_memory() + std::ssize(bytes_of(parameters)) <= memory_limit_;
    auto kept = fits ? kept_in_memory(parameters) : kept_in_file(parameters);
    return std::make_shared<Controller const>(
        Controller{std::move(kept), controller->normaliser, controller->before});
}

Parameters ParameterStore::kept_in_memory(Parameters const& parameters) const
{
    auto const bytes = std::ssize(bytes_of(parameters));
    *in_memory_ += bytes;
    auto const release = [in_memory = in_memory_, bytes, values = parameters](void const*) {
        *in_memory -= bytes;
    };
    return {span_of(parameters), std::shared_ptr<void const>{parameters.data(), release}};
}

Parameters ParameterStore::kept_in_file(Parameters const& parameters)
{
    auto const bytes = bytes_of(parameters);
    try {
        if (!file_) {
            file_.emplace(folder_, bytes.size());
            log::info("elites beyond map.memory_limit are kept on disk, in an unnamed file in {}",
                      folder_.string());
        }
        auto copy = file_->add(bytes);
        auto const* const values = reinterpret_cast<float const*>(copy.get());
        return {{values, span_of(parameters).size()}, std::move(copy)};
    } catch (WriteError const& error) {
        if (!std::exchange(has_warned_, true)) {
            log::warning(
                "{} Elites that cannot be kept on disk stay in memory, beyond map.memory_limit.",
                error.what());
        }
        return kept_in_memory(parameters);
    }
}

}  // namespace mees
