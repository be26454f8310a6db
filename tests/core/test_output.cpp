#include "catch.hpp"
#include "mees/core/output.hpp"
#include "mees/core/threads.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <ostream>

using namespace mees;
using std::chrono::milliseconds;

namespace {

struct Pipe {
    Pipe() { REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0); }
    Pipe(Pipe const&) = delete;
    Pipe& operator=(Pipe const&) = delete;
    ~Pipe()
    {
        close(ends[0]);
        close(ends[1]);
    }

    [[nodiscard]] std::string read_all() const
    {
        std::string text;
        std::array<char, 4096> part{};
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        for (ssize_t count = 0; (count = read(ends[0], part.data(), part.size())) > 0;) {
            text.append(part.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

    std::array<int, 2> ends{};
};

/// The exit status of `work` in a process of its own, which must end within 10 s.
int status_of(std::function<int()> const& work)
{
    pid_t const child = fork();
    if (child == 0) {
        std::signal(SIGALRM, SIG_DFL);
        alarm(10);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("a pipe that is not read drops texts as a whole and delays nobody")
{
    Pipe const pipe;
    UnblockedWriter writer{pipe.ends[1]};
    auto const begin = std::chrono::steady_clock::now();
    std::string const line = std::string(2999, 'x') + '\n';
    int taken = 0;
    for (int i = 0; i < 100; ++i) {
        taken += writer.write(line, milliseconds{0}) ? 1 : 0;
    }
    CHECK(taken > 10);
    CHECK(taken < 60);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{5});

    auto text = pipe.read_all();
    CHECK(writer.write("last\n", milliseconds{0}));
    text += pipe.read_all();
    std::string expected;
    for (int i = 0; i < taken; ++i) {
        expected += line;
    }
    CHECK(text == expected + "last\n");
    CHECK((fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a writer waits as long as it is asked to")
{
    Pipe const pipe;
    UnblockedWriter writer{pipe.ends[1]};
    while (writer.write(std::string(4096, 'x'), milliseconds{0})) {
    }
    auto const begin = std::chrono::steady_clock::now();
    CHECK_FALSE(writer.write("y", milliseconds{100}));
    CHECK(std::chrono::steady_clock::now() - begin >= milliseconds{100});
}

TEST_CASE("a full disk and a reader that is gone lose text, nothing else")
{
    int const full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    REQUIRE(full >= 0);
    CHECK_FALSE(UnblockedWriter{full}.write("text", milliseconds{0}));
    close(full);
    CHECK_FALSE(UnblockedWriter{-1}.write("text", milliseconds{0}));
    CHECK(status_of([] {
              std::signal(SIGPIPE, SIG_IGN);
              std::array<int, 2> ends{};
              static_cast<void>(!pipe2(ends.data(), 0));
              UnblockedWriter writer{ends[1]};
              close(ends[0]);
              return writer.write("text", milliseconds{0}) ? 1 : 0;
          })
          == 0);
}

TEST_CASE("errors on a full stderr are lost, nothing else")
{
    CHECK(status_of([] {
              dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
              print_error("program", "message");
              write_stderr("text");
              return 3;
          })
          == 3);
}

TEST_CASE("progress that is not read is replaced by the last text")
{
    Pipe const pipe;
    CHECK(status_of([&] {
              dup2(pipe.ends[1], STDOUT_FILENO);
              for (int i = 0; i < 100; ++i) {
                  progress_output() << std::string(4095, 'x') << std::endl;
              }
              progress_output() << "summary" << std::endl;
              auto text = pipe.read_all();
              bool const waits = text.find("summary") == std::string::npos;
              progress_output().flush();
              text += pipe.read_all();
              // Complete lines only: the one that did not fit as a whole came first.
              return waits && text.ends_with("x\nsummary\n") && text.size() % 4096 == 8 ? 0 : 1;
          })
          == 0);
}

TEST_CASE("closed standard streams are replaced, and stdout still fails")
{
    CHECK(status_of([] {
              for (int descriptor = 0; descriptor < 3; ++descriptor) {
                  close(descriptor);
              }
              protect_standard_descriptors();
              bool const safe = open("/dev/null", O_RDONLY) > 2 && fcntl(0, F_GETFD) >= 0
                                && write(STDOUT_FILENO, "x", 1) < 0
                                && write(STDERR_FILENO, "x", 1) == 1;
              return safe ? 0 : 1;
          })
          == 0);
}

TEST_CASE("a thread that cannot be started names the option")
{
    std::string message;
    std::vector<std::jthread> pool;
    auto const work = [](std::stop_token const& token) {
        while (!token.stop_requested()) {
            std::this_thread::sleep_for(milliseconds{1});
        }
    };
    start_thread(pool, work);
    CHECK(pool.size() == 1);
    struct Fails {
        Fails() = default;
        Fails(Fails const&) { throw std::system_error{EAGAIN, std::generic_category()}; }
        void operator()() const {}
    };
    Fails const fails;
    CHECK_THROWS_WITH(
        (start_thread<Fails const&>(pool, fails)),
        Catch::Contains("cannot start more than 1 threads") && Catch::Contains("--threads"));
}
