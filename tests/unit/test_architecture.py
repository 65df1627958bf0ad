"""Arrows point down only, each library has one home, and nothing grows too long to be read."""

import ast
from pathlib import Path

import pytest

import swarm

PACKAGE = Path(swarm.__file__).parent
# A module imports from its own layer and those before it.
LAYERS = [
    (
        "swarm.errors",
        "swarm.ages",
        "swarm.dates",
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
        "swarm.mamoru.roster_text",
        "swarm.bridge.words",
        "swarm.bridge.who",
        "swarm.bridge.crossing",
        "swarm.bridge.actions",
        "swarm.bridge.people",
        "swarm.bridge.plan",
        "swarm.bridge.telling",
        "swarm.harness.known",
        "swarm.harness.notice",
        "swarm.harness.answer",
        "swarm.harness.prompt",
    ),
    (
        "swarm.disk",
        "swarm.lock",
        "swarm.stopping",
        "swarm.mailbox",
        "swarm.front_matter",
        "swarm.persona",
        "swarm.team",
    ),
    (
        "swarm.status",
        "swarm.identity",
        "swarm.keeping",
        "swarm.harness",
        "swarm.workload",
        "swarm.doctor",
        "swarm.install",
        "swarm.transport",
        "swarm.bridge.apply",
        "swarm.bridge.bridge",
        "swarm.bridge.census",
        "swarm.bridge.channel_side",
        "swarm.bridge.details",
        "swarm.bridge.health",
        "swarm.bridge.mail_side",
        "swarm.bridge.pair",
        "swarm.bridge.running",
        "swarm.bridge.workers",
    ),
    (
        "swarm.trace",
        "swarm.up",
        "swarm.mamoru.alarms",
        "swarm.mamoru.backoff",
        "swarm.mamoru.child",
        "swarm.mamoru.following",
        "swarm.mamoru.forward",
        "swarm.mamoru.guarded",
        "swarm.mamoru.host",
        "swarm.mamoru.loop",
        "swarm.mamoru.rounds",
        "swarm.mamoru.run",
        "swarm.mamoru.run_command",
        "swarm.mamoru.speaking",
        "swarm.mamoru.standstill",
    ),
    ("swarm.mcp",),
    ("swarm.cli", "swarm.__main__"),
]
FRONTS = {"swarm.cli": {"swarm.__main__"}, "swarm.mcp": {"swarm.cli.serve_commands"}}
HOMES = {
    "typer": "cli/",
    "rich": "cli/",
    "watchfiles": "mailbox/watch.py",
    "fcntl": ("disk.py", "lock.py", "mailbox/wait.py"),
    "sqlite3": "team/",
    "frontmatter": "front_matter.py",
    "yaml": "persona.py",
    "mcp": "mcp/",
    "anyio": "mcp/",
    "pydantic": "mcp/",
    "typing_extensions": "mcp/",
}
PURE = {"errno", "unicodedata", "difflib", "collections", "swarm"}
# What a pure module that no hot command imports may use beside these.
PURE_TOO = PURE | {"hashlib", "json", "dataclasses", "datetime", "typing", "copy"}
PURE_MODULES = sorted(name.removeprefix("swarm.").replace(".", "/") for name in LAYERS[0])
STEPS = {"link", "rename", "replace", "renames", "unlink", "remove", "fsync", "symlink", "rmdir"}
OUTPUT = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
MODULES = sorted(PACKAGE.rglob("*.py"))
each_module = pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))


def name(path: Path) -> str:
    parts = ("swarm", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text())))


def imports(path: Path) -> set[str]:
    """Everything imported, also within functions; relative imports are not used."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{path}:{node.lineno}"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer(module: str) -> int | None:
    for number, packages in enumerate(LAYERS):
        if any(within(module, package) for package in packages):
            return number
    return None


@each_module
def test_imports_point_down(path: Path) -> None:
    own = layer(name(path))
    for target in imports(path):
        other = layer(target)
        if own is not None and other is not None:
            assert other <= own, f"{name(path)} imports {target}"


@each_module
def test_every_module_has_its_layer(path: Path) -> None:
    assert (
        name(path) in ("swarm", "swarm.mamoru", "swarm.bridge", "swarm.harness")
        or layer(name(path)) is not None
    )


@each_module
def test_nothing_imports_a_front_but_what_starts_it(path: Path) -> None:
    for front, starters in FRONTS.items():
        if not within(name(path), front) and name(path) not in starters:
            assert not [target for target in imports(path) if within(target, front)]


@each_module
def test_each_library_has_one_home(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    for target in imports(path):
        home = HOMES.get(target.split(".")[0])
        assert home is None or place.startswith(home), f"{place} imports {target}"


@pytest.mark.parametrize("module", PURE_MODULES)
def test_the_lowest_layer_touches_no_system(module: str) -> None:
    tops = {target.split(".")[0] for target in imports(PACKAGE / f"{module}.py")}
    assert tops <= (PURE if module in ("errors", "names", "message") else PURE_TOO)


@each_module
def test_only_disk_links_renames_removes_and_syncs(path: Path) -> None:
    called = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os"}  # fmt: skip
    assert name(path) == "swarm.disk" or not called & STEPS


def test_mail_and_team_do_not_know_each_other() -> None:
    for path in MODULES:
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith("mailbox/"):
            assert not [name for name in imports(path) if name.startswith("swarm.team")], place
        elif place.startswith("team/"):
            assert not [name for name in imports(path) if name.startswith("swarm.mailbox")], place


@each_module
def test_only_the_command_line_prints(path: Path) -> None:
    for node in nodes(path):
        text = ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""
        assert within(name(path), "swarm.cli") or text not in {*OUTPUT, "print"}


@each_module
def test_a_file_is_shorter_than_500_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 500


@pytest.mark.parametrize("folder", ["scripts", "tests"])
def test_so_is_a_file_of_the_tests_and_scripts(folder: str) -> None:
    for path in (PACKAGE.parent / folder).rglob("*.py"):
        assert len(path.read_text().splitlines()) < 500, path


@each_module
def test_a_function_is_shorter_than_50_lines(path: Path) -> None:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno and node.end_lineno - node.lineno + 1 < 50, node.name


@pytest.mark.parametrize("folder", ["", "mailbox", "cli", "harness"])
def test_the_tests_mirror_the_package(folder: str) -> None:
    """Each module has tests of its name, but those that others cover whole."""
    tests = {path.name for path in (Path(__file__).parent / folder).glob("test_*.py")}
    # By tests/system, which run the command itself.
    elsewhere = {
        "app", "bridge", "bridge_commands", "call", "commands", "grammar", "guard", "guard_commands", "hook", "install", "install_commands", "known",
        "mail", "nudge", "nudging", "options", "run", "serve", "serve_commands", "stores", "task", "task_commands", "task_views", "team",
        "team_commands", "telling", "tmux", "trace", "trace_commands", "up", "up_commands", "words",
    }  # fmt: skip
    modules = {path.stem for path in (PACKAGE / folder).glob("[!_]*.py")} - elsewhere
    assert {f"test_{module}.py" for module in modules} <= tests


@each_module
def test_no_file_is_made_through_a_link_that_somebody_put_there(path: Path) -> None:
    """In a folder of others, or of a repository, a fixed name may be a link to any file of ours."""
    safe = {"O_EXCL", "O_NOFOLLOW"}
    for node in nodes(path):
        if isinstance(node, ast.Assign | ast.Call):
            flags = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
            assert "O_CREAT" not in flags or flags & safe, ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "open":
            modes = [part.value for part in node.args[1:2] if isinstance(part, ast.Constant)]
            assert not modes or "r" in modes[0], ast.unparse(node)
