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
    std::vector<std::int32_t> links;  ///< of each row's chain
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
    file.write(path, source.existing);
}

/// The files of write_onnx, the first link first: a single controller is in `path`, link i of a
/// chain in STEM_link<i>.onnx.
std::vector<fs::path> onnx_paths(Source const& source, std::int64_t row, fs::path const& path)
{
    auto const links = static_cast<std::size_t>(source.links.at(static_cast<std::size_t>(row)));
    std::vector<fs::path> paths(links, path);
    for (std::size_t i = 0; links > 1 && i < links; ++i) {
        paths[i].replace_filename(fmt::format("{}_link{}.onnx", path.stem().string(), i + 1));
    }
    return paths;
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
    } else if (auto const program = source.map.program();
               program && program->seconds_per_step > 0) {
        notes.emplace_back("control_period", fmt::format("{}", program->seconds_per_step));
    }
    auto const controller = source.map.controller(stored.row);
    auto const chain = chain_of(controller);
    auto const paths = onnx_paths(source, stored.row, path);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        auto link_notes = notes;
        if (chain.size() > 1) {
            link_notes.insert(link_notes.end(),
                              {{"link", fmt::format("{}", i + 1)},
                               {"links", fmt::format("{}", chain.size())},
                               {"chain_steps", fmt::format("{}", source.chain_steps)}});
        }
        auto const model =
            onnx_model(source.map.network(), *chain[i], source.observation_clip, link_notes);
        write_new_file(paths.at(i), model, source.existing);
    }
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
    return {map,
            settings.policy.observation_clip,
            settings.algorithm.chain_steps,
            existing,
            robot_of(map),
            map.links()};
}

/// Before the first of them is written, so that a refused export leaves none.
void require_outputs(Source const& source, std::vector<fs::path> const& paths)
{
    for (auto const& path : paths) {
        require_output(path, source.existing, source.map.file().path());
    }
}

fs::path stem_of(fs::path const& folder, CellId cell)
{
    return folder / fmt::format("cell_{:06}", cell.value());
}

std::vector<fs::path> paths_of_both(Source const& source, std::int64_t row, fs::path const& stem)
{
    auto paths = onnx_paths(source, row, fs::path{stem} += ".onnx");
    paths.push_back(fs::path{stem} += ".npz");
    return paths;
}

void write_both(Source const& source, StoredElite const& stored, fs::path const& stem)
{
    write_npz(source, stored, fs::path{stem} += ".npz");
    write_onnx(source, stored, fs::path{stem} += ".onnx");
}

std::string joined(std::vector<fs::path> const& paths)
{
    std::vector<std::string> texts;
    std::ranges::transform(paths, std::back_inserter(texts),
                           [](fs::path const& path) { return path.string(); });
    return fmt::format("{}", fmt::join(texts, ", "));
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
    auto const policy = stem_of(options.deploy, stored.cell) += ".onnx";
    auto const description = options.deploy / "deploy.yaml";
    auto const node = options.deploy / "mees_node.py";
    auto outputs = onnx_paths(source, stored.row, policy);
    std::vector<std::string> files;
    std::ranges::transform(outputs, std::back_inserter(files),
                           [](fs::path const& path) { return path.filename().string(); });
    outputs.insert(outputs.end(), {description, node});
    make_folder(options.deploy);
    require_outputs(source, outputs);
    write_onnx(source, stored, policy);
    write_new_file(description,
                   deploy_yaml(*source.robot, source.map, stored, files, source.chain_steps),
                   source.existing);
    write_new_file(node, std::string{ros_node()}, source.existing);
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
    auto const source = source_of(map, Existing::replace);
    auto paths = onnx_paths(source, stored.row, path);
    require_outputs(source, paths);
    write_onnx(source, stored, path);
    return paths;
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
        auto elites = map.elites();
        for (std::int64_t row = 0; auto const& [cell, elite] : elites) {
            require_outputs(source, paths_of_both(source, row++, stem_of(options.to, cell)));
        }
        for (std::int64_t row = 0; auto& [cell, elite] : elites) {
            write_both(source, {row++, cell, std::move(elite)}, stem_of(options.to, cell));
        }
        fmt::print(out, "{} controllers are in {}, each as .npz and .onnx\n", elites.size(),
                   options.to.string());
        return ExitCode::success;
    }
    auto const stored = choose_elite(map, options.cell);
    auto where = options.to.string();
    if (kind == ".npz") {
        require_outputs(source, {options.to});
        write_npz(source, stored, options.to);
    } else if (kind == ".onnx") {
        auto const paths = onnx_paths(source, stored.row, options.to);
        require_outputs(source, paths);
        write_onnx(source, stored, options.to);
        where = joined(paths);
    } else {
        auto const stem = stem_of(options.to, stored.cell);
        make_folder(options.to);
        require_outputs(source, paths_of_both(source, stored.row, stem));
        write_both(source, stored, stem);
    }
    fmt::print(out, "the controller of cell {} (fitness {:.6g}) is in {}\n", stored.cell.value(),
               stored.elite.fitness, where);
    return ExitCode::success;
}

}  // namespace mees::inspect
