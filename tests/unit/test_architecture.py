"""Arrows point down only, and each library has one home."""

import ast
from pathlib import Path

import pytest

import swarm

PACKAGE = Path(swarm.__file__).parent
LAYERS = [
    (
        "swarm.errors",
        "swarm.names",
        "swarm.message",
        "swarm.events",
        "swarm.mamoru.tasks",
        "swarm.mamoru.signals",
        "swarm.mamoru.state",
        "swarm.mamoru.work",
        "swarm.mamoru.rules",
        "swarm.mamoru.conditions",
        "swarm.mamoru.effects",
        "swarm.mamoru.machine",
        "swarm.mamoru.render",
    ),
    ("swarm.mailbox", "swarm.front_matter", "swarm.team"),
    ("swarm.status", "swarm.doctor", "swarm.transport"),
    (
        "swarm.mamoru.alarms",
        "swarm.mamoru.backoff",
        "swarm.mamoru.child",
        "swarm.mamoru.forward",
        "swarm.mamoru.guarded",
        "swarm.mamoru.host",
        "swarm.mamoru.loop",
        "swarm.mamoru.rounds",
        "swarm.mamoru.run",
        "swarm.mamoru.run_command",
        "swarm.mamoru.standstill",
    ),
    ("swarm.cli", "swarm.__main__"),
]
HOMES = {
    "typer": "cli/",
    "rich": "cli/",
    "watchfiles": "mailbox/watch.py",
    "fcntl": "mailbox/",
    "sqlite3": "team/",
    "frontmatter": "front_matter.py",
}
PURE = {"errno", "unicodedata", "difflib", "collections", "swarm"}
# What a pure module that no hot command imports may use beside these.
PURE_TOO = PURE | {"json", "dataclasses", "datetime", "typing", "copy"}
PURE_MODULES = sorted(name.removeprefix("swarm.").replace(".", "/") for name in LAYERS[0])


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def layer(module: str) -> int | None:
    for number, roots in enumerate(LAYERS):
        if any(module == root or module.startswith(root + ".") for root in roots):
            return number
    return None


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    name = ".".join(["swarm", *path.relative_to(PACKAGE).with_suffix("").parts])
    own = layer(name.removesuffix(".__init__"))
    for target in imports(path):
        other = layer(target)
        if own is not None and other is not None:
            assert other <= own, f"{name} imports {target}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_each_library_has_one_home(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    for target in imports(path):
        home = HOMES.get(target.split(".")[0])
        assert home is None or place.startswith(home), f"{place} imports {target}"


@pytest.mark.parametrize("name", PURE_MODULES)
def test_the_lowest_layer_touches_no_system(name: str) -> None:
    tops = {target.split(".")[0] for target in imports(PACKAGE / f"{name}.py")}
    assert tops <= (PURE if name in ("errors", "names", "message") else PURE_TOO)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_disk_links_renames_removes_and_syncs(path: Path) -> None:
    steps = {"link", "rename", "replace", "renames", "unlink", "remove", "fsync", "symlink"}
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "os"
    }
    assert path.name == "disk.py" or not called & steps


def test_mail_and_team_do_not_know_each_other() -> None:
    """But for `disk`, the home of steps that a crash cannot halve."""
    for path in modules():
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith("mailbox/"):
            assert not [name for name in imports(path) if name.startswith("swarm.team")], place
        elif place.startswith("team/"):
            found = {name for name in imports(path) if name.startswith("swarm.mailbox")}
            assert found <= {"swarm.mailbox", "swarm.mailbox.disk"}, place


def test_a_transport_knows_one_store() -> None:
    """What is its own in a file begins with its name; the rest is for all of them."""
    homes = {"mail": "swarm.team", "team": "swarm.mailbox"}
    for path in (PACKAGE / "transport").glob("*.py"):
        kind = path.stem.partition("_")[0]
        others = {f"swarm.transport.{name}" for name in ("mail", "team", "memory") if name != kind}
        for target in imports(path):
            assert not target.startswith(tuple(others)), f"{path.name} imports {target}"
            if kind in homes:
                assert not target.startswith(homes[kind]), f"{path.name} imports {target}"
            else:
                assert not target.startswith(tuple(homes.values())), f"{path.name} imports {target}"
