"""Errors: one tree, each with its exit code, its word, and whether to try again."""

import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm import errors
from swarm.errors import SwarmError, Temporary, Unreadable, from_os

TREE = {
    "SwarmError": (1, "failed"),
    "Refused": (1, "refused"),
    "UsageError": (2, "usage"),
    "NoRoot": (3, "no-root"),
    "Unknown": (4, "unknown"),
    "Conflict": (5, "conflict"),
    "Unreadable": (6, "unreadable"),
    "Temporary": (75, "temporary"),
    "TimedOut": (124, "timeout"),
}


def test_each_class_has_the_exit_code_of_the_contract() -> None:
    kinds = [SwarmError, *SwarmError.__subclasses__()]
    assert {kind.__name__: (kind.exit, kind.code) for kind in kinds} == TREE
    assert [kind.__name__ for kind in kinds if kind.temporary] == ["Temporary"]


def test_an_error_may_have_a_word_of_its_own() -> None:
    error = errors.Unknown("no agent 'x' here", "did you mean y?", code="unknown-agent")
    assert (error.message, error.hint) == (str(error), "did you mean y?")
    assert (error.code, error.exit) == ("unknown-agent", 4)
    assert errors.Unknown("x").code == "unknown"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EIO])
def test_what_time_or_space_can_mend_is_temporary(number: int) -> None:
    error = from_os(OSError(number, os.strerror(number)), "write to", "bob/inbox")
    assert isinstance(error, Temporary) and "again" in error.hint


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_lack_of_rights_hints_at_the_permissions(number: int) -> None:
    refused = OSError(number, os.strerror(number))
    error = from_os(refused, "list", "bob/inbox", "bob")
    assert isinstance(error, Unreadable) and error.hint == "check the permissions of bob"


def test_where_it_is_not_known_whose_rights_lack_what_is_above_is_named_too() -> None:
    error = from_os(OSError(errno.EACCES, "Permission denied"), "make", "mail/.up.log")
    assert error.hint == "check the permissions of mail/.up.log and its folder"


@given(st.sampled_from(sorted(errno.errorcode)))
def test_every_system_error_names_the_path_the_reason_and_a_way_out(number: int) -> None:
    error = from_os(OSError(number, os.strerror(number)), "read", "a/b.txt")
    assert error.message == f"cannot read a/b.txt: {os.strerror(number)}"
    assert error.hint and error.temporary == (number in errors.TEMPORARY_ERRNOS)


def test_a_system_error_without_a_number_is_told_in_its_own_words() -> None:
    assert from_os(OSError("odd"), "read", "x").message == "cannot read x: odd"
