#include "mees/cluster/codec.hpp"

#include "mees/core/eigen_span.hpp"

#include <unordered_map>

namespace mees {
namespace {

constexpr std::int64_t no_controller = -1;

/// The part of a group that has a fixed size.
struct GroupHeader {
    std::int64_t centre;
    std::int64_t toward;
    std::int64_t generation;
    std::int64_t first_stream;
    double observation_fraction;
    float sigma;
    float action_noise;
    std::int32_t repeats;
    std::int32_t variant;
    EpisodeKind kind;
    bool mirrored;
    SharedSeeds seeds;
};

/// The batch's distinct controllers in order of first use.
class ControllerIndex {
  public:
    explicit ControllerIndex(Batch const& batch)
    {
        for (auto const& group : batch.groups) {
            add(group.centre.get());
            add(group.toward.get());
        }
    }
    [[nodiscard]] std::int64_t find(Controller const* controller) const
    {
        return controller == nullptr ? no_controller : numbers_.at(controller);
    }
    [[nodiscard]] std::vector<Controller const*> const& controllers() const { return controllers_; }

  private:
    void add(Controller const* controller)
    {
        if (controller != nullptr
            && numbers_.try_emplace(controller, static_cast<std::int64_t>(controllers_.size()))
                   .second) {
            controllers_.push_back(controller);
        }
    }

    std::unordered_map<Controller const*, std::int64_t> numbers_;
    std::vector<Controller const*> controllers_;
};

GroupHeader header_of(Group const& group, ControllerIndex const& index)
{
    return {.centre = index.find(group.centre.get()),
            .toward = index.find(group.toward.get()),
            .generation = group.generation.value(),
            .first_stream = group.first_stream,
            .observation_fraction = group.observation_fraction,
            .sigma = group.sigma,
            .action_noise = group.action_noise,
            .repeats = group.repeats,
            .variant = group.variant,
            .kind = group.kind,
            .mirrored = group.mirrored,
            .seeds = group.seeds};
}

template <class Sink>
void put_batch(Batch const& batch, Sink& sink)
{
    ControllerIndex const index{batch};
    sink.put(batch.seed);
    sink.put(index.controllers().size());
    sink.put(batch.groups.size());
    for (auto const* controller : index.controllers()) {
        sink.put_all(span_of(controller->parameters));
        sink.put_all(span_of(controller->normaliser.mean));
        sink.put_all(span_of(controller->normaliser.std));
    }
    for (auto const& group : batch.groups) {
        sink.put(header_of(group, index));
        sink.put_all(std::span{group.offsets});
        sink.put_all(std::span{group.line});
    }
}

Group group_of(GroupHeader const& header, std::span<NoiseOffset const> offsets,
               std::span<float const> line)
{
    Group group;
    group.generation = Generation{header.generation};
    group.kind = header.kind;
    group.variant = header.variant;
    group.first_stream = header.first_stream;
    group.sigma = header.sigma;
    group.mirrored = header.mirrored;
    group.seeds = header.seeds;
    group.repeats = header.repeats;
    group.action_noise = header.action_noise;
    group.observation_fraction = header.observation_fraction;
    group.offsets.assign(offsets.begin(), offsets.end());
    group.line.assign(line.begin(), line.end());
    return group;
}

template <class Sink>
void put_outcome(Sink& sink, std::int64_t episode, EpisodeOutcome const& outcome,
                 std::span<double const> bc, ObservationMoments const* observations)
{
    sink.put(episode);
    sink.put(outcome);
    sink.put_all(bc);
    sink.put(observations != nullptr);
    if (observations != nullptr) {
        sink.put(observations->count);
        sink.put_all(span_of(observations->sum));
        sink.put_all(span_of(observations->sum_of_squares));
    }
}

ObservationMoments read_moments(ByteReader& reader)
{
    ObservationMoments moments;
    moments.count = reader.get<double>();
    moments.sum = vector_of<Eigen::VectorXd>(reader.get_all<double>());
    moments.sum_of_squares = vector_of<Eigen::VectorXd>(reader.get_all<double>());
    return moments;
}

}  // namespace

std::int64_t encoded_size(Batch const& batch)
{
    ByteCounter counter;
    put_batch(batch, counter);
    return static_cast<std::int64_t>(counter.count());
}

void encode_batch(Batch const& batch, std::span<std::byte> bytes)
{
    ByteWriter writer{bytes};
    put_batch(batch, writer);
}

EncodedBatch::EncodedBatch(std::span<std::byte const> bytes)
{
    ByteReader reader{bytes};
    batch_.seed = reader.get<std::uint64_t>();
    raw_.resize(reader.get<std::size_t>());
    auto const groups = reader.get<std::size_t>();
    for (auto& raw : raw_) {
        raw.parameters = reader.get_all<float>();
        raw.mean = reader.get_all<double>();
        raw.std = reader.get_all<double>();
    }
    for (std::size_t i = 0; i < groups; ++i) {
        auto const header = reader.get<GroupHeader>();
        auto const offsets = reader.get_all<NoiseOffset>();
        batch_.groups.push_back(group_of(header, offsets, reader.get_all<float>()));
        wanted_.push_back({header.centre, header.toward});
    }
}

ControllerPtr EncodedBatch::copy_of(std::int64_t controller) const
{
    if (controller == no_controller) {
        return nullptr;
    }
    auto const& raw = raw_[static_cast<std::size_t>(controller)];
    return std::make_shared<Controller const>(Controller{
        vector_of<Eigen::VectorXf>(raw.parameters),
        Normaliser{vector_of<Eigen::VectorXd>(raw.mean), vector_of<Eigen::VectorXd>(raw.std)}});
}

EpisodeSpec EncodedBatch::episode(std::int64_t index)
{
    auto const spec = episode_of(batch_, index);
    if (spec.group_index != loaded_group_) {
        if (loaded_group_ >= 0) {
            auto& old = batch_.groups[static_cast<std::size_t>(loaded_group_)];
            old.centre.reset();
            old.toward.reset();
        }
        auto const position = static_cast<std::size_t>(spec.group_index);
        batch_.groups[position].centre = copy_of(wanted_[position].centre);
        batch_.groups[position].toward = copy_of(wanted_[position].toward);
        loaded_group_ = spec.group_index;
    }
    return spec;
}

void append_outcome(std::vector<std::byte>& message, std::int64_t episode,
                    EpisodeOutcome const& outcome, std::span<double const> bc,
                    ObservationMoments const* observations)
{
    ByteCounter counter;
    put_outcome(counter, episode, outcome, bc, observations);
    auto const begin = message.size();
    message.resize(begin + counter.count());
    ByteWriter writer{std::span{message}.subspan(begin)};
    put_outcome(writer, episode, outcome, bc, observations);
}

std::int64_t read_outcomes(std::span<std::byte const> message, BatchResult& result)
{
    ByteReader reader{message};
    std::int64_t count = 0;
    for (; !reader.empty(); ++count) {
        auto const episode = reader.get<std::int64_t>();
        expects(episode >= 0 && episode < std::ssize(result.outcomes), "an episode of the batch");
        result.outcomes[static_cast<std::size_t>(episode)] = reader.get<EpisodeOutcome>();
        std::ranges::copy(reader.get_all<double>(), result.bc(episode).begin());
        if (reader.get<bool>()) {
            result.observations.push_back({episode, read_moments(reader)});
        }
    }
    return count;
}

}  // namespace mees
