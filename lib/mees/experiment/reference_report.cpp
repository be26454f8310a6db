#include "mees/experiment/reference_report.hpp"

#include "mees/sim/reference.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace mees {
namespace {

void write_row(std::ostream& out, Deviation const& deviation)
{
    out << fmt::format("  {:<20} {:>16.1e} {:>12.1e}   {}\n", deviation.quantity, deviation.early,
                       deviation.all,
                       deviation.first_beyond ? std::to_string(*deviation.first_beyond) : "-");
}

void write_check(std::ostream& out, std::filesystem::path const& file, Recording const& recording,
                 ReferenceCheck const& check)
{
    out << fmt::format("{}: {}, {} steps, recorded with MuJoCo {}\n", file.string(),
                       recording.domain, recording.steps, recording.engine_version);
    if (recording.engine_version != engine_version()) {
        out << fmt::format("  this build runs MuJoCo {}: only the same version follows exactly\n",
                           engine_version());
    }
    out << fmt::format(
        "  {:<20} {:>16} {:>12}   beyond {:g} at step\n", "largest deviation",
        fmt::format("first {} steps", std::min(ReferenceCheck::early_steps, recording.steps)),
        "all steps", ReferenceCheck::tolerance);
    Deviation model{.quantity = "model"};
    for (auto const& deviation : check.model) {
        model.early = std::max(model.early, deviation.early);
        if (deviation.early > ReferenceCheck::model_tolerance) {
            write_row(out, {"model/" + deviation.quantity, deviation.early, deviation.all, {}});
        }
    }
    model.all = model.early;
    write_row(out, model);
    for (auto const& deviation : check.trajectory) {
        write_row(out, deviation);
    }
    out << (check.passed() ? "  reproduced\n" : "  NOT reproduced\n");
    if (!check.passed() && recording.config.empty()) {
        out << "  the file holds no configuration: its domain was set up by default (no damage, "
               "the "
               "model's integrator)\n";
    }
}

}  // namespace

ExitCode report_references(std::vector<std::filesystem::path> const& files, std::ostream& out,
                           std::ostream& errors)
{
    bool all_reproduced = true;
    bool all_usable = true;
    for (auto const& file : files) {
        std::string place;  // What is wrong with the file itself names it.
        try {
            auto const recording = read_recording(file);
            place = file.string() + ": ";
            auto const check = check_reference(recording);
            write_check(out, file, recording, check);
            all_reproduced = all_reproduced && check.passed();
        } catch (FileError const& error) {
            errors << fmt::format("mees_replay: error: {}{}\n", place, error.what());
            all_usable = false;
        }
    }
    if (!all_usable) {
        return ExitCode::unusable_file;
    }
    return all_reproduced ? ExitCode::success : ExitCode::failure;
}

}  // namespace mees
