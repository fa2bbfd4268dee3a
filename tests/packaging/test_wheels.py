"""What is in the archives that a release uploads."""

import configparser
import re

import pytest
from packaging.requirements import Requirement

from wieldy import __version__

DISTRIBUTIONS = ["wieldy", "wieldy-bash", "wieldy-python", "wieldy-sandbox-local"]

ENTRY_POINTS = {
    "wieldy": {
        "console_scripts": {"wieldy": "wieldy.__main__:main"},
        "wieldy": {"builtin": "wieldy.builtin"},
    },
    "wieldy-bash": {"wieldy": {"bash": "wieldy_bash.plugin"}},
    "wieldy-python": {"wieldy": {"python": "wieldy_python.plugin"}},
    "wieldy-sandbox-local": {"wieldy": {"sandbox-local": "wieldy_sandbox_local.plugin"}},
}


@pytest.fixture(params=DISTRIBUTIONS)
def each(request, built):
    """Each distribution, as it was built."""
    return built[request.param]


def test_every_folder_of_the_repository_is_covered(tree, built, request) -> None:
    """A distribution that is added to the repository is added to these tests."""
    root = request.config.rootpath
    patterns = ("core/pyproject.toml", "plugins/*/pyproject.toml", "sandboxes/*/pyproject.toml")
    found = {str(path.parent.relative_to(root)) for glob in patterns for path in root.glob(glob)}
    copied = {str(path.parent.relative_to(tree)) for glob in patterns for path in tree.glob(glob)}
    assert found == copied


def test_the_version_is_that_of_core(each) -> None:
    """All distributions have the one version, in the archive's name and in its metadata."""
    found = each.metadata["Name"], each.metadata["Version"], each.wheel.name, each.sdist.name
    assert found == (
        each.name,
        __version__,
        f"{each.module}-{__version__}-py3-none-any.whl",
        f"{each.module}-{__version__}.tar.gz",
    )


def test_the_metadata_is_complete(each) -> None:
    """A package index can show what it is, under which licence, and for which Python."""
    metadata = each.metadata
    assert metadata["Summary"]
    assert metadata["Author"] == "The Wieldy authors"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().strip().startswith("#")


def test_a_plugin_needs_the_core_of_its_own_version(each) -> None:
    """A plugin declares core, in a range that has the version that it was built with."""
    needed = [Requirement(text) for text in each.metadata.get_all("Requires-Dist", [])]
    core = [each for each in needed if each.name == "wieldy" and each.marker is None]
    if each.name == "wieldy":
        assert core == []
    else:
        assert [__version__ in requirement.specifier for requirement in core] == [True]


def test_the_extras_of_core_are_there(built) -> None:
    """`wieldy[demo]` and `wieldy[all]` bring plugins of the same version; nothing else does."""
    metadata = built["wieldy"].metadata
    assert sorted(metadata.get_all("Provides-Extra")) == ["all", "demo", "testing"]
    needed = [Requirement(text) for text in metadata.get_all("Requires-Dist")]
    ours = [each for each in needed if each.name.startswith("wieldy-")]
    assert sorted({each.name for each in ours}) == DISTRIBUTIONS[1:]
    assert [__version__ in each.specifier for each in ours] == [True] * len(ours)
    assert ["extra ==" in str(each.marker) for each in ours] == [True] * len(ours)


def test_core_needs_no_plugin_and_no_provider(built) -> None:
    """What only a plugin uses is a dependency of that plugin."""
    needed = [Requirement(text) for text in built["wieldy"].metadata.get_all("Requires-Dist")]
    assert sorted(each.name for each in needed if each.marker is None) == [
        "anyio",
        "click",
        "docstring-parser",
        "jsonschema",
        "pluggy",
        "pydantic",
        "pyyaml",
        "referencing",
        "rich",
        "typing-extensions",
    ]


def test_the_entry_points_are_there(each) -> None:
    """Installed, it is found by the group `wieldy`; core brings the command."""
    parser = configparser.ConfigParser()
    parser.read_string(each.read("entry_points.txt"))
    found = {section: dict(parser[section]) for section in parser.sections()}
    assert found == ENTRY_POINTS[each.name]


def test_a_wheel_has_what_belongs_to_it(each) -> None:
    """A wheel has its one package, marked as typed, its licence and its metadata."""
    files = each.files()
    info = f"{each.module}-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in files} == {each.module, info}
    assert f"{each.module}/py.typed" in files
    assert sorted(name for name in files if name.startswith(info)) == [
        f"{info}/METADATA",
        f"{info}/RECORD",
        f"{info}/WHEEL",
        f"{info}/entry_points.txt",
        f"{info}/licenses/LICENSE",
    ]


def test_a_wheel_has_all_of_its_package(each, tree) -> None:
    """Every file of the package is in the wheel, data files included, and nothing else."""
    (source,) = tree.glob(f"*/**/src/{each.module}")
    expected = sorted(
        f"{each.module}/{path.relative_to(source).as_posix()}"
        for path in source.rglob("*")
        if path.is_file()
    )
    assert [name for name in each.files() if ".dist-info/" not in name] == expected


def test_a_source_archive_has_what_belongs_to_it(each) -> None:
    """Nothing strays into the source archive: no tests, caches or settings of editors."""
    outside = [name for name in each.source_files() if not name.startswith("src/")]
    assert outside == ["LICENSE", "PKG-INFO", "README.md", "pyproject.toml"]


def test_nothing_is_stray(each) -> None:
    """No compiled file, cache or hidden file is in any archive."""
    stray = re.compile(r"__pycache__|\.pyc$|(^|/)\.|~$|\.orig$")
    assert [name for name in each.files() + each.source_files() if stray.search(name)] == []


def test_the_licence_is_that_of_the_repository(each, request) -> None:
    """Every distribution carries the repository's licence."""
    licence = (request.config.rootpath / "LICENSE").read_text()
    assert each.read("licenses/LICENSE") == licence
