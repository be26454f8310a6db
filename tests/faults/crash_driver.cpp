// What mees_master does to its run folder, without a search: resumes from what is there, writes a
// checkpoint that is a generation further, and prints the generation it resumed from ("-": none).
// Small and fast, for killing it at every call that changes the folder.

#include "mees/experiment/run_folder.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "storage/samples.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv)
{
    using namespace mees;
    try {
        RunFolder folder{argc > 1 ? argv[1] : ".", Resume::automatic};
        auto const checkpoint = folder.take_checkpoint();
        auto const generations = checkpoint ? std::ssize(checkpoint->state.history) : 0;
        CheckpointWriter writer{folder.path(), {}, [&] { folder.require_in_place(); }};
        writer.save(test::sample_document(1, {.generations = generations + 1}));
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
