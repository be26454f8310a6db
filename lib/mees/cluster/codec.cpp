#include "mees/cluster/codec.hpp"

#include "mees/core/eigen_span.hpp"

#include <unordered_map>
#include <utility>

namespace mees {
namespace {

constexpr std::int64_t none = -1;

/// The part of a group that has a fixed size.
struct GroupHeader {
    std::int64_t centre;
    std::int64_t scale;
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

/// Distinct objects in order of first use.
template <class Object>
class DistinctObjects {
  public:
    void add(Object const* object)
    {
        if (object != nullptr
            && numbers_.try_emplace(object, static_cast<std::int64_t>(objects_.size())).second) {
            objects_.push_back(object);
        }
    }
    [[nodiscard]] std::int64_t find(Object const* object) const
    {
        return object == nullptr ? none : numbers_.at(object);
    }
    [[nodiscard]] std::vector<Object const*> const& objects() const { return objects_; }

  private:
    std::unordered_map<Object const*, std::int64_t> numbers_;
    std::vector<Object const*> objects_;
};

/// What the groups of a batch share.
struct SharedObjects {
    explicit SharedObjects(Batch const& batch)
    {
        for (auto const& group : batch.groups) {
            add_chain(group.centre.get());
            vectors.add(group.scale.get());
            for (auto const& vector : group.basis) {
                vectors.add(vector.get());
            }
        }
    }

    /// A controller after the links before it.
    void add_chain(Controller const* controller)
    {
        if (controller != nullptr) {
            add_chain(controller->before.get());
            controllers.add(controller);
        }
    }

    DistinctObjects<Controller> controllers;
    DistinctObjects<Eigen::VectorXf> vectors;
};

GroupHeader header_of(Group const& group, SharedObjects const& shared)
{
    return {.centre = shared.controllers.find(group.centre.get()),
            .scale = shared.vectors.find(group.scale.get()),
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
    SharedObjects const shared{batch};
    sink.put(batch.seed);
    sink.put(shared.controllers.objects().size());
    sink.put(shared.vectors.objects().size());
    sink.put(batch.groups.size());
    for (auto const* controller : shared.controllers.objects()) {
        sink.put_all(span_of(controller->parameters));
        sink.put_all(span_of(controller->normaliser.mean));
        sink.put_all(span_of(controller->normaliser.std));
        sink.put(shared.controllers.find(controller->before.get()));
    }
    for (auto const* vector : shared.vectors.objects()) {
        sink.put_all(span_of(*vector));
    }
    for (auto const& group : batch.groups) {
        std::vector<std::int64_t> basis;
        for (auto const& vector : group.basis) {
            basis.push_back(shared.vectors.find(vector.get()));
        }
        sink.put(header_of(group, shared));
        sink.put_all(std::span{group.offsets});
        sink.put_all(std::span{std::as_const(basis)});
        sink.put_all(std::span{group.coefficients});
    }
}

Group group_of(GroupHeader const& header)
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
    vectors_.resize(reader.get<std::size_t>());
    auto const groups = reader.get<std::size_t>();
    for (auto& raw : raw_) {
        raw.parameters = reader.get_all<float>();
        raw.mean = reader.get_all<double>();
        raw.std = reader.get_all<double>();
        raw.before = reader.get<std::int64_t>();
    }
    for (auto& vector : vectors_) {
        vector = reader.get_all<float>();
    }
    for (std::size_t i = 0; i < groups; ++i) {
        auto const header = reader.get<GroupHeader>();
        auto& group = batch_.groups.emplace_back(group_of(header));
        auto const offsets = reader.get_all<NoiseOffset>();
        group.offsets.assign(offsets.begin(), offsets.end());
        auto const basis = reader.get_all<std::int64_t>();
        group.basis.resize(basis.size());
        auto const coefficients = reader.get_all<float>();
        group.coefficients.assign(coefficients.begin(), coefficients.end());
        wanted_.push_back({header.centre, header.scale, basis});
    }
}

ControllerPtr EncodedBatch::copy_of(std::int64_t controller) const
{
    if (controller == none) {
        return nullptr;
    }
    auto const& raw = raw_[static_cast<std::size_t>(controller)];
    return std::make_shared<Controller const>(Controller{
        vector_of<Eigen::VectorXf>(raw.parameters),
        Normaliser{vector_of<Eigen::VectorXd>(raw.mean), vector_of<Eigen::VectorXd>(raw.std)},
        copy_of(raw.before)});
}

/// Without its parameters.
ControllerPtr EncodedBatch::centre_of(std::int64_t controller) const
{
    auto const& raw = raw_[static_cast<std::size_t>(controller)];
    return std::make_shared<Controller const>(Controller{
        {},
        Normaliser{vector_of<Eigen::VectorXd>(raw.mean), vector_of<Eigen::VectorXd>(raw.std)},
        copy_of(raw.before)});
}

ParametersPtr EncodedBatch::copy_of_vector(std::int64_t vector) const
{
    return vector == none ? nullptr
                          : std::make_shared<Eigen::VectorXf const>(vector_of<Eigen::VectorXf>(
                              vectors_[static_cast<std::size_t>(vector)]));
}

void EncodedBatch::load(std::size_t position)
{
    auto const& wanted = wanted_[position];
    auto& group = batch_.groups[position];
    group.centre = centre_of(wanted.centre);
    group.scale = copy_of_vector(wanted.scale);
    std::ranges::transform(wanted.basis, group.basis.begin(),
                           [&](auto vector) { return copy_of_vector(vector); });
}

EpisodeSpec EncodedBatch::episode(std::int64_t index)
{
    auto spec = episode_of(batch_, index);
    if (spec.group_index != loaded_group_) {
        if (loaded_group_ >= 0) {
            auto& old = batch_.groups[static_cast<std::size_t>(loaded_group_)];
            old.centre.reset();
            old.scale.reset();
            std::ranges::fill(old.basis, nullptr);
        }
        load(static_cast<std::size_t>(spec.group_index));
        loaded_group_ = spec.group_index;
    }
    auto const centre = wanted_[static_cast<std::size_t>(spec.group_index)].centre;
    spec.centre = raw_[static_cast<std::size_t>(centre)].parameters;
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
