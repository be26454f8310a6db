"""Follow runs into a tracking tool: python -m mees.log runs/ant-1 --tensorboard logs

Reads metrics.csv of each RUN, sends one step per generation, and continues while the run is
running, until the run has finished; --once sends what is there and ends. The settings of the run
become parameters. TensorBoard needs the package tensorboardX (or torch), Weights & Biases the
package wandb, which is used offline (wandb sync uploads its folder), and MLflow the package mlflow.
Several tools can be given at once. Nothing is written into the run folder.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

from .command_line import make_parser
from .errors import FileError, MeesError, MissingPackageError, optional_import
from .history import origin_in_folder_of, read_csv_columns
from .origin import flatten

TOOLS = ("tensorboard", "wandb", "mlflow")


class TensorBoard:
    """Event files in FOLDER/RUN."""

    def __init__(self, folder, name, settings):
        try:
            writers = optional_import("tensorboardX", "TensorBoard")
        except MissingPackageError:
            writers = optional_import("torch.utils.tensorboard", "TensorBoard without tensorboardX")
        self._writer = writers.SummaryWriter(str(Path(folder) / name))
        text = "\n".join(f"    {key} = {value}" for key, value in settings.items())
        self._writer.add_text("settings", text)

    def step(self, generation, values):
        for key, value in values.items():
            self._writer.add_scalar(key, value, generation)

    def flush(self):
        self._writer.flush()

    def close(self):
        self._writer.close()


class Wandb:
    """An offline run in FOLDER, in the project `mees`."""

    def __init__(self, folder, name, settings):
        wandb = optional_import("wandb", "Weights & Biases")
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._run = wandb.init(
            mode="offline", project="mees", name=name, dir=str(folder), config=settings
        )

    def step(self, generation, values):
        self._run.log(values, step=generation)

    def flush(self):
        pass

    def close(self):
        self._run.finish()


class MLflow:
    """A run of the experiment `mees` in FOLDER/mlflow.db, or at a tracking server's address."""

    LONGEST_VALUE = 500

    def __init__(self, folder, name, settings):
        mlflow = optional_import("mlflow", "MLflow")
        address = str(folder)
        if "://" not in address:
            Path(folder).mkdir(parents=True, exist_ok=True)
            address = f"sqlite:///{Path(folder).resolve() / 'mlflow.db'}"
        self._client = mlflow.MlflowClient(tracking_uri=address)
        found = self._client.get_experiment_by_name("mees")
        experiment = found.experiment_id if found else self._client.create_experiment("mees")
        self._id = self._client.create_run(experiment, run_name=name).info.run_id
        for key, value in settings.items():
            self._client.log_param(self._id, key, str(value)[: self.LONGEST_VALUE])

    def step(self, generation, values):
        for key, value in values.items():
            self._client.log_metric(self._id, key, value, step=generation)

    def flush(self):
        pass

    def close(self):
        self._client.set_terminated(self._id)


WRITERS = dict(zip(TOOLS, (TensorBoard, Wandb, MLflow)))


class Follower:
    """Sends the generations of one run to writers, each once.

    A resumed run may rewrite metrics.csv: generations that were already sent are skipped, and a
    line that is still being written is read the next time.
    """

    def __init__(self, run, writers):
        self.folder = Path(run)
        self.table = self.folder / "metrics.csv"
        if not self.table.exists():
            raise FileError(f"no metrics.csv in {run}", "it is not a run folder", "Pass a run.")
        settings = flatten(origin_in_folder_of(self.table).settings or {})
        name = self.folder.resolve().name
        self.writers = [WRITERS[tool](place, name, settings) for tool, place in writers.items()]
        self.last = -1

    @property
    def finished(self):
        return (self.folder / "FINISHED").exists()

    def update(self, running=False) -> int:
        """Sends the new generations and returns their number.

        The table of a running run may be missing or empty for a moment: then there are none.
        """
        try:
            columns = read_csv_columns(self.table, complete_lines=True)
        except FileError:
            if running:
                return 0
            raise
        generations = columns.pop("generation", ())
        numbers = {name: column for name, column in columns.items() if column.dtype.kind == "f"}
        sent = 0
        for row, generation in enumerate(generations):
            if not generation > self.last:
                continue
            values = {name: float(column[row]) for name, column in numbers.items()}
            values = {name: value for name, value in values.items() if math.isfinite(value)}
            for writer in self.writers:
                writer.step(int(generation), values)
            self.last = int(generation)
            sent += 1
        for writer in self.writers if sent else ():
            writer.flush()
        return sent

    def close(self):
        for writer in self.writers:
            writer.close()


def follow(runs, *, tensorboard=None, wandb=None, mlflow=None, once=False, seconds=5.0):
    """Sends the generations of run folders to the tools whose folder is given.

    Returns when all runs have finished, or at once with `once`; the number of generations sent.
    """
    given = {"tensorboard": tensorboard, "wandb": wandb, "mlflow": mlflow}
    writers = {tool: place for tool, place in given.items() if place is not None}
    followers, sent = [], 0
    try:
        for run in runs:
            followers.append(Follower(run, writers))
        while True:
            done = once or all(follower.finished for follower in followers)
            sent += sum(follower.update(not done) for follower in followers)
            if done:
                return sent
            time.sleep(seconds)
    finally:
        for follower in followers:
            follower.close()


def main(arguments=None) -> int:
    parser = make_parser("mees.log", __doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder")
    for tool in TOOLS:
        parser.add_argument(f"--{tool}", metavar="DIR", help=f"folder for {tool}")
    parser.add_argument("--once", action="store_true", help="send what is there and end")
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=5.0, help="time between two looks [5]"
    )
    options = parser.parse_args(arguments)
    places = {tool: getattr(options, tool) for tool in TOOLS}
    if not any(places.values()):
        parser.error(f"no tool given: pass --{' or --'.join(TOOLS)}")
    try:
        sent = follow(options.runs, once=options.once, seconds=options.seconds, **places)
    except MeesError as error:
        print(f"mees.log: error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    print(f"sent {sent} generations of {len(options.runs)} run{'s' * (len(options.runs) != 1)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
