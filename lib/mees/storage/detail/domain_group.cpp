#include "mees/storage/detail/domain_group.hpp"

#include <cmath>

namespace mees {
namespace {

constexpr std::int64_t most_assets = 1000;
constexpr std::int64_t largest_assets = 256 << 20;

std::string read_text(hdf5::Reader const& file, std::string const& path)
{
    if (file.shape(path) != hdf5::Shape{1}) {
        throw file.error(fmt::format("{} is not one text", path));
    }
    return file.texts(path).front();
}

}  // namespace

std::shared_ptr<DomainDocument const> read_domain(hdf5::Reader const& file)
{
    if (!file.has(domain_group::path) || file.has(domain_group::program)) {
        return nullptr;
    }
    DomainDocument document{
        read_text(file, domain_group::model), read_text(file, domain_group::description), {}};
    bool const has_assets = file.has(domain_group::assets);
    std::int64_t size = 0;
    for (std::int64_t i = 0; has_assets && file.has(domain_group::asset(i)); ++i) {
        auto const path = domain_group::asset(i);
        size += hdf5::element_count(file.shape(path));
        if (i == most_assets || size > largest_assets) {
            throw file.error(fmt::format("{} is too large", domain_group::assets));
        }
        auto const values = file.values<std::uint8_t>(path);
        auto const bytes = std::as_bytes(std::span{values});
        document.assets.push_back({file.text(path, "file"), {bytes.begin(), bytes.end()}});
    }
    return std::make_shared<DomainDocument const>(std::move(document));
}

std::optional<ProgramStatement> read_program(hdf5::Reader const& file)
{
    if (!file.has(domain_group::path) || !file.has(domain_group::program)) {
        return std::nullopt;
    }
    std::string const path = domain_group::program;
    auto const fitness = choice_named<FitnessRule>(file.text(path, "fitness"));
    ProgramStatement program{file.integer(path, "observation_size"),
                             file.integer(path, "action_size"),
                             file.integer(path, "episode_steps"),
                             file.real(path, "seconds_per_step"),
                             fitness.value_or(FitnessRule::sum_of_rewards),
                             file.integer(path, "images") != 0,
                             file.texts(path, "reward_terms")};
    if (!fitness || program.observation_size < 1 || program.action_size < 1
        || program.episode_steps < 1 || !std::isfinite(program.seconds_per_step)
        || program.seconds_per_step < 0) {
        throw file.error(fmt::format("{} describes no environment", path));
    }
    return program;
}

}  // namespace mees
