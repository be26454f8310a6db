"""Configuration of Sphinx for the site; docs/site/build.py prepares the pages and calls Sphinx."""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]
given = json.loads(os.environ["MEES_SITE"])

project = "mees"
author = "the mees developers"
copyright = author
version = release = given["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "notebook_pages"]
if given["doxygen"]:
    extensions += ["breathe", "cpp_references"]
    breathe_projects = {"mees": given["doxygen"]}
    breathe_default_project = "mees"

source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["**/paper.bib"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
# A namespace is opened in many headers; a default argument may be more than Sphinx can parse.
suppress_warnings = ["duplicate_declaration.cpp", "source_code_parser.cpp"]
highlight_language = "text"
default_role = "code"
nitpicky = False

autodoc_member_order = "bysource"
autodoc_mock_imports = ["gymnasium", "mujoco", "ribs", "jax", "qdax", "wandb", "mlflow",
                        "tensorboard", "tensorboardX", "torch"]
autodoc_typehints = "signature"

html_theme = "furo"
html_title = f"mees {version}"
html_copy_source = False
html_show_sourcelink = False
