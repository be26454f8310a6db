#include "mees/core/atomic_file.hpp"
#include "mees/core/process.hpp"
#include "mees/programs/detail/command_line.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/programs.hpp"
#include "mees/viewer/content.hpp"
#include "mees/viewer/server.hpp"

#include <fmt/format.h>

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace mees {
namespace {

constexpr char const* description =
    R"(Show maps in a browser: click a cell to see its robot walk, damage it, let it recover.)";
constexpr char const* footer =
    R"(The first line of the output is the URL, the second an ssh command that forwards the port from
another machine. The page is served on 127.0.0.1 only, until SIGINT or SIGTERM.
Exit codes: 0 done; 2 invalid command line or port; 3 unusable file, or the page is not built.)";

struct ViewOptions {
    std::vector<std::filesystem::path> maps;
    int port{0};
    bool open{true};
    std::filesystem::path page;  ///< to write instead of serving; empty: serve
    Existing existing{Existing::keep};
    std::string cells{"best:100"};
};

Parsed<ViewOptions> parse_options(int argc, char const* const* argv)
{
    ViewOptions options;
    CommandLine line{"mees_view", description, footer};
    auto& app = line.app();
    app.add_option("maps", options.maps, "Run folders or map files")
        ->type_name("RUN_OR_MAP")
        ->required();
    app.add_option("--port", options.port, "Port on 127.0.0.1; 0: a free one [0]")
        ->type_name("N")
        ->check(CLI::Range(0, 65535));
    app.add_flag("!--no-open", options.open, "Do not open a browser");
    auto* const page =
        app.add_option("--export", options.page,
                       "Write one self-contained page, which needs no server, and exit")
            ->type_name("PAGE.html");
    add_force(app, options.existing)->needs(page);
    app.add_option("--cells", options.cells,
                   "Controllers in the exported page: best:N, all, or cell numbers [best:100]")
        ->type_name("CELLS")
        ->needs(page);
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    if (!options.page.empty() && options.maps.size() != 1) {
        throw ConfigError{"invalid command line", "an exported page contains one map",
                          "Name one map with --export."};
    }
    return {std::move(options), {}};
}

void write_page(ViewOptions const& options)
{
    require_output(options.page, options.existing);
    viewer::Library const library{options.maps};
    auto const rows = viewer::choose_rows(library.current(0)->reader, options.cells);
    auto const page = viewer::self_contained_page(viewer::load_page(), library, rows);
    write_new_file(options.page, page, options.existing);
    std::cout << fmt::format("wrote {} with {} controllers ({:.1f} MB)\n", options.page.string(),
                             rows.size(), static_cast<double>(page.size()) / 1e6);
}

std::string user_name()
{
    auto const* const entry = ::getpwuid(::geteuid());
    return entry != nullptr ? entry->pw_name : "USER";
}

/// In a desktop session only. A browser that cannot be started is not an error: the URL is printed.
void open_browser(std::string const& url)
{
    bool const desktop =
        std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
    if (!desktop || ::fork() != 0) {
        return;
    }
    std::freopen("/dev/null", "w", stderr);
    ::execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
    ::_exit(1);
}

void serve_maps(ViewOptions const& options)
{
    viewer::Library library{options.maps};
    viewer::serve(library, viewer::load_page(), options.port, [&](viewer::Address const& address) {
        std::cout << address.url() << '\n'
                  << fmt::format("ssh -L {0}:127.0.0.1:{0} {1}@{2}\n", address.port, user_name(),
                                 host_name())
                  << std::flush;
        if (options.open) {
            open_browser(address.url());
        }
    });
}

}  // namespace

int view_main(int argc, char** argv)
{
    return run_program("mees_view", [&] {
        auto const [options, text] = parse_options(argc, argv);
        if (!options) {
            std::cout << text;
        } else if (options->page.empty()) {
            serve_maps(*options);
        } else {
            write_page(*options);
        }
        return ExitCode::success;
    });
}

}  // namespace mees
