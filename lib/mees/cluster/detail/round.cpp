#include "mees/cluster/detail/round.hpp"

#include "mees/core/error.hpp"

#include <cstring>

namespace mees {
Round::Round(Ranks& ranks, std::uint32_t round, SharePlanner planner, std::int64_t nodes)
    : ranks_{ranks}, round_{round}, planner_{planner}, unfinished_{nodes}
{
}

bool Round::over() const
{
    return unfinished_ == 0 && received_ == announced_ && (!failed_ || ranks_.failed());
}

bool Round::run(OnReport const& on_report, StopToken& stop)
{
    auto& timing = ranks_.timing;
    Stopwatch watch;
    Backoff backoff{ranks_.wait_policy()};
    while (!over()) {
        bool const arrived = probe(Tag::report);
        if (arrived) {
            timing.waiting += watch.restart();
            take_report(on_report, watch);
            ranks_.answered();
            backoff.restart();
        }
        ranks_.tend();
        if (!dropped_ && (stop.requested() || ranks_.failed())) {
            drop_all();
        }
        if (!arrived) {
            backoff.pause();
        }
    }
    timing.waiting += watch.restart();
    ranks_.receive_reports();
    ranks_.throw_failure();
    return !dropped_;
}

void Round::take_report(OnReport const& on_report, Stopwatch& watch)
{
    auto& timing = ranks_.timing;
    auto const source =
        receive_bytes(MPI_ANY_SOURCE, Tag::report, message_, [this] { ranks_.tend(); });
    ++timing.messages;
    ++received_;
    NodeReport header;
    expects(message_.size() >= sizeof header, "a report with a header");
    std::memcpy(&header, message_.data(), sizeof header);
    expects(header.round == round_, "a report of this round");
    timing.receiving += watch.restart();
    if (header.asks != 0) {
        answer(source, header);  // first: the node may have nothing to do
        timing.dispatching += watch.restart();
    }
    if (header.finished != 0) {
        --unfinished_;
        announced_ += header.messages;
    }
    if (header.failed != 0) {
        failed_ = true;
        ranks_.receive_reports();
    }
    auto const body = std::span{message_}.subspan(sizeof header);
    reports_.resize(static_cast<std::size_t>(header.reports));
    auto const reports = std::as_writable_bytes(std::span{reports_});
    expects(body.size() >= reports.size(), "a complete report");
    std::ranges::copy(body.first(reports.size()), reports.begin());
    on_report(reports_, body.subspan(reports.size()));
    timing.storing += watch.restart();
}

void Round::answer(int rank, NodeReport const& report)
{
    auto const share = dropped_ ? Share{} : planner_.next(report.workers, report.running);
    bool const last = dropped_ || planner_.exhausted();
    send_while_tending(rank, Tag::answer, Answer{round_, last ? 1U : 0U, share});
    ++ranks_.timing.messages;
}

/// Even a small message to a node that was just lost may never leave: MPI tries to connect again.
template <class Value>
void Round::send_while_tending(int rank, Tag tag, Value const& value)
{
    send_large(rank, tag, std::as_bytes(std::span{&value, 1}), ranks_.wait_policy(),
               [this] { ranks_.tend(); });
}

void Round::drop_all()
{
    dropped_ = true;
    ranks_.channel().abort(round_);
    for (auto const& info : ranks_.infos()) {
        if (info.leads_node && info.rank != 0) {
            send_while_tending(info.rank, Tag::abort, round_);
        }
    }
}

}  // namespace mees
