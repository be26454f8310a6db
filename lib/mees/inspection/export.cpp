#include "mees/core/atomic_file.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/inspection/detail/deploy.hpp"
#include "mees/inspection/detail/npz.hpp"
#include "mees/inspection/detail/onnx.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace mees::inspect {
namespace {

namespace fs = std::filesystem;

/// The map that controllers are exported from.
struct Source {
    MapReader const& map;
    double observation_clip;
    Existing existing;
    std::optional<RobotInterface> robot;
};

void write_npz(Source const& source, StoredElite const& stored, fs::path const& path)
{
    auto const& layers = source.map.network().layers();
    auto const controller = source.map.controller(stored.row);
    auto const& normaliser = controller->normaliser;
    auto const& elite = stored.elite;
    std::span rest{controller->parameters.data(),
                   static_cast<std::size_t>(controller->parameters.size())};
    auto const inputs = static_cast<std::size_t>(layers.front());
    NpzWriter file;
    file.add("layers", std::span{layers}, {std::ssize(layers)});
    for (std::size_t i = 1; i < layers.size(); ++i) {
        auto const weights = static_cast<std::size_t>(layers[i - 1] * layers[i]);
        auto const biases = static_cast<std::size_t>(layers[i]);
        file.add(fmt::format("weights_{}", i), rest.first(weights), {layers[i - 1], layers[i]});
        file.add(fmt::format("biases_{}", i), rest.subspan(weights, biases), {layers[i]});
        rest = rest.subspan(weights + biases);
    }
    file.add("observation_mean", std::span{normaliser.mean.data(), inputs}, {layers.front()});
    file.add("observation_std", std::span{normaliser.std.data(), inputs}, {layers.front()});
    file.add("observation_clip", std::span{&source.observation_clip, 1}, {});
    if (source.map.network().output() == OutputActivation::linear) {
        std::int64_t const linear = 1;
        file.add("output_linear", std::span{&linear, 1}, {});
    }
    file.add("bc", std::span{elite.bc}, {std::ssize(elite.bc)});
    file.add("fitness", std::span{&elite.fitness, 1}, {});
    auto const cell = stored.cell.value();
    file.add("cell", std::span{&cell, 1}, {});
    require_output(path, source.existing, source.map.file().path());
    file.write(path, source.existing);
}

void write_onnx(Source const& source, StoredElite const& stored, fs::path const& path)
{
    auto const& run = source.map.run();
    Notes notes{{"domain", run.domain},
                {"algorithm", run.algorithm},
                {"seed", fmt::format("{}", run.seed)},
                {"cell", fmt::format("{}", stored.cell.value())},
                {"generation", fmt::format("{}", stored.elite.generation.value())},
                {"fitness", fmt::format("{}", stored.elite.fitness)},
                {"bc", fmt::format("{}", fmt::join(stored.elite.bc, " "))},
                {"model_sha256", run.model_sha256}};
    if (source.robot) {
        std::ranges::move(robot_notes(*source.robot), std::back_inserter(notes));
    }
    auto const model = onnx_model(source.map.network(), *source.map.controller(stored.row),
                                  source.observation_clip, notes);
    require_output(path, source.existing, source.map.file().path());
    write_new_file(path, model, source.existing);
}

/// The robot of the map; empty where the map does not carry one that this program can interpret.
std::optional<RobotInterface> robot_of(MapReader const& map)
{
    try {
        auto const document = map.domain();
        return document ? std::optional{robot_interface(*document, map.file().path().string())}
                        : std::nullopt;
    } catch (FileError const&) {
        return std::nullopt;
    }
}

Source source_of(MapReader const& map, Existing existing)
{
    return {map, stored_settings(map.run()).policy.observation_clip, existing, robot_of(map)};
}

void write_both(Source const& source, StoredElite const& stored, fs::path const& folder)
{
    auto const stem = fmt::format("cell_{:06}", stored.cell.value());
    write_npz(source, stored, folder / (stem + ".npz"));
    write_onnx(source, stored, folder / (stem + ".onnx"));
}

void make_folder(fs::path const& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw FileError{fmt::format("cannot create the folder {}", folder.string()),
                        error.message(), "Choose another one with --out."};
    }
}

ExitCode deploy(Source const& source, ExportOptions const& options, std::ostream& out)
{
    if (!source.robot) {
        if (auto const document = source.map.domain()) {
            static_cast<void>(robot_interface(*document, source.map.file().path().string()));
        }
        throw FileError{
            fmt::format("cannot deploy from {}", source.map.file().path().string()),
            "the map does not carry its robot, so the meaning of inputs and outputs is not known",
            "Use --out, which exports the controller alone."};
    }
    auto const stored = choose_elite(source.map, options.cell);
    auto const policy = fmt::format("cell_{:06}.onnx", stored.cell.value());
    make_folder(options.deploy);
    auto const write = [&](char const* name, std::string const& content) {
        auto const path = options.deploy / name;
        require_output(path, source.existing, source.map.file().path());
        write_new_file(path, content, source.existing);
    };
    write_onnx(source, stored, options.deploy / policy);
    write("deploy.yaml", deploy_yaml(*source.robot, source.map, stored, policy));
    write("mees_node.py", std::string{ros_node()});
    fmt::print(out,
               "the controller of cell {} (fitness {:.6g}) is in {}: {}, deploy.yaml and the "
               "example mees_node.py\n",
               stored.cell.value(), stored.elite.fitness, options.deploy.string(), policy);
    return ExitCode::success;
}

}  // namespace

void export_onnx(MapReader const& map, CellId cell, fs::path const& path)
{
    auto const stored = choose_elite(map, fmt::format("{}", cell.value()));
    write_onnx(source_of(map, Existing::replace), stored, path);
}

ExitCode export_controllers(fs::path const& file, ExportOptions const& options, std::ostream& out)
{
    MapReader const map{file};
    auto const source = source_of(map, options.existing);
    if (!options.deploy.empty()) {
        return deploy(source, options, out);
    }
    auto const kind = options.to.extension();
    bool const single = kind == ".npz" || kind == ".onnx";
    if (options.cell == "all") {
        if (single) {
            throw ConfigError{
                fmt::format("cannot export all controllers to {}", options.to.string()),
                "a .npz or .onnx file stores one", "Give a folder with --out."};
        }
        make_folder(options.to);
        std::int64_t row = 0;
        for (auto& [cell, elite] : map.elites()) {
            write_both(source, {row++, cell, std::move(elite)}, options.to);
        }
        fmt::print(out, "{} controllers are in {}, each as .npz and .onnx\n", row,
                   options.to.string());
        return ExitCode::success;
    }
    auto const stored = choose_elite(map, options.cell);
    if (kind == ".npz") {
        write_npz(source, stored, options.to);
    } else if (kind == ".onnx") {
        write_onnx(source, stored, options.to);
    } else {
        make_folder(options.to);
        write_both(source, stored, options.to);
    }
    fmt::print(out, "the controller of cell {} (fitness {:.6g}) is in {}\n", stored.cell.value(),
               stored.elite.fitness, options.to.string());
    return ExitCode::success;
}

}  // namespace mees::inspect
