#include "mees/core/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

namespace mees::log {
namespace {

spdlog::level::level_enum spdlog_level(Level level)
{
    constexpr std::array in_order_of_level{spdlog::level::debug, spdlog::level::info,
                                           spdlog::level::warn, spdlog::level::err,
                                           spdlog::level::off};
    return in_order_of_level.at(static_cast<std::size_t>(level));
}

struct Sinks {
    std::shared_ptr<spdlog::sinks::stderr_color_sink_mt> console =
        std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    spdlog::logger logger{"mees", console};

    Sinks()
    {
        console->set_level(spdlog::level::warn);
        console->set_pattern("mees: %l: %v");
        logger.set_level(spdlog::level::info);
        logger.flush_on(spdlog::level::info);
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
    sinks().logger.log(spdlog_level(level), message);
}

}  // namespace mees::log
