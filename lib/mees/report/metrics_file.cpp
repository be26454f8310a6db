#include "mees/report/metrics_file.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/regular_file.hpp"
#include "mees/report/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mees {
namespace {

std::int64_t stored(std::optional<CellId> cell)
{
    return cell ? cell->value() : -1;
}

}  // namespace

std::string metrics_header()
{
    return "generation,mode,parent_cell,cell,fitness,fitness_std,novelty,inserted,best,coverage,"
           "qd_score,qd_offset,weight,episodes,steps,diverged,seconds\n";
}

std::string metrics_line(GenerationRecord const& record, double qd_offset, double seconds)
{
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       record.generation.value(), mode_name(record.mode),
                       stored(record.parent_cell), stored(record.cell), record.fitness,
                       record.fitness_std, record.novelty, record.inserted, record.best,
                       record.coverage, record.qd_score, qd_offset, record.weight, record.episodes,
                       record.steps, record.diverged, seconds);
}

MetricsFile::MetricsFile(std::filesystem::path path, double qd_offset,
                         std::span<GenerationRecord const> history, std::span<double const> seconds,
                         std::function<void()> require_folder)
    : path_{std::move(path)},
      qd_offset_{qd_offset},
      pending_{metrics_header()},
      require_folder_{std::move(require_folder)}
{
    expects(history.size() == seconds.size(), "as many seconds as rows of the history");
    for (std::size_t i = 0; i < history.size(); ++i) {
        pending_ += metrics_line(history[i], qd_offset_, seconds[i]);
    }
    flush();
}

void MetricsFile::append(GenerationRecord const& record, double seconds)
{
    pending_ += metrics_line(record, qd_offset_, seconds);
    flush();
}

void MetricsFile::flush()
{
    auto const problem = write_pending();
    if (problem.empty()) {
        written_ += static_cast<std::int64_t>(pending_.size());
        pending_.clear();
        if (std::exchange(warned_, false)) {
            log::info("{} is complete again", path_.string());
        }
    } else if (!std::exchange(warned_, true)) {
        log::warning("cannot write {} ({}); continuing, will retry every generation",
                     path_.string(), problem);
    }
}

std::string MetricsFile::write_pending() const
{
    auto const opened = open_regular(path_, O_WRONLY | O_CREAT | O_NOFOLLOW);
    int const file = opened.descriptor;
    if (file < 0) {
        return opened.problem;
    }
    // Now it is known whose file was opened; nobody can exchange it any more.
    if (require_folder_) {
        try {
            require_folder_();
        } catch (...) {
            ::close(file);
            throw;
        }
    }
    errno = 0;
    bool good = ::ftruncate(file, written_) == 0;
    for (std::size_t done = 0; good && done < pending_.size();) {
        auto const count = ::pwrite(file, pending_.data() + done, pending_.size() - done,
                                    written_ + static_cast<off_t>(done));
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
        good = count > 0 || (count < 0 && errno == EINTR);
    }
    // Network file systems report a full disk or quota when a file is closed.
    bool const closed = ::close(file) == 0;
    return closed && good ? std::string{} : std::strerror(errno);
}

}  // namespace mees
