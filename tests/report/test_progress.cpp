#include "catch.hpp"

#include "mees/report/progress.hpp"
#include "mees/report/terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

using namespace mees;

namespace {

Progress example()
{
    Progress progress;
    progress.record.generation = Generation{12};
    progress.record.mode = Mode::explore;
    progress.record.parent_cell = CellId{4512};
    progress.record.fitness = 1012.34;
    progress.record.best = 1043.71;
    progress.record.coverage = 13;
    progress.record.qd_score = 12345.6;
    progress.record.novelty = 0.1234;
    progress.generations = 500;
    progress.cells = 10'000;
    progress.qd_offset = -40;
    progress.episodes_per_second = 812.4;
    progress.elapsed = 62;
    progress.remaining = 3723;
    return progress;
}

/// A pseudo-terminal of a given width; 0: its size is not known.
class PseudoTerminal {
  public:
    explicit PseudoTerminal(unsigned short columns) : master_{posix_openpt(O_RDWR | O_NOCTTY)}
    {
        REQUIRE(grantpt(master_) == 0);
        REQUIRE(unlockpt(master_) == 0);
        slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
        winsize size{};
        size.ws_col = columns;
        size.ws_row = columns > 0 ? 24 : 0;
        REQUIRE(ioctl(slave_, TIOCSWINSZ, &size) == 0);
    }
    PseudoTerminal(PseudoTerminal const&) = delete;
    PseudoTerminal& operator=(PseudoTerminal const&) = delete;
    ~PseudoTerminal()
    {
        close(slave_);
        close(master_);
    }
    [[nodiscard]] int descriptor() const { return slave_; }

  private:
    int master_;
    int slave_;
};

}  // namespace

TEST_CASE("the log line has all figures")
{
    CHECK(log_line(example())
          == "gen  12/500  explore  parent  4512  fitness    1012.3  best    1043.7  cells   13/10000"
             "  QD   12345.6 (offset -40)  novelty   0.123  812.40 ep/s     1:02  ETA 1:02:03");
    Progress first = example();
    first.record.mode = Mode::other;
    first.record.parent_cell = std::nullopt;
    first.remaining = std::nullopt;
    CHECK_THAT(log_line(first), Catch::Matchers::ContainsSubstring("other    parent     -")
                                    && Catch::Matchers::EndsWith("ETA       -"));
}

TEST_CASE("the weight of fitness is shown for NSRA-ES only")
{
    Progress adaptive = example();
    CHECK_THAT(log_line(adaptive), !Catch::Matchers::ContainsSubstring(" w 0."));
    adaptive.shows_weight = true;
    adaptive.record.weight = 0.45;
    CHECK_THAT(log_line(adaptive), Catch::Matchers::ContainsSubstring("novelty   0.123  w 0.45  "));
    CHECK_THAT(bar_line(adaptive, Terminal{.interactive = true, .columns = 200}),
               Catch::Matchers::EndsWith("  w 0.45"));
}

TEST_CASE("the bar line shows the most important figures that fit")
{
    auto const line = [](int columns) {
        return bar_line(example(), Terminal{.interactive = true, .columns = columns});
    };
    CHECK(line(200)
          == "..............................  12/500  explore  parent 4512  fitness 1012.3  "
             "best 1043.7  cells 13  QD 12345.6 (offset -40)  novelty 0.123  812.40 ep/s  1:02  "
             "ETA 1:02:03");
    CHECK(line(80)
          == "..........  12/500  explore  fitness 1012.3  best 1043.7  cells 13  ETA 1:02:03");
    CHECK(line(40) == "........  12/500  cells 13  ETA 1:02:03");
    for (int columns = 1; columns < 200; ++columns) {
        CHECK(line(columns).size() < static_cast<std::size_t>(std::max(columns, 20)));
    }
}

TEST_CASE("the bar grows with the generations")
{
    auto progress = example();
    Terminal const terminal{.interactive = true, .utf8 = false, .columns = 200};
    progress.record.generation = Generation{250};
    CHECK(bar_line(progress, terminal).substr(0, 30)
          == std::string(15, '#') + std::string(15, '.'));
    progress.record.generation = Generation{500};
    CHECK(bar_line(progress, terminal).substr(0, 30) == std::string(30, '#'));
    progress.generations = 0;
    progress.record.generation = Generation{0};
    CHECK(bar_line(progress, terminal).substr(0, 30) == std::string(30, '#'));
}

TEST_CASE("a terminal is distinguished from a pipe and from a pseudo-terminal without a size")
{
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    PseudoTerminal const watched{97};
    auto terminal = detect_terminal(watched.descriptor());
    CHECK(terminal.interactive);
    CHECK(terminal.colour);
    CHECK(terminal.utf8);
    CHECK(terminal.columns == 97);

    PseudoTerminal const unwatched{0};
    CHECK_FALSE(detect_terminal(unwatched.descriptor()).interactive);

    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    terminal = detect_terminal(pipe_ends[1]);
    CHECK_FALSE(terminal.interactive);
    CHECK_FALSE(terminal.colour);
    CHECK(terminal.columns == 80);
    close(pipe_ends[0]);
    close(pipe_ends[1]);

    setenv("NO_COLOR", "1", 1);
    setenv("LC_ALL", "C", 1);
    terminal = detect_terminal(watched.descriptor());
    CHECK(terminal.interactive);
    CHECK_FALSE(terminal.colour);
    CHECK_FALSE(terminal.utf8);
    setenv("TERM", "dumb", 1);
    CHECK_FALSE(detect_terminal(watched.descriptor()).interactive);
}
