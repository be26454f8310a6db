#include "mees/programs/detail/self_test.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/core/stream.hpp"
#include "mees/core/version.hpp"
#include "mees/programs/detail/training.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>

namespace mees {
namespace {

constexpr std::string_view configuration = R"(run.generations = 4
domain.name = "point_maze"
policy.hidden = [8]
noise.table_size = 10_000
es.population = 8
algorithm.n_eval = 2
algorithm.n_optim_gens = 2
)";
constexpr int generations = 4;
constexpr int steps_of_a_domain = 10;

/// A new folder for temporary files; the destructor removes it with its content.
class TemporaryFolder {
  public:
    TemporaryFolder()
    {
        char const* const given = std::getenv("TMPDIR");
        std::string const parent = given != nullptr && *given != '\0' ? given : "/tmp";
        auto name = parent + "/mees-self-test-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) {
            throw WriteError{fmt::format("cannot create a folder in {}", parent),
                             std::strerror(errno),
                             "Set TMPDIR to a folder that is writable and has free space."};
        }
        path_ = name;
    }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;
    ~TemporaryFolder()
    {
        log::close_file();
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// The first block of Philox with counter and key 0, as published with Random123.
void require_random_numbers()
{
    if (philox({0, 0, 0, 0}, {0, 0})
        != std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}) {
        throw SimulationError{"wrong random numbers",
                              "Philox4x32-10 does not give the published values",
                              "Build mees again with another compiler or less optimisation."};
    }
}

std::vector<std::string> check_domains(DomainRegistry const& domains)
{
    std::vector<std::string> checked;
    for (auto const& [name, uses] : domains.known()) {
        if (!domains.reads_model_file(name) && !domains.starts_command(name)) {
            DomainSettings settings;
            settings.name = name;
            require_working(*domains.make(settings));
            checked.push_back(name);
        }
    }
    return checked;
}

/// The runs of the test: rank 0's own, and that of all ranks, which stops and resumes.
class Training {
  public:
    Training(ClusterRuntime& runtime, unsigned threads, Catalogue const& catalogue)
        : runtime_{runtime}, threads_{threads}, catalogue_{catalogue}
    {
        if (runtime.is_master()) {
            write_file(folder_.emplace().path() / "small.toml", configuration);
        }
    }

    [[nodiscard]] ExitCode alone()
    {
        auto options = options_for("alone", generations);
        options.threads = 1;
        return runtime_.is_master() ? train_alone(options, catalogue_, silent_) : ExitCode::success;
    }
    [[nodiscard]] ExitCode together(int until)
    {
        return train(runtime_, options_for("together", until), catalogue_, silent_);
    }
    [[nodiscard]] std::filesystem::path map(std::string_view name) const
    {
        return folder_->path() / name / "map.h5";
    }

  private:
    [[nodiscard]] MasterOptions options_for(std::string_view name, int until) const
    {
        MasterOptions options;
        if (folder_) {
            options.config = folder_->path() / "small.toml";
            options.out = folder_->path() / name;
        }
        options.overrides = {fmt::format("run.generations={}", until)};
        options.threads = threads_;
        return options;
    }

    ClusterRuntime& runtime_;
    unsigned threads_;
    Catalogue const& catalogue_;
    std::optional<TemporaryFolder> folder_;  ///< of rank 0
    std::ostringstream silent_;
};

/// The generation of a checkpoint that is intact in every part.
std::int64_t generation_of(std::filesystem::path const& map)
{
    return read_map(map).state.generation.value();
}

}  // namespace

void require_working(Domain const& domain)
{
    auto const& spec = domain.spec();
    auto const task = domain.make_task();
    Stream stream{1, Purpose::test, Generation{0}};
    task->reset(stream);
    std::vector<double> const action(static_cast<std::size_t>(spec.action_size), 0.1);
    std::vector<double> numbers(static_cast<std::size_t>(spec.observation_size));
    for (int i = 0; i < steps_of_a_domain && !task->terminated(); ++i) {
        task->step(action);
    }
    task->observe(numbers);
    numbers.push_back(task->fitness());
    if (task->diverged()
        || !std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) {
        throw SimulationError{
            fmt::format("the domain {} does not work", spec.name),
            fmt::format("after {} control steps a number is not finite", steps_of_a_domain),
            "Check the MuJoCo that mees_master --version names."};
    }
}

void require_same_bits(std::filesystem::path const& left, std::filesystem::path const& right)
{
    if (auto const differences = diff(left, right); !differences.empty()) {
        throw ClusterError{"two runs of the same configuration differ", differences.front(),
                           "Report this with the output of mees_master --version."};
    }
}

ExitCode self_test(ClusterRuntime& runtime, unsigned threads, Catalogue const& catalogue,
                   std::ostream& out)
{
    Stopwatch const watch;
    std::ostringstream unheard;
    auto& report = runtime.is_master() ? out : unheard;
    auto const passed = [&](std::string_view what, std::string_view how) {
        report << fmt::format("{:<15}{}", what, how) << std::endl;
    };
    passed("mees_master",
           fmt::format("{}, ranks: {}, nodes: {}", version(), runtime.size(), runtime.nodes()));
    require_random_numbers();
    auto const domains = check_domains(catalogue.domains);
    runtime.barrier();
    passed("domains", fmt::format("{}", fmt::join(domains, ", ")));

    Training training{runtime, threads, catalogue};
    if (auto const code = training.alone(); code != ExitCode::success) {
        return code;
    }
    passed("training", fmt::format("{} generations on one thread", generations));
    for (int const until : {generations / 2, generations}) {
        if (auto const code = training.together(until); code != ExitCode::success) {
            return code;
        }
        if (runtime.is_master() && generation_of(training.map("together")) != until) {
            throw FileError{"the checkpoint is not that of the last generation",
                            training.map("together").string(), "Check the file system of TMPDIR."};
        }
        passed("checkpoint", fmt::format("written and read back at generation {}", until));
    }
    if (runtime.is_master()) {
        require_same_bits(training.map("alone"), training.map("together"));
    }
    passed("resume",
           fmt::format("bit-identical, {}", runtime.size() > 1 ? "on all ranks" : "on threads"));
    passed("passed", fmt::format("in {:.1f} s{}", watch.seconds(),
                                 runtime.size() > 1
                                     ? ""
                                     : "; mpirun -n 3 mees_master --self-test tests MPI as well"));
    return ExitCode::success;
}

}  // namespace mees
