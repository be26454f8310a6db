"""Model of the time of a generation on any number of ranks, from costs that mees_bench measured.

The episodes of a generation are simulated event by event, as rank 0 assigns them
(chunk_planner.cpp): each message occupies rank 0 for the measured time. The rest (batch, gradient,
update) is added.
"""

import functools
import heapq
import itertools
import math
import random
import statistics
from dataclasses import dataclass

PAPER_POPULATION = 10_000
N_EVAL = 30

# Assumed, not measured: a typical cluster.
RANKS_PER_NODE = 64
LATENCY = 20e-6  # seconds per message
BANDWIDTH = 1.2e9  # bytes per second between nodes: 10 Gbit/s
NODE_MEMORY = 8  # cores that saturate a node's memory bandwidth by reading
POLL_DELAY = 0.1e-3  # mean; a waiting rank polls every 0 .. 0.2 ms (waiting.cpp)


@dataclass(frozen=True)
class Costs:
    """Measured costs in seconds."""

    message: float  # rank 0, for each assignment sent and each reply received
    update: tuple  # rank 0, (offspring, seconds), without the gradient
    slice_: float  # gradient: one slice of noise at one rank
    value: float  # one value of it
    read: float  # one value, limited by memory bandwidth alone


@dataclass(frozen=True)
class Domain:
    name: str
    parameters: int
    seconds: float  # median of an episode
    sigma: float  # standard deviation of its logarithm


def costs_from(rows):
    """Costs from the rows of mees_bench."""
    def row(group, end):
        return statistics.median(row["median"] for row in rows
                                 if row["group"] == group and row["what"].endswith(end))
    parts = {ranks: row("gradient", f"one rank's part of {ranks:,}") / 1e3 / 5000
             for ranks in (512, 10_000)}
    sizes = {ranks: math.ceil(75_016 / ranks) for ranks in parts}
    value = max(0.0, (parts[512] - parts[10_000]) / (sizes[512] - sizes[10_000]))
    return Costs(message=row("protocol", "master, per message") / 1e6,
                 update=tuple(
                     (count, row("generation", f"update but for the gradient, {count:,} offspring"))
                     for count in (10_000, 100_000)),
                 slice_=parts[10_000] - value * sizes[10_000], value=value,
                 read=row("gradient", "one read of the 1.5 GB") / (5000 * 75_016))


def domains_from(rows):
    """The paper's domains. The durations of a domain's episodes vary like the measured costs of a
    step, those of episodes that end with a fall like the measured falls."""
    def row(name, end):
        return next(row for row in rows
                    if row["group"] == "episode" and row["what"] == f"{name}: {end}")

    def step(name):  # seconds
        bare = row(name, "bare mj_step, one control step")
        share = row(name, "control steps, over bare mj_step")
        return bare["median"] / 1e6 / share["median"]

    def sigma(spread):  # of a log-normal distribution with these quartiles
        return math.log(spread["high"] / spread["low"]) / 1.349

    result = []
    for title, name, parameters, steps in (
            ("Ant", "ant", 75_016, 1000), ("Ant Maze", "ant_maze", 75_528, 3000),
            ("Humanoid, walking", "deceptive_humanoid", 166_673, 1000)):
        bare = row(name, "bare mj_step, one control step")
        result.append(Domain(title, parameters, steps * step(name), sigma(bare)))
    name = "deceptive_humanoid until it falls"
    falls = row(name, "untrained")
    result.append(Domain("Humanoid, falling", 166_673, falls["median"] * step(name), sigma(falls)))
    return result


class Planner:
    """The same rules as ChunkPlanner of lib/mees/cluster."""

    def __init__(self, items, workers, expected):
        self.left, self.workers = items, workers
        self.smallest, self.largest = (max(1, min(256, int(seconds / expected)))
                                       for seconds in (1e-3, max(20e-3, 20e-6 * workers)))

    def next(self):
        least = min(max(self.left // (2 * self.workers), 1), self.smallest)
        size = max(self.left // (4 * self.workers), least)
        size = min(size, max(least, self.largest), self.left)
        self.left -= size
        return size

    def next_queued(self):
        return 0 if self.left <= 4 * self.workers else self.next()


def simulate(lengths, workers, message, delay):
    """Seconds from the first assignment to the last reply: each message occupies rank 0 for
    `message`, and a worker with an empty queue sees an assignment `delay` later."""
    planner = Planner(len(lengths), workers, sum(lengths) / len(lengths))
    following = iter(lengths)
    busy_until = [0.0] * workers  # with everything assigned so far
    assigned = [0] * workers
    replies = []
    clock = 0.0

    def assign(worker, now):
        while assigned[worker] < 2:
            size = planner.next_queued() if assigned[worker] else planner.next()
            if not size:
                break
            now += message
            begin = max(busy_until[worker], now + delay)
            busy_until[worker] = begin + sum(itertools.islice(following, size))
            assigned[worker] += 1
            heapq.heappush(replies, (busy_until[worker] + LATENCY, worker))
        return now if planner.left else now + message  # tells the worker that no episodes are left

    for worker in range(workers):
        clock = assign(worker, clock)
    while replies:
        arrival, worker = heapq.heappop(replies)
        assigned[worker] -= 1
        clock = assign(worker, max(clock, arrival) + message)
    return clock


def bound(lengths, workers):
    """Seconds if each free worker takes the next episode without delay."""
    free = [0.0] * workers
    for length in lengths:
        heapq.heapreplace(free, free[0] + length)
    return max(free)


@functools.cache
def draw(domain, episodes):
    draws = random.Random(1)
    return [domain.seconds * math.exp(domain.sigma * max(-2.0, min(2.0, draws.gauss(0, 1))))
            for _ in range(episodes)]


def travel(bytes_, nodes):
    """Seconds of a broadcast along a tree of nodes."""
    return math.ceil(math.log2(nodes)) * (LATENCY + POLL_DELAY + bytes_ / BANDWIDTH)


@dataclass
class Generation:
    """Seconds of a generation: the minimum for its episodes, and the losses."""

    ranks: int
    work: float  # of all episodes, on one core
    even: float  # that work, divided evenly
    schedule: float  # the last episodes run while other ranks are idle
    master: float  # ranks wait for assignments; replies wait for rank 0
    batch: float
    gradient: float
    update: float

    @property
    def seconds(self):
        return self.even + self.schedule + self.master + self.batch + self.gradient + self.update

    @property
    def efficiency(self):
        return self.work / (self.ranks * self.seconds)


@functools.cache
def generation(domain, population, ranks, costs):
    workers = ranks - 1
    nodes = math.ceil(ranks / RANKS_PER_NODE)
    pairs = population // 2
    lengths = draw(domain, population + N_EVAL)
    work = sum(lengths)
    perfect = bound(lengths, workers)
    taken = simulate(lengths, workers, costs.message, LATENCY + POLL_DELAY)
    share = domain.parameters / ranks
    summing = max(pairs * (costs.slice_ + costs.value * share),
                  pairs * costs.read * share * min(ranks, RANKS_PER_NODE) / NODE_MEMORY)
    collecting = 4 * domain.parameters / BANDWIDTH + nodes * costs.message
    return Generation(ranks, work, even=work / workers, schedule=perfect - work / workers,
                      master=taken - perfect,
                      batch=travel(4 * domain.parameters + 8 * pairs, nodes),
                      gradient=travel(12 * pairs, nodes) + summing + collecting,
                      update=dict(costs.update)[population])
