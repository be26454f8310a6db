"""Model of the time of a generation on any number of ranks, from costs that mees_bench measured.

The episodes of a generation are simulated event by event: rank 0 gives shares of them to nodes,
whose workers take them from shared memory (share_planner.cpp, node_queue.cpp, worker.cpp). Each
message and each result occupies rank 0 for the measured time. The rest (batch, gradient, novelties,
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
UPDATE_OFFSPRING = (10_000, 100_000)  # whose update is measured
ANT_PARAMETERS = 75_016
# Title, name, parameters, dimensions of the BC, control steps of an episode.
DOMAINS = (("Ant", "ant", ANT_PARAMETERS, 4, 1000),
           ("Ant Maze", "ant_maze", 75_528, 2, 3000),
           ("Humanoid, walking", "deceptive_humanoid", 166_673, 2, 1000))
N_EVAL = 30

# Assumed, not measured: a typical cluster.
RANKS_PER_NODE = 64
LATENCY = 20e-6  # seconds per message
BANDWIDTH = 1.2e9  # bytes per second between nodes: 10 Gbit/s
PIECE = 65_536  # bytes that travel between nodes at a time
NODE_MEMORY = 8  # cores that saturate a node's memory bandwidth by reading
POLL_DELAY = 0.1e-3  # mean; a waiting rank polls every 0 .. 0.2 ms (waiting.cpp)
WAKE_UP = 20e-6  # a worker that sleeps until its node has episodes


@dataclass(frozen=True)
class Update:
    parameters: int
    offspring: int
    seconds: float
    row: str  # of mees_bench
    scaled: bool  # from that of the Ant


@dataclass(frozen=True)
class Costs:
    """Measured costs in seconds."""

    message: float  # rank 0, for each share given and each report received
    store: float  # rank 0, for each episode
    updates: tuple  # of rank 0, without gradient and novelties
    novelty: tuple  # (offspring, seconds) of all of them on one core
    slice_: float  # gradient: one slice of noise at one rank
    value: float  # one value of it
    read: float  # one value, limited by memory bandwidth alone

    def update(self, parameters, offspring):
        return next(update.seconds for update in self.updates
                    if (update.parameters, update.offspring) == (parameters, offspring))


@dataclass(frozen=True)
class Domain:
    name: str
    parameters: int
    bc: int  # dimensions
    seconds: float  # median of an episode
    sigma: float  # standard deviation of its logarithm


def costs_from(rows):
    """Costs from the rows of mees_bench."""
    def row(group, end):
        return statistics.median(row["median"] for row in rows
                                 if row["group"] == group and row["what"].endswith(end))
    parts = {ranks: row("gradient", f"one rank's part of {ranks:,}") / 1e3 / 5000
             for ranks in (512, 10_000)}
    sizes = {ranks: math.ceil(ANT_PARAMETERS / ranks) for ranks in parts}
    value = max(0.0, (parts[512] - parts[10_000]) / (sizes[512] - sizes[10_000]))
    def update(without, count):
        return row("generation", f"update but for {without}, {count:,} offspring")
    return Costs(message=row("protocol", "master, per message") / 1e6,
                 store=row("protocol", "master, per episode") / 1e6,
                 updates=updates_from(rows),
                 novelty=tuple((count, update("the gradient", count)
                                - update("gradient and novelties", count))
                               for count in UPDATE_OFFSPRING),
                 slice_=parts[10_000] - value * sizes[10_000], value=value,
                 read=row("gradient", "one read of the 1.5 GB") / (5000 * ANT_PARAMETERS))


def updates_from(rows):
    """For each number of parameters and of offspring. Where a row is missing, the part of the
    Ant's update that does not grow with the offspring is taken to grow with the parameters."""
    found = {row["what"]: row["median"] for row in rows if row["group"] == "generation"}

    def name(count, parameters):
        end = "" if parameters == ANT_PARAMETERS else f", {parameters:,} parameters"
        return f"update but for gradient and novelties, {count:,} offspring{end}"
    ant = {count: found[name(count, ANT_PARAMETERS)] for count in UPDATE_OFFSPRING}
    few, many = UPDATE_OFFSPRING
    constant = max(0.0, ant[few] - few * (ant[many] - ant[few]) / (many - few))
    result = []
    for parameters in sorted({domain[2] for domain in DOMAINS}):
        for count in UPDATE_OFFSPRING:
            scaled = name(count, parameters) not in found
            row = name(count, ANT_PARAMETERS if scaled else parameters)
            more = constant * (parameters / ANT_PARAMETERS - 1) if scaled else 0.0
            result.append(Update(parameters, count, found[row] + more, row, scaled))
    return tuple(result)


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
    for title, name, parameters, bc, steps in DOMAINS:
        bare = row(name, "bare mj_step, one control step")
        result.append(Domain(title, parameters, bc, steps * step(name), sigma(bare)))
    name = "deceptive_humanoid until it falls"
    falls = row(name, "untrained")
    result.append(
        Domain("Humanoid, falling", parameters, bc, falls["median"] * step(name), sigma(falls)))
    return result


class Planner:
    """The same rules as SharePlanner of lib/mees/cluster."""

    SHORTEST, LONGEST = 1e-3, 200e-3  # shares, in seconds

    def __init__(self, items, workers, nodes, expected):
        self.items, self.given, self.workers = items, 0, workers
        self.episodes = {seconds: max(seconds, 20e-6 * nodes) / expected
                         for seconds in (self.SHORTEST, self.LONGEST)}

    def most(self, seconds, workers):
        """Episodes of a share of this length."""
        return min(int(self.episodes[seconds] * workers), 128 * workers)

    def smallest(self, workers):
        return self.most(self.SHORTEST, workers)

    def largest(self, workers):
        return self.most(self.LONGEST, workers)

    def next(self, workers, running):
        """The next share of a node: first item, end, and when the node asks again."""
        left = self.items - self.given

        def parts(shares):
            return left * workers // (shares * self.workers)
        last = max(1, self.smallest(workers))
        least = min(max(parts(2), 1), last)
        size = min(max(parts(4), least), max(least, workers, self.largest(workers)))
        ending = left <= 4 * self.workers
        if ending:
            size = min(size, max(last, workers - running))
        size = max(size, workers - running)
        begin, self.given = self.given, min(self.items, self.given + size)
        return begin, self.given, 0 if ending or size <= last else size // 2


class Node:
    """The same rules as NodeQueue and Worker of lib/mees/cluster: workers take episodes from
    shared memory, and one of them asks rank 0 for the next share."""

    def __init__(self, workers):
        self.workers = self.inside = workers
        self.shares = []
        self.low = self.running = self.results = self.sleeping = 0
        self.asking = self.closed = False

    def take(self):
        if not self.shares:
            return None
        begin, end = self.shares[0]
        self.shares[0] = begin + 1, end
        if begin + 1 == end:
            del self.shares[0]
        self.running += 1
        return begin

    def wants_a_share(self):
        left = sum(end - begin for begin, end in self.shares)
        return (not self.asking and not self.closed and len(self.shares) < 2 and left <= self.low)


class Dispatch:
    """A batch, from the first request of a node to the last report, event by event."""

    def __init__(self, lengths, nodes, costs):
        self.lengths, self.costs = lengths, costs
        self.planner = Planner(len(lengths), sum(nodes), len(nodes), sum(lengths) / len(lengths))
        self.master = 0.0  # rank 0 is busy until then
        self.messages = self.done_episodes = 0
        self.events = []
        self.order = itertools.count()
        for workers in nodes:
            node = Node(workers)
            for _ in range(workers):
                self.at(0.0, self.free, node)

    def at(self, time, action, *arguments):
        heapq.heappush(self.events, (time, next(self.order), action, arguments))

    def run(self):
        while self.events:
            time, _, action, arguments = heapq.heappop(self.events)
            action(time, *arguments)
        return self.master

    def free(self, now, node):
        """A worker of the node has nothing to do."""
        item = node.take()
        if item is not None:
            if node.low and node.wants_a_share():
                self.ask(now, node, item)
            else:
                self.at(now + self.lengths[item], self.done, node)
        elif node.closed:
            node.inside -= 1
            if node.inside == 0:
                self.at(now + LATENCY + POLL_DELAY, self.receive, node)
        elif node.wants_a_share():
            self.ask(now, node, None)
        else:
            node.sleeping += 1

    def done(self, now, node):
        node.running -= 1
        node.results += 1
        self.done_episodes += 1
        self.free(now, node)

    def ask(self, now, node, item):
        """A worker asks, and waits for the answer before it begins its own episode."""
        node.asking = True
        self.at(now + LATENCY + POLL_DELAY, self.answer, node, node.running, item)

    def receive(self, now, node):
        """Rank 0 receives a report; the results that it holds are stored later."""
        self.master = max(self.master, now) + self.costs.message
        self.messages += 1
        self.store(node)

    def store(self, node):
        self.master += node.results * self.costs.store
        node.results = 0

    def answer(self, now, node, running, item):
        self.master = max(self.master, now) + 2 * self.costs.message
        self.messages += 2
        share = self.planner.next(node.workers, running)
        last = self.planner.given == self.planner.items
        self.at(self.master + LATENCY + POLL_DELAY, self.add, node, share, last, item)
        self.store(node)

    def add(self, now, node, share, last, item):
        begin, end, node.low = share
        if begin < end:
            node.shares.append((begin, end))
        node.asking, node.closed = False, last
        if item is None:
            self.free(now, node)
        else:
            self.at(now + self.lengths[item], self.done, node)
        woken = node.sleeping if last else min(node.sleeping, end - begin + 1)
        node.sleeping -= woken
        for _ in range(woken):
            self.at(now + WAKE_UP, self.free, node)


def nodes_of(ranks):
    """The number of workers of each node; rank 0 is none."""
    full, rest = divmod(ranks, RANKS_PER_NODE)
    nodes = [RANKS_PER_NODE] * full + [rest] * (rest > 0)
    nodes[0] -= 1
    return [workers for workers in nodes if workers]


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
    """Seconds of a broadcast along a binary tree of nodes, piece by piece (command_channel.cpp)."""
    if nodes == 1:
        return 0.0
    piece = min(bytes_, max(PIECE, bytes_ / 64))
    children = min(2, nodes - 1)
    return (math.floor(math.log2(nodes)) * (LATENCY + POLL_DELAY + children * piece / BANDWIDTH)
            + children * (bytes_ - piece) / BANDWIDTH)


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
    novelty: float
    update: float

    @property
    def seconds(self):
        return (self.even + self.schedule + self.master + self.batch + self.gradient
                + self.novelty + self.update)

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
    taken = Dispatch(lengths, nodes_of(ranks), costs).run()
    share = domain.parameters / ranks
    summing = max(pairs * (costs.slice_ + costs.value * share),
                  pairs * costs.read * share * min(ranks, RANKS_PER_NODE) / NODE_MEMORY)

    def collecting(bytes_):  # from the nodes' first ranks
        return LATENCY + POLL_DELAY + bytes_ / BANDWIDTH + nodes * costs.message
    return Generation(ranks, work, even=work / workers, schedule=perfect - work / workers,
                      master=taken - perfect,
                      batch=travel(4 * domain.parameters + 8 * pairs, nodes),
                      gradient=(travel(12 * pairs, nodes) + summing
                                + collecting(4 * domain.parameters)),
                      novelty=(travel(8 * domain.bc * population, nodes)
                               + dict(costs.novelty)[population] / ranks
                               + collecting(8 * population)),
                      update=costs.update(domain.parameters, population))
