#include "mees/storage/trial_file.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/storage/detail/run_attributes.hpp"
#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/recovery_file.hpp"

namespace mees {
namespace {

constexpr FileKind trial_kind{trial_filetype, trial_format_version, "an adapt.h5 of --ask"};

/// The settings, but for the acquisition's name and alpha, which 0 means to be absent.
template <class Attributes, class Settings>
void optimiser_attributes(Attributes const& attributes, Settings& settings)
{
    attributes("rho", settings.rho);
    attributes("kappa", settings.kappa);
    attributes("noise_variance", settings.noise_variance);
    attributes("trials", settings.trials, layout::Range{1, most});
}

template <class Table>
void outside_trial_columns(Table const& table, std::int64_t maps)
{
    auto const tried = [](auto member) {
        return [member](auto& trial) -> auto&
        {
            return trial.tried.*member;
        };
    };
    table.column("/trials/map", tried(&Proposal::map), {0, maps - 1});
    table.column("/trials/cell", tried(&Proposal::cell));
    table.column("/trials/predicted", tried(&Proposal::predicted));
    table.column("/trials/variance", tried(&Proposal::variance));
    table.column("/trials/fitness", &EnsembleTrial::fitness);
}

/// The trial that is asked for, as attributes of /trials.
template <class Attributes, class Asked>
void asked_attributes(Attributes const& attributes, Asked& asked, std::int64_t maps)
{
    attributes("asked_map", asked.map, {0, maps - 1});
    attributes("asked_cell", asked.cell);
    attributes("asked_predicted", asked.predicted);
    attributes("asked_variance", asked.variance);
}

void write_trial_content(std::filesystem::path const& path, TrialDocument const& document)
{
    auto const& settings = document.settings;
    auto const maps = std::ssize(document.map_sha256);
    hdf5::Writer file{path};
    write_run_attributes(file, trial_kind, document.run, {document.generation});
    file.attribute("/", "map_sha256", document.map_sha256);
    optimiser_attributes(layout::AttributeWriter{file, "/"}, settings);
    file.attribute("/", "acquisition", std::string_view{name_of(settings.acquisition)});
    file.attribute("/", "alpha", settings.alpha.value_or(0));
    file.group("/trials");
    if (document.asked) {
        asked_attributes(layout::AttributeWriter{file, "/trials"}, *document.asked, maps);
    }
    outside_trial_columns(layout::ColumnWriter{file, document.trials}, maps);
    file.finish();
}

MapOptimiserSettings read_optimiser_settings(hdf5::Reader const& file)
{
    MapOptimiserSettings settings;
    optimiser_attributes(layout::AttributeReader{file, "/"}, settings);
    require(file, settings.rho > 0 && settings.noise_variance > 0,
            "/@rho or /@noise_variance is not positive");
    auto const acquisition = file.text("/", "acquisition");
    require(file, acquisition == "variance" || acquisition == "std",
            "/@acquisition is neither variance nor std");
    settings.acquisition = acquisition == "std" ? Acquisition::std : Acquisition::variance;
    if (double const alpha = file.real("/", "alpha"); alpha != 0) {
        settings.alpha = alpha;
    }
    return settings;
}

}  // namespace

void write_trials(std::filesystem::path const& path, TrialDocument const& document)
{
    AtomicFile file{path};
    write_trial_content(file.temporary(), document);
    file.commit();
}

TrialDocument read_trials(std::filesystem::path const& path)
{
    hdf5::Reader const file{path};
    static_cast<void>(read_format_version(file, trial_kind));
    require_intact(file);
    TrialDocument document;
    document.run = read_run_attributes(file);
    document.generation = Generation{file.integer("/", "generation")};
    document.map_sha256 = file.texts("/", "map_sha256");
    require(file, !document.map_sha256.empty(), "/@map_sha256 is empty");
    document.settings = read_optimiser_settings(file);
    auto const maps = std::ssize(document.map_sha256);
    document.trials.resize(file.values<double>("/trials/fitness").size());
    outside_trial_columns(layout::ColumnReader{file, std::span{document.trials}}, maps);
    if (file.has_attribute("/trials", "asked_cell")) {
        asked_attributes(layout::AttributeReader{file, "/trials"}, document.asked.emplace(), maps);
    }
    return document;
}

}  // namespace mees
