#include "mees/core/log.hpp"

#include "mees/core/error.hpp"
#include "mees/core/output.hpp"
#include "mees/core/regular_file.hpp"
#include "mees/core/text.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

namespace mees::log {
namespace {

spdlog::level::level_enum spdlog_level(Level level)
{
    constexpr std::array in_order_of_level{spdlog::level::debug, spdlog::level::info,
                                           spdlog::level::warn, spdlog::level::err,
                                           spdlog::level::off};
    return in_order_of_level.at(static_cast<std::size_t>(level));
}

class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
  protected:
    void sink_it_(spdlog::details::log_msg const& message) override
    {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        write_stderr({line.data(), line.size()});
    }
    void flush_() override {}
};

/// Once: a disk that is full stays so for a while.
void report_failure(std::string const& why)
{
    static std::atomic<bool> reported{false};
    if (!reported.exchange(true)) {
        write_stderr(fmt::format("mees: warning: cannot write the log ({})\n", why));
    }
}

struct Sinks {
    std::shared_ptr<StderrSink> console = std::make_shared<StderrSink>();
    spdlog::logger logger{"mees", console};

    Sinks()
    {
        console->set_level(spdlog::level::warn);
        console->set_pattern("mees: %l: %v");
        logger.set_level(spdlog::level::info);
        logger.flush_on(spdlog::level::info);
        logger.set_error_handler(report_failure);
    }
};

Sinks& sinks()
{
    static Sinks instance;
    return instance;
}

}  // namespace

void set_level(Level level)
{
    sinks().logger.set_level(spdlog_level(level));
}

void open_file(std::filesystem::path const& path)
{
    close_file();
    auto const opened = open_regular(path, O_WRONLY | O_CREAT | O_NOFOLLOW);
    if (opened.descriptor < 0) {
        throw FileError{fmt::format("cannot write {}", path.string()), opened.problem,
                        "Make it a writable file, or remove it."};
    }
    ::close(opened.descriptor);
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), false);
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    sinks().logger.sinks().push_back(std::move(file));
}

void close_file()
{
    sinks().logger.sinks().resize(1);
}

void write(Level level, std::string_view message)
{
    sinks().logger.log(spdlog_level(level), escaped(message, "\n\t"));
}

}  // namespace mees::log
