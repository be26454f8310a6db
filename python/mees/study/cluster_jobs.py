"""The runs of a study as jobs of a SLURM cluster."""

from __future__ import annotations

import shlex

from .jobs import Reevaluate, Train

SCRIPT = "slurm/mpirun.sh"


def cluster_lines(jobs, programs) -> list:
    """Shell commands for the root of the source tree that submit all jobs: a training job for each
    run, and after it the re-evaluation of its map. mees.study then finds what they wrote."""
    folders = dict.fromkeys(str(job.run.parent) for job in jobs)
    lines = [shlex.join(["mkdir", "-p", folder]) for folder in folders]
    for job in jobs:
        if isinstance(job, Train) and job.done != job.total:
            config, *rest = _words(job.arguments)
            words = ["sbatch", "--parsable", SCRIPT, config, str(job.run), *rest]
            lines.append(f"job=$({shlex.join(words)})")
        elif isinstance(job, Train):
            lines.append("job=")  # complete
        elif isinstance(job, Reevaluate) and not job.done:
            program = str(programs.folder / job.program)
            command = shlex.join(["mpirun", program, *_words(job.arguments), "--force"])
            lines.append(
                "sbatch ${job:+--dependency=afterok:$job} --ntasks=64 --time=02:00:00 "
                f"--output={shlex.quote(str(job.run) + '-evaluate.out')} "
                f"--wrap {shlex.quote(command)}"
            )
    return lines


def _words(arguments) -> list:
    """Without the number of threads of this machine, and without the run folder of mees_master,
    which the job script adds."""
    words = [str(word) for word in arguments]
    at = words.index("--threads")
    words = words[:at] + words[at + 2 :]
    if "--seed" in words:
        at = words.index("--out")
        words = words[:at] + words[at + 2 :]
    return words
