"""Builds a wheel of each source folder: `build_wheels.py TARGET FOLDER...`."""

import os
import sys

from hatchling.build import build_wheel

target, *folders = sys.argv[1:]
for folder in folders:
    os.chdir(folder)
    build_wheel(target)
