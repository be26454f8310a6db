#include "mees/cluster/outcome_codec.hpp"

#include "mees/cluster/bytes.hpp"

namespace mees {
namespace {

template <class Sink>
void put_outcome(Sink& sink, EpisodeOutcome const& outcome, std::span<double const> bc,
                 ObservationMoments const* observations)
{
    sink.put(outcome);
    sink.put_all(bc);
    sink.put(observations != nullptr);
    if (observations != nullptr) {
        auto const size = static_cast<std::size_t>(observations->sum.size());
        sink.put(observations->count);
        sink.put_all(std::span<double const>{observations->sum.data(), size});
        sink.put_all(std::span<double const>{observations->sum_of_squares.data(), size});
    }
}

Eigen::VectorXd vector_of(std::span<double const> values)
{
    return Eigen::Map<Eigen::VectorXd const>{values.data(),
                                             static_cast<Eigen::Index>(values.size())};
}

ObservationMoments read_moments(ByteReader& reader)
{
    ObservationMoments moments;
    moments.count = reader.get<double>();
    moments.sum = vector_of(reader.get_all<double>());
    moments.sum_of_squares = vector_of(reader.get_all<double>());
    return moments;
}

}  // namespace

void append_outcome(std::vector<std::byte>& reply, EpisodeOutcome const& outcome,
                    std::span<double const> bc, ObservationMoments const* observations)
{
    ByteCounter counter;
    put_outcome(counter, outcome, bc, observations);
    auto const begin = reply.size();
    reply.resize(begin + counter.count());
    ByteWriter writer{std::span{reply}.subspan(begin)};
    put_outcome(writer, outcome, bc, observations);
}

void read_outcomes(std::span<std::byte const> reply, std::int64_t begin, std::int64_t end,
                   BatchResult& result)
{
    ByteReader reader{reply};
    for (auto episode = begin; episode < end; ++episode) {
        result.outcomes[static_cast<std::size_t>(episode)] = reader.get<EpisodeOutcome>();
        std::ranges::copy(reader.get_all<double>(), result.bc(episode).begin());
        if (reader.get<bool>()) {
            result.observations.push_back({episode, read_moments(reader)});
        }
    }
}

}  // namespace mees
