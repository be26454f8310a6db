#include "algorithms/function_evaluator.hpp"

namespace mees::test {
namespace {

class Bits {
  public:
    template <class T>
    void add(T const& value)
    {
        auto const* bytes = reinterpret_cast<unsigned char const*>(&value);
        for (std::size_t i = 0; i < sizeof value; ++i) {
            hash_ = (hash_ ^ bytes[i]) * 0x100000001b3U;
        }
    }
    template <class Vector>
    void add_all(Vector const& values)
    {
        for (auto const& value : values) {
            add(value);
        }
    }
    /// Earlier links of a chain.
    void add(ControllerPtr const& before)
    {
        for (auto const* link = before.get(); link != nullptr; link = link->before.get()) {
            add_all(link->parameters);
            add_all(link->normaliser.mean);
            add_all(link->normaliser.std);
        }
    }
    void add(std::optional<CellId> const& cell) { add(cell ? cell->value() : std::int64_t{-1}); }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

  private:
    std::uint64_t hash_{0xcbf29ce484222325U};  // FNV-1a
};

}  // namespace

std::uint64_t fingerprint(State const& state)
{
    Bits bits;
    bits.add(state.generation.value());
    bits.add(state.evaluated);
    for (auto const& [cell, elite] : state.map.elites()) {
        bits.add(cell.value());
        bits.add_all(elite.controller->parameters);
        bits.add_all(elite.controller->normaliser.mean);
        bits.add_all(elite.controller->normaliser.std);
        bits.add(elite.controller->before);
        bits.add_all(elite.bc);
        bits.add(elite.fitness);
        bits.add(elite.fitness_std);
        bits.add(elite.novelty);
        bits.add(elite.generation.value());
        bits.add(elite.parent_cell);
        bits.add(elite.inserted);
        if (elite.optimiser) {
            bits.add(elite.optimiser->steps);
            bits.add_all(elite.optimiser->first_moment);
        }
    }
    bits.add_all(state.archive.entries());
    bits.add_all(state.archive_fitness);
    for (auto const& [cell, threshold] : state.thresholds) {
        bits.add(cell.value());
        bits.add(threshold);
    }
    bits.add(state.observations.count);
    bits.add_all(state.observations.sum);
    bits.add_all(state.observations.sum_of_squares);
    for (auto const& emitter : state.emitters) {
        bits.add_all(emitter.theta);
        bits.add(emitter.before);
        bits.add(emitter.optimiser.steps);
        bits.add_all(emitter.optimiser.first_moment);
        bits.add_all(emitter.optimiser.second_moment);
        if (emitter.cma.covariance.size() != 0) {
            bits.add(emitter.cma.sigma);
            bits.add(emitter.cma.updates);
            bits.add_all(emitter.cma.mean);
            bits.add_all(emitter.cma.step_path);
            bits.add_all(emitter.cma.covariance_path);
            bits.add_all(emitter.cma.covariance);
        }
        bits.add(emitter.parent_cell);
        bits.add(emitter.stagnation);
        bits.add(emitter.novelty);
    }
    for (auto const& candidate : state.candidates) {
        bits.add_all(candidate.controller->parameters);
        bits.add(candidate.controller->before);
        bits.add(candidate.parent_cell);
    }
    for (auto const& row : state.history) {
        bits.add(row.generation.value());
        bits.add(row.mode);
        bits.add(row.parent_cell);
        bits.add(row.fitness);
        bits.add(row.novelty);
        bits.add(row.best);
        bits.add(row.coverage);
        bits.add(row.qd_score);
        bits.add(row.weight);
        bits.add(row.episodes);
        bits.add(row.steps);
    }
    bits.add(state.nsra.weight);
    bits.add(state.nsra.best);
    return bits.hash();
}

}  // namespace mees::test
