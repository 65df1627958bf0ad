"""What others may import: a change of the outside is a change of these lists."""

import ast
import tomllib
from pathlib import Path

import pytest

import swarm

PACKAGE = Path(swarm.__file__).parent
LISTED = Path(__file__).with_name("public.txt")
PUBLIC = dict(line.split(":") for line in LISTED.read_text().splitlines())
# Others may not rely on what is within the fronts and the doctor.
PRIVATE = ("swarm.cli", "swarm.mcp", "swarm.__main__", "swarm.doctor.")


def name(path: Path) -> str:
    parts = ("swarm", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def file(module: str) -> Path:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def defined(module: str) -> set[str]:
    """What a module defines for others, and what a package's ``__all__`` hands on."""
    found: set[str] = set()
    for node in ast.parse(file(module).read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
            if ast.unparse(targets[0]) == "__all__" and node.value:
                found |= set(ast.literal_eval(node.value))
    private = {each for each in found if each.startswith("_") and each != "__version__"}
    return found - private - {"TYPE_CHECKING"}


def test_the_public_modules_are_these() -> None:
    found = sorted(name(path) for path in PACKAGE.rglob("*.py"))
    assert [module for module in found if not module.startswith(PRIVATE)] == list(PUBLIC)


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_module_has_these_names(module: str) -> None:
    assert sorted(defined(module)) == PUBLIC[module].split()


@pytest.mark.parametrize("module", PUBLIC)
def test_what_is_public_says_what_it_is(module: str) -> None:
    tree = ast.parse(file(module).read_text())
    kinds = (ast.FunctionDef, ast.ClassDef)
    public = [node for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"]
    assert ast.get_docstring(tree)
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def test_the_version_is_that_of_the_package() -> None:
    project = PACKAGE.parent / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == swarm.__version__
