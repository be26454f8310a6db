#include "mees/sim/process/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mees::process {

static_assert(std::endian::native == std::endian::little, "messages are copied as they are");

namespace {

constexpr std::uint32_t renders_flag = 1;
constexpr std::uint32_t last_reward_flag = 2;
constexpr double longest_episode = 1e9;
constexpr std::uint64_t most_bins = 1'000'000;

/// A name as messages, tables and file formats can carry it.
bool is_name(std::string const& text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return static_cast<unsigned char>(c) > 0x20 && c != 0x7f && c != ',' && c != '"';
    });
}

bool read_names(Reader& reader, std::uint32_t count, std::vector<std::string>& names)
{
    for (std::uint32_t i = 0; i < count; ++i) {
        auto name = reader.text();
        if (!name || !is_name(*name) || std::ranges::find(names, *name) != names.end()) {
            return false;
        }
        names.push_back(std::move(*name));
    }
    return true;
}

bool read_axes(Reader& reader, Hello& hello)
{
    for (std::size_t i = 0; i < hello.bc_names.size(); ++i) {
        auto const lower = reader.number<double>();
        auto const upper = reader.number<double>();
        auto const bins = reader.number<std::uint64_t>();
        if (!lower || !upper || !bins || !std::isfinite(*lower) || !std::isfinite(*upper)
            || *bins < 1 || *bins > most_bins) {
            return false;
        }
        hello.bc_lower.push_back(*lower);
        hello.bc_upper.push_back(*upper);
        hello.bc_bins.push_back(static_cast<std::int64_t>(*bins));
    }
    return true;
}

std::string sizes_problem(std::uint32_t observation, std::uint32_t action, std::uint32_t terms,
                          std::uint32_t bc)
{
    bool const possible = observation >= 1 && observation <= most_numbers && action >= 1
                          && action <= most_numbers && terms >= 1 && terms <= most_names && bc >= 1
                          && bc <= most_names;
    return possible ? ""
                    : fmt::format(
                        "it states {} observations, {} actions, {} reward terms and {} "
                        "BC dimensions",
                        observation, action, terms, bc);
}

}  // namespace

void Writer::begin(Kind kind)
{
    bytes_.resize(sizeof(Header));  // its size follows in `finish`
    std::memcpy(bytes_.data(), &kind, sizeof kind);
}

std::span<std::byte const> Writer::finish()
{
    auto const size = static_cast<std::uint32_t>(bytes_.size() - sizeof(Header));
    std::memcpy(bytes_.data() + sizeof(std::uint32_t), &size, sizeof size);
    return bytes_;
}

void Writer::add(std::string_view text)
{
    add(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
}

void Writer::append(void const* data, std::size_t size)
{
    auto const* bytes = static_cast<std::byte const*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
}

template <class Number>
std::optional<Number> Reader::number()
{
    Number value{};
    if (rest_.size() < sizeof value) {
        return std::nullopt;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
}

template std::optional<std::uint32_t> Reader::number();
template std::optional<std::uint64_t> Reader::number();
template std::optional<double> Reader::number();

bool Reader::numbers(std::span<double> values)
{
    if (rest_.size() < values.size_bytes()) {
        return false;
    }
    std::memcpy(values.data(), rest_.data(), values.size_bytes());
    rest_ = rest_.subspan(values.size_bytes());
    return true;
}

std::optional<std::string> Reader::text()
{
    auto const size = number<std::uint32_t>();
    if (!size || *size > longest_text || *size > rest_.size()) {
        return std::nullopt;
    }
    std::string text(reinterpret_cast<char const*>(rest_.data()), *size);
    rest_ = rest_.subspan(*size);
    return text;
}

ParsedHello parse_hello(std::span<std::byte const> payload)
{
    Reader reader{payload};
    auto const version = reader.number<std::uint32_t>();
    if (!version || *version != protocol_version) {
        return {{},
                fmt::format("it speaks version {} of the protocol, this program version {}",
                            version ? fmt::format("{}", *version) : "?", protocol_version)};
    }
    auto const flags = reader.number<std::uint32_t>();
    auto const observation = reader.number<std::uint32_t>();
    auto const action = reader.number<std::uint32_t>();
    auto const terms = reader.number<std::uint32_t>();
    auto const bc = reader.number<std::uint32_t>();
    auto const steps = reader.number<std::uint64_t>();
    auto const seconds = reader.number<double>();
    if (!seconds) {
        return {{}, "its first message is too short"};
    }
    if (auto problem = sizes_problem(*observation, *action, *terms, *bc); !problem.empty()) {
        return {{}, std::move(problem)};
    }
    if (*steps < 1 || static_cast<double>(*steps) > longest_episode || !(*seconds >= 0)
        || !std::isfinite(*seconds)) {
        return {{},
                fmt::format("it states {} control steps of {} s per episode", *steps, *seconds)};
    }
    Hello hello{.observation_size = *observation,
                .action_size = *action,
                .episode_steps = static_cast<std::int64_t>(*steps),
                .seconds_per_step = *seconds,
                .renders = (*flags & renders_flag) != 0,
                .last_reward = (*flags & last_reward_flag) != 0};
    if (!read_names(reader, *terms, hello.reward_terms)
        || !read_names(reader, *bc, hello.bc_names)) {
        return {{},
                "the names of its reward terms and BC must be distinct and have no spaces, commas "
                "or quotes"};
    }
    if (!read_axes(reader, hello) || !reader.rest().empty()) {
        return {{}, "its first message has not the size that its counts need"};
    }
    return {std::move(hello), {}};
}

}  // namespace mees::process
