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
    std::int64_t chain_steps;
    Existing existing;
    std::optional<RobotInterface> robot;
};

/// The chain that ends with `last`, the first link first.
std::vector<Controller const*> chain_of(ControllerPtr const& last)
{
    std::vector<Controller const*> links;
    for (auto const* link = last.get(); link != nullptr; link = link->before.get()) {
        links.push_back(link);
    }
    std::ranges::reverse(links);
    return links;
}

/// Adds the arrays of one network; `prefix` precedes their names.
void add_network(NpzWriter& file, std::string const& prefix,
                 std::vector<std::int64_t> const& layers, Controller const& controller)
{
    auto const& normaliser = controller.normaliser;
    std::span rest{controller.parameters.data(),
                   static_cast<std::size_t>(controller.parameters.size())};
    auto const inputs = static_cast<std::size_t>(layers.front());
    for (std::size_t i = 1; i < layers.size(); ++i) {
        auto const weights = static_cast<std::size_t>(layers[i - 1] * layers[i]);
        auto const biases = static_cast<std::size_t>(layers[i]);
        file.add(fmt::format("{}weights_{}", prefix, i), rest.first(weights),
                 {layers[i - 1], layers[i]});
        file.add(fmt::format("{}biases_{}", prefix, i), rest.subspan(weights, biases), {layers[i]});
        rest = rest.subspan(weights + biases);
    }
    file.add(prefix + "observation_mean", std::span{normaliser.mean.data(), inputs},
             {layers.front()});
    file.add(prefix + "observation_std", std::span{normaliser.std.data(), inputs},
             {layers.front()});
}

void write_npz(Source const& source, StoredElite const& stored, fs::path const& path)
{
    auto const& layers = source.map.network().layers();
    auto const controller = source.map.controller(stored.row);
    auto const chain = chain_of(controller);
    auto const& elite = stored.elite;
    NpzWriter file;
    file.add("layers", std::span{layers}, {std::ssize(layers)});
    add_network(file, "", layers, *controller);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        add_network(file, fmt::format("link_{}_", i + 1), layers, *chain[i]);
    }
    if (chain.size() > 1) {
        auto const links = std::ssize(chain);
        file.add("links", std::span{&links, 1}, {});
        file.add("chain_steps", std::span{&source.chain_steps, 1}, {});
    }
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

/// Writes a file per link; returns their paths, the first link first. A single controller is in
/// `path`, link i of a chain in STEM_link<i>.onnx.
std::vector<fs::path> write_onnx(Source const& source, StoredElite const& stored,
                                 fs::path const& path)
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
    auto const controller = source.map.controller(stored.row);
    auto const chain = chain_of(controller);
    std::vector<fs::path> paths(chain.size(), path);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        auto link_notes = notes;
        if (chain.size() > 1) {
            paths[i].replace_filename(fmt::format("{}_link{}.onnx", path.stem().string(), i + 1));
            link_notes.insert(link_notes.end(),
                              {{"link", fmt::format("{}", i + 1)},
                               {"links", fmt::format("{}", chain.size())},
                               {"chain_steps", fmt::format("{}", source.chain_steps)}});
        }
        auto const model =
            onnx_model(source.map.network(), *chain[i], source.observation_clip, link_notes);
        require_output(paths[i], source.existing, source.map.file().path());
        write_new_file(paths[i], model, source.existing);
    }
    return paths;
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
    auto const settings = stored_settings(map.run());
    return {map, settings.policy.observation_clip, settings.algorithm.chain_steps, existing,
            robot_of(map)};
}

void write_both(Source const& source, StoredElite const& stored, fs::path const& folder)
{
    auto const stem = fmt::format("cell_{:06}", stored.cell.value());
    write_npz(source, stored, folder / (stem + ".npz"));
    write_onnx(source, stored, folder / (stem + ".onnx"));
}

std::string joined(std::vector<fs::path> const& paths)
{
    std::vector<std::string> texts;
    std::ranges::transform(paths, std::back_inserter(texts),
                           [](fs::path const& path) { return path.string(); });
    return fmt::format("{}", fmt::join(texts, ", "));
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
    std::vector<std::string> files;
    for (auto const& path : write_onnx(source, stored, options.deploy / policy)) {
        files.push_back(path.filename().string());
    }
    write("deploy.yaml", deploy_yaml(*source.robot, source.map, stored, files, source.chain_steps));
    write("mees_node.py", std::string{ros_node()});
    fmt::print(out,
               "the controller of cell {} (fitness {:.6g}) is in {}: {}, deploy.yaml and the "
               "example mees_node.py\n",
               stored.cell.value(), stored.elite.fitness, options.deploy.string(),
               fmt::join(files, ", "));
    return ExitCode::success;
}

}  // namespace

std::vector<fs::path> export_onnx(MapReader const& map, CellId cell, fs::path const& path)
{
    auto const stored = choose_elite(map, fmt::format("{}", cell.value()));
    return write_onnx(source_of(map, Existing::replace), stored, path);
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
    auto where = options.to.string();
    if (kind == ".npz") {
        write_npz(source, stored, options.to);
    } else if (kind == ".onnx") {
        where = joined(write_onnx(source, stored, options.to));
    } else {
        make_folder(options.to);
        write_both(source, stored, options.to);
    }
    fmt::print(out, "the controller of cell {} (fitness {:.6g}) is in {}\n", stored.cell.value(),
               stored.elite.fitness, where);
    return ExitCode::success;
}

}  // namespace mees::inspect
