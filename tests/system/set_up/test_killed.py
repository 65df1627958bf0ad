"""Killed at any step, or told that the disk is full: run again, and it is as if nothing had been."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from .site import HARNESSES, Site

HOOK = (Path(__file__).parents[1] / "killed" / "hook.py").read_text()


class Faults:
    """A site made anew for each step at which a command is disturbed."""

    def __init__(self, place: Path, *words: str) -> None:
        self.place = place
        self.words = words

    def site(self, name: str, installed: bool = False) -> Site:
        site = Site(self.place / name)
        site.put("AGENTS.md", "AGENTS.md")
        if installed:
            site.install("pi")
        return site

    def each(self, kind: str, installed: bool = False) -> Iterator[tuple[Site, int, str]]:
        """A site after each disturbed run, with its exit code and what it said."""
        for step in count(1):
            site = self.site(str(step), installed)
            log = self.place / f"{step}.steps"
            tree = str(site.project.parent)
            env = {"FAULT_TREE": tree, "FAULT_LOG": str(log), "FAULT_KIND": kind}
            done = site.run(*self.words, hook=HOOK, FAULT_AT=str(step), **env)
            steps = log.read_text().splitlines()
            if len(steps) < step:
                return
            if steps[step - 1] != "write" or done.returncode:
                yield site, done.returncode, done.stderr


def halves(site: Site, before: Site, after: Site) -> list[str]:
    """Files that are neither as before nor as after, but for hidden ones left by a kill."""
    old, new = before.seen(), after.seen()
    return [
        name
        for name, text in site.seen().items()
        if text not in (old.get(name), new.get(name)) and ".swarm-" not in name
    ]


def test_an_install_that_was_killed_is_completed_and_undone(tmp_path: Path) -> None:
    faults = Faults(tmp_path, "install", "pi")
    before, after = faults.site("before"), faults.site("after", installed=True)
    for site, code, _ in faults.each("before"):
        assert code and halves(site, before, after) == []
        site.install("pi")
        assert site.seen() == after.seen()
        site.install("pi", "--uninstall")
        assert site.seen() == before.seen() and site.records() == []


def test_an_uninstall_that_was_killed_is_completed(tmp_path: Path) -> None:
    faults = Faults(tmp_path, "install", "pi", "--uninstall")
    before, after = faults.site("before"), faults.site("after", installed=True)
    for site, _, _ in faults.each("before", installed=True):
        assert halves(site, before, after) == []
        site.install("pi", "--uninstall")
        assert site.seen() == before.seen() and site.records() == []


def test_a_full_disk_halves_no_file(tmp_path: Path) -> None:
    faults = Faults(tmp_path, "install", "pi")
    before, after = faults.site("before"), faults.site("after", installed=True)
    for site, code, err in faults.each("ENOSPC"):
        assert code == 75 and "hint: " in err, err
        assert halves(site, before, after) == []
        assert not [name for name in site.seen() if ".swarm-" in name]


def test_installs_at_once_wait_for_each_other(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.put("AGENTS.md", "AGENTS.md")
    before = site.seen()
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda name: site.run("install", name), HARNESSES))
    assert [one.returncode for one in done] == [0] * len(HARNESSES)
    assert (site.project / "AGENTS.md").read_text().count("<!-- swarm -->") == 1
    for name in HARNESSES:
        assert set(site.actions(name).values()) == {"unchanged"}
    site.install(*HARNESSES, "--uninstall")
    assert site.seen() == before


def test_what_a_killed_run_left_half_written_goes_with_the_next(tmp_path: Path) -> None:
    site = Site(tmp_path)
    (site.project / ".swarm-999999999-1.tmp").write_text("half")
    site.install("claude")
    assert not list(site.project.glob(".swarm-*"))
