#include "mees/sim/process/environment.hpp"

#include "mees/core/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mees::process {
namespace {

constexpr double least_seconds_to_start = 60;  ///< programs may load much

std::string text_of(std::vector<std::string> const& command)
{
    return escaped(fmt::format("{}", fmt::join(command, " ")));
}

char const* name_of(Kind kind)
{
    switch (kind) {
        case Kind::hello:
            return "its start";
        case Kind::reset:
            return "a reset";
        case Kind::step:
            return "a control step";
        case Kind::end:
            return "the BC at the end of an episode";
        case Kind::render:
            return "an image";
        case Kind::close:
        case Kind::failure:
            break;
    }
    return "its end";
}

}  // namespace

Environment::Environment(EnvironmentSetup setup)
    : setup_{std::move(setup)}, child_{std::make_unique<Child>(setup_.command)}
{
    request_.begin(Kind::hello);
    request_.add(protocol_version);
    request_.add(static_cast<std::uint32_t>(setup_.batch));
    request_.add(static_cast<std::uint64_t>(setup_.episode_steps));
    request_.add(static_cast<std::uint32_t>(setup_.damage.size()));
    for (auto const& word : setup_.damage) {
        request_.add(std::string_view{word});
    }
    auto const payload =
        exchange(Kind::hello, std::max(least_seconds_to_start, setup_.step_timeout_seconds));
    auto [hello, problem] = parse_hello(payload);
    if (!hello) {
        fail(problem);
    }
    hello_ = std::move(*hello);
}

void Environment::fail(std::string const& problem)
{
    auto const fate = child_->post_mortem();
    throw SimulationError{
        fmt::format("the environment `{}` failed: {}", text_of(setup_.command), problem), fate,
        "Correct the environment, then run the same command again."};
}

/// The environment has sent a reason instead of a reply.
void Environment::fail_by_itself(std::span<std::byte const> payload)
{
    Reader reader{payload};
    auto const damage = reader.number<std::uint32_t>();
    auto const text = escaped(reader.text().value_or("it did not say why"));
    if (damage.value_or(0) == 1 && !setup_.damage.empty()) {
        throw ConfigError{
            fmt::format("invalid damage \"{}\"", fmt::join(setup_.damage, ",")),
            fmt::format("the environment `{}` refuses it: {}", text_of(setup_.command), text),
            "Use a damage that the environment knows."};
    }
    fail(text);
}

void Environment::require(Trouble trouble, Kind kind, double seconds)
{
    switch (trouble) {
        case Trouble::none:
            return;
        case Trouble::dropped:
            child_.reset();
            throw EpisodeDropped{};
        case Trouble::late:
            fail(fmt::format("no answer for {} within {} s ({})", name_of(kind), seconds,
                             "domain.step_timeout_seconds"));
        case Trouble::ended:
            break;
    }
    auto const fate = child_->post_mortem();
    child_.reset();
    throw EnvironmentLost{
        fmt::format("the environment `{}` ended during {}", text_of(setup_.command), name_of(kind)),
        fate, "Correct the environment, then run the same command again."};
}

std::span<std::byte const> Environment::exchange(Kind kind, double seconds)
{
    expects(child_ != nullptr, "an environment that has not failed");
    static std::function<bool()> const never;
    auto const& dropped = dropped_ != nullptr ? *dropped_ : never;
    double const deadline = monotonic_seconds() + seconds;
    auto const sent = child_->send(request_.finish(), deadline, dropped);
    if (sent != Trouble::ended) {  // it may have said why it ended
        require(sent, kind, seconds);
    }
    Header header;
    require(child_->receive(std::as_writable_bytes(std::span{&header, 1}), deadline, dropped), kind,
            seconds);
    bool const failed = header.kind == Kind::failure;
    if ((header.kind != kind && !failed) || header.size > largest_reply) {
        fail(fmt::format("its answer for {} is not a message of the protocol (kind {}, {} bytes)",
                         name_of(kind), static_cast<std::uint32_t>(header.kind), header.size));
    }
    reply_.resize(header.size);
    require(child_->receive(reply_, deadline, dropped), kind, seconds);
    if (failed) {
        fail_by_itself(reply_);
    }
    return reply_;
}

void Environment::require_size(std::span<std::byte const> payload, std::size_t size, Kind kind)
{
    if (payload.size() != size) {
        fail(fmt::format("its answer for {} has {} bytes instead of {}", name_of(kind),
                         payload.size(), size));
    }
}

void Environment::require_finite(std::span<double const> values, char const* what)
{
    auto const wrong =
        std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
    if (wrong != values.end()) {
        fail(fmt::format("its {} contains {} at index {}", what, *wrong, wrong - values.begin()));
    }
}

void Environment::reset(std::uint32_t slot, std::uint32_t seed, std::span<double> observation)
{
    request_.begin(Kind::reset);
    request_.add(slot);
    request_.add(seed);
    auto const payload = exchange(Kind::reset, setup_.step_timeout_seconds);
    require_size(payload, observation.size_bytes(), Kind::reset);
    std::memcpy(observation.data(), payload.data(), payload.size());
    require_finite(observation, "initial observation");
    queued_ = 0;
}

void Environment::queue(std::uint32_t slot, std::span<double const> action)
{
    if (queued_ == 0) {
        request_.begin(Kind::step);
    }
    ++queued_;
    request_.add(slot);
    request_.add(std::uint32_t{0});
    request_.add(action);
}

void Environment::step(std::span<StepReply* const> replies)
{
    expects(queued_ == std::ssize(replies), "a reply for each action");
    queued_ = 0;
    auto const payload = exchange(Kind::step, setup_.step_timeout_seconds);
    auto const numbers =
        static_cast<std::size_t>(hello_.observation_size) + hello_.reward_terms.size();
    require_size(payload, replies.size() * (numbers + 1) * sizeof(double), Kind::step);
    Reader reader{payload};
    for (auto* const reply : replies) {
        static_cast<void>(reader.numbers(reply->observation));
        static_cast<void>(reader.numbers(reply->terms));
        auto const ended = *reader.number<std::uint64_t>();
        if (ended > 1) {
            fail(
                fmt::format("its answer for a control step has {} where 0 or 1 says whether the "
                            "episode has ended",
                            ended));
        }
        reply->ended = ended == 1;
        require_finite(reply->observation, "observation");
        require_finite(reply->terms, "reward");
    }
}

void Environment::end(std::uint32_t slot, std::span<double> bc)
{
    request_.begin(Kind::end);
    request_.add(slot);
    auto const payload = exchange(Kind::end, setup_.step_timeout_seconds);
    require_size(payload, bc.size_bytes(), Kind::end);
    std::memcpy(bc.data(), payload.data(), payload.size());
    require_finite(bc, "BC");
}

RenderedFrame Environment::render(std::uint32_t slot)
{
    request_.begin(Kind::render);
    request_.add(slot);
    auto const payload = exchange(Kind::render, setup_.step_timeout_seconds);
    Reader reader{payload};
    auto const width = reader.number<std::uint32_t>();
    auto const height = reader.number<std::uint32_t>();
    std::size_t const pixels = height ? std::size_t{*width} * *height * 3 : 0;
    if (pixels == 0 || reader.rest().size() != pixels) {
        fail("its image has not the size that it states");
    }
    RenderedFrame image{*width, *height, std::vector<std::uint8_t>(pixels)};
    std::memcpy(image.pixels.data(), reader.rest().data(), pixels);
    return image;
}

void Environment::close()
{
    if (child_ == nullptr) {
        return;
    }
    request_.begin(Kind::close);
    static_cast<void>(child_->send(request_.finish(), monotonic_seconds(), {}));
    child_->finish();
    child_.reset();
}

}  // namespace mees::process
