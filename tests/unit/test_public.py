"""What others may import: a change of the outside is a change of these lists."""

import ast
import tomllib
from pathlib import Path

import pytest

import swarm

PACKAGE = Path(swarm.__file__).parent
MODULES = """
    swarm swarm.__main__ swarm.errors swarm.front_matter swarm.message swarm.names swarm.status
    swarm.cli swarm.cli.app swarm.cli.commands swarm.cli.describe swarm.cli.grammar swarm.cli.mail
    swarm.cli.main swarm.cli.options swarm.cli.overview swarm.cli.parse swarm.cli.reading
    swarm.cli.render swarm.cli.run
    swarm.doctor swarm.doctor.boxes swarm.doctor.entries swarm.doctor.finding swarm.doctor.folders
    swarm.doctor.left_over swarm.doctor.mail swarm.doctor.rights swarm.doctor.strays
    swarm.mailbox swarm.mailbox.archive swarm.mailbox.delivery swarm.mailbox.disk
    swarm.mailbox.find swarm.mailbox.inbox swarm.mailbox.layout swarm.mailbox.reading
    swarm.mailbox.receipts swarm.mailbox.registry swarm.mailbox.threads swarm.mailbox.wait
    swarm.mailbox.watch
"""
PUBLIC = {
    "swarm": "__version__",
    "swarm.errors": """
        Conflict NoRoot SwarmError TEMPORARY_ERRNOS Temporary TimedOut Unknown Unreadable UsageError
        from_os
    """,
    "swarm.names": """
        ALNUM HEX_CHARS ID_CHARS ID_MAX NUMBER_MAX RESERVED_IDS SLUG_CHARS SLUG_MAX check_id closest
        is_id is_message_name leading_number message_name next_number order shown slug split_name
        thread_key
    """,
    "swarm.message": """
        BODY_MAX BOM FALLBACK_SUBJECT_MAX FINAL_STATUSES HEADER_MAX Header Message NAME_BYTES
        REQUIRED STATUSES check_body check_value fill format_message is_control parse with_status
    """,
    "swarm.front_matter": "MailHandler",
    "swarm.status": "AgentState KINDS Problem SILENT_AFTER WAITING_AFTER overview",
    "swarm.doctor": "Finding examine",
    "swarm.mailbox": "",
    "swarm.mailbox.archive": "NAME_BYTES SETTABLE archive mark",
    "swarm.mailbox.delivery": """
        ANSWERS Delivered Delivery ORDER SHORT_TRIES load_template reply send
    """,
    "swarm.mailbox.disk": """
        Lock NEW_FLAGS NO_FLOCK NO_LINKS NO_SYNC READ_FLAGS TEMP_PREFIX TEMP_SUFFIX create
        is_regular move open_regular publish read read_fd remove replace sync_folder try_lock
        write_all write_temp
    """,
    "swarm.mailbox.find": "find",
    "swarm.mailbox.inbox": """
        GONE GROWTH HEAD Item OURS PLAIN RULE SHAPES_MAX count_unread in_order is_mail load
        message_names open_folder read_head unread unread_and_receipts unread_names
    """,
    "swarm.mailbox.layout": """
        FOLDERS ORCHESTRATOR Root bad_mailbox blame boxes check_inbox check_known find_root has_box
        has_entry init is_known known make_box make_folder registered twin
    """,
    "swarm.mailbox.reading": "Claim GONE claim look",
    "swarm.mailbox.receipts": "has renew write",
    "swarm.mailbox.registry": """
        ARCHETYPES Entry FINISHED KEYS STATUSES UNITS age cleanup entries entry last_sign parse_age
        register unregister update
    """,
    "swarm.mailbox.threads": "Found search sent summary thread",
    "swarm.mailbox.wait": "Bell F_OWNER_TID F_SETOWN_EX LOOK POLL Place SETTLE wait",
    "swarm.mailbox.watch": "FOLDERS KINDS Listing RESCAN_MS watch",
}


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


def test_the_modules_are_these() -> None:
    found = sorted(name(path) for path in PACKAGE.rglob("*.py"))
    assert found == sorted(MODULES.split())


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_module_has_these_names(module: str) -> None:
    assert sorted(defined(module)) == sorted(PUBLIC[module].split())


def test_the_mailbox_is_public_as_a_whole() -> None:
    mailbox = [module for module in MODULES.split() if module.startswith("swarm.mailbox")]
    assert [module for module in PUBLIC if module.startswith("swarm.mailbox")] == mailbox


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
