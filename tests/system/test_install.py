"""The package as a user gets it: built, installed into an empty environment, run elsewhere."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TEMPLATES = CHECKOUT / "templates"

pytestmark = pytest.mark.slow

# What points a Python or swarm at something other than the environment under test.
LEAKS = ("PYTHON", "VIRTUAL_ENV", "SWARM_", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=CLEAN, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def must(*command: str | Path, cwd: Path) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Environment:
    """An empty virtual environment, made by venv, or by uv or virtualenv where that is missing."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.bin = home / "bin"
        self.uv = False
        said = ""
        for command in (
            (sys.executable, "-m", "venv", home),
            ("uv", "venv", "-q", "--python", sys.executable, home),
            ("virtualenv", "-q", "-p", sys.executable, home),
        ):
            if not shutil.which(command[0]):
                continue
            done = run(*command, cwd=home.parent)
            if done.returncode == 0:
                self.uv = command[0] == "uv"
                return
            said += done.stdout + done.stderr
            shutil.rmtree(home, ignore_errors=True)
        pytest.skip(f"no virtual environment can be made here: {said[-300:]}")

    def pip(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        if not self.uv:
            return run(self.bin / "python", "-m", "pip", "-qq", *arguments, cwd=self.home)
        return run("uv", "pip", "-q", *arguments, "--python", self.bin / "python", cwd=self.home)

    def build(self, kind: str, into: Path, source: Path) -> Path:
        """Build a wheel or an sdist with the very backend that pyproject.toml names."""
        command = (self.bin / "python", "-m", "hatchling", "build", "-t", kind, "-d", into)
        must(*command, cwd=source)
        (built,) = into.iterdir()
        return built


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    return lambda name: Environment(tmp_path_factory.mktemp("environments") / name)


@pytest.fixture(scope="module")
def builder(environment: Callable[[str], Environment]) -> Environment:
    made = environment("build")
    done = made.pip("install", "hatchling>=1.27")
    if done.returncode:
        pytest.skip(f"the package registry is out of reach: {done.stderr.strip()[-300:]}")
    return made


@pytest.fixture(scope="module")
def wheel(builder: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return builder.build("wheel", tmp_path_factory.mktemp("wheel"), CHECKOUT)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_carries_every_template(wheel: Path) -> None:
    inside = contents(wheel)
    templates = [path for path in TEMPLATES.rglob("*") if path.is_file()]
    assert templates
    for path in templates:
        name = f"swarm/templates/{path.relative_to(TEMPLATES).as_posix()}"
        assert inside.get(name) == path.read_bytes(), name


def test_the_wheel_brings_its_own_launcher_and_no_entry_point(wheel: Path) -> None:
    inside = contents(wheel)
    (launcher,) = (name for name in inside if ".data/scripts/" in name)
    assert launcher.endswith(".data/scripts/swarm")
    lines = inside[launcher].decode().splitlines()
    assert lines[0] == "#!python"
    code = [line for line in lines if line and not line.startswith("#")]
    assert code == ["from swarm.__main__ import main", "main()"]
    assert not any(name.endswith("entry_points.txt") for name in inside)


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in contents(wheel)}
    assert {top for top in tops if not top.startswith("monkey_swarm-")} == {"swarm"}


def test_a_wheel_from_the_sdist_is_the_same(
    builder: Environment, wheel: Path, tmp_path: Path
) -> None:
    for folder in ("sdist", "source", "wheel"):
        (tmp_path / folder).mkdir()
    sdist = builder.build("sdist", tmp_path / "sdist", CHECKOUT)
    shutil.unpack_archive(sdist, tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = builder.build("wheel", tmp_path / "wheel", source)
    assert contents(again) == contents(wheel)


def test_the_wheel_works_from_an_empty_environment_and_another_directory(
    environment: Callable[[str], Environment], wheel: Path, tmp_path: Path
) -> None:
    installed = environment("user")
    done = installed.pip("install", wheel)
    assert done.returncode == 0, done.stderr
    swarm = installed.bin / "swarm"

    assert "unread" in must(swarm, "--help", cwd=tmp_path)
    must(swarm, "init", "--agents", "alice", cwd=tmp_path)
    assert (tmp_path / "mail" / "dir").is_dir()
    worker = ("--role", "builder", "--archetype", "specialist", "--task", "fix the build")
    assert must(swarm, "register", "carl", *worker, cwd=tmp_path).strip() == "carl"

    letter = ("send", "carl", "-s", "build is red", "-m", "see the log")
    path = must(swarm, "--as", "alice", *letter, cwd=tmp_path).strip()
    assert (tmp_path / "mail" / path).is_file()
    line = must(swarm, "--as", "carl", "unread", cwd=tmp_path).rstrip("\n")
    assert line.split("\t") == [Path(path).name, "alice", "build is red"]
