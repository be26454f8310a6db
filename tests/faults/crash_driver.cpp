// What mees_master does to its run folder, without a search: resumes from what is there, writes a
// checkpoint that is a generation further, and prints the generation it resumed from ("-": none).
// With a second argument it writes three, of which two are change files, and then merges them.
// Small and fast, for killing it at every call that changes the folder.

#include "mees/experiment/run_folder.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "storage/samples.hpp"

#include <chrono>
#include <exception>
#include <iostream>
#include <thread>

namespace {

using namespace mees;

void save_and_wait(CheckpointWriter& writer, MapDocument const& document)
{
    auto const generation = document.state.history.back().generation;
    writer.save(document);
    for (int i = 0; i < 1000 && writer.saved() != generation; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
}

/// A map of 500 kB, of which each generation changes 3 %.
MapDocument first_state()
{
    return test::sample_document(
        1, {.elites = 30, .generations = 1, .emitters = 0, .layers = {3, 60, 60, 2}});
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        bool const with_changes = argc > 2;
        RunFolder folder{argc > 1 ? argv[1] : ".", Resume::automatic};
        auto const checkpoint = folder.take_checkpoint();
        auto const generations = checkpoint ? std::ssize(checkpoint->state.history) : 0;
        CheckpointWriter writer{folder.path(),
                                {.changes_above_megabytes = with_changes ? 0.001 : 0},
                                [&] { folder.require_in_place(); }};
        if (with_changes) {
            auto document = checkpoint ? test::next_generation(*checkpoint) : first_state();
            for (int i = 0; i < 2; ++i) {
                save_and_wait(writer, document);
                document = test::next_generation(document);
            }
            save_and_wait(writer, document);
        } else {
            writer.save(test::sample_document(1, {.generations = generations + 1}));
        }
        if (auto const failure = writer.wait()) {
            std::cerr << *failure << '\n';
            return 1;
        }
        std::cout << (checkpoint ? std::to_string(generations - 1) : "-") << '\n';
        return 0;
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
