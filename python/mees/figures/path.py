"""The paths of a robot that walks to targets, from the file of mees_navigate."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Circle, Rectangle

from .style import colour_of, new_figure, plain, styled


def path(navigation, damage=None, seed=0, trajectories=(), ax=None):
    """One walk with learning and, if the file has it, the same without, in the arena.

    A dot is the place after an action; targets are numbered, with the radius in which they count as
    reached. `damage` is the file's first unless it is given. Walks of which `trajectories` has a
    `navigation.Walk` are drawn with their way within the actions.
    """
    damage = navigation.damages[0] if damage is None else damage
    kinds = sorted(set(navigation.learning[navigation.damage == damage].tolist()), reverse=True)
    walks = {learning: navigation.walk(damage, seed, learning) for learning in kinds or [True]}
    with styled():
        figure = ax.figure if ax else new_figure(5.6, 5.6)
        ax = ax or figure.add_subplot()
        _draw_arena(ax, navigation)
        for index, (learning, walk) in enumerate(walks.items()):
            x, y = np.r_[0, walk["x"]], np.r_[0, walk["y"]]
            name = "learning" if learning else "no learning"
            label = f"{name}: {len(walk['x'])} actions"
            colour, dash = colour_of(index), "-" if learning else ":"
            within = _trajectory(trajectories, damage, seed, learning)
            ax.plot(
                x,
                y,
                "" if within else dash,
                marker=".",
                color=colour,
                label=label,
                linewidth=1.2,
            )
            if within:
                ax.plot(within.x, within.y, dash, color=colour, linewidth=0.7)
        ax.plot(0, 0, "k^", label="start")
        ax.set_title(plain(f"{damage}, seed {seed}"))
        ax.set_xlabel("x [m]")
        ax.set_ylabel("y [m]")
        ax.set_aspect("equal")
        ax.legend(loc="best")
    return figure


def _trajectory(trajectories, damage, seed, learning):
    wanted = (damage, seed, bool(learning))
    found = [one for one in trajectories if (one.damage, one.seed, one.learning) == wanted]
    return found[0] if found else None


def _draw_arena(ax, navigation):
    arena = navigation.arena
    lower, upper = np.array(arena["lower"]), np.array(arena["upper"])
    ax.add_patch(Rectangle(lower, *(upper - lower), fill=False, linewidth=1.2))
    for box in arena.get("box", []):
        corner, far = np.array(box["lower"]), np.array(box["upper"])
        ax.add_patch(Rectangle(corner, *(far - corner), color="0.6"))
    for circle in arena.get("circle", []):
        ax.add_patch(Circle(circle["centre"], circle["radius"], color="0.6"))
    for number, target in enumerate(navigation.targets, 1):
        ax.add_patch(Circle(target, arena["cell"] / 2, fill=False, color="tab:red"))
        ax.annotate(str(number), target, ha="center", va="center", fontsize=7)
    margin = 0.03 * (upper - lower)
    ax.set_xlim(lower[0] - margin[0], upper[0] + margin[0])
    ax.set_ylim(lower[1] - margin[1], upper[1] + margin[1])
