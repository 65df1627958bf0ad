"""Personas: who an agent is, in a YAML file read with YAML 1.2's meaning (the known client's).

There ``off``, ``yes`` and ``no`` are text, which YAML 1.1 would make truth values.
"""

from dataclasses import dataclass, field
from typing import Any

import yaml  # type: ignore[import-untyped]

from swarm.errors import UsageError, from_os

THINKING = ("off", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Persona:
    """``words``: its own limit of a content, 0 for the usual one.  ``more``: all other keys."""

    name: str = ""
    description: str = ""
    provider: str = ""
    model: str = ""
    thinking: str = ""
    prompt: str = ""
    words: float = 0
    more: dict[str, Any] = field(default_factory=dict)


NOBODY = Persona()
KEYS = frozenset(
    ("name", "description", "provider", "model", "thinkingLevel", "systemPrompt",
     "contentWordLimit")
)  # fmt: skip


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Truth values are true and false alone."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag not in (_BOOL, _TIME)]
    for _BOOL, _TIME in (("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"),)
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path: str) -> Persona:
    """Read a persona.  UsageError (``bad-persona``) says what is wrong with it."""
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.load(file, _Loader)
    except FileNotFoundError:
        raise UsageError(f"no file {path!r}", code="bad-persona") from None
    except OSError as error:
        raise from_os(error, "read", path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        line = str(error).splitlines()[0]
        raise UsageError(f"{path} is no YAML: {line}", code="bad-persona") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no keys", "see templates/persona.yaml", code="bad-persona")
    return _persona(path, found)


def _persona(path: str, found: dict[Any, Any]) -> Persona:
    level = _text(path, found, "thinkingLevel")
    if level and level not in THINKING:
        hint = f"one of {', '.join(THINKING)}"
        raise UsageError(f"{path}: thinkingLevel is {level!r}", hint, code="bad-persona")
    limit = found.get("contentWordLimit")
    return Persona(
        name=_required(path, found, "name"),
        description=_required(path, found, "description"),
        provider=_text(path, found, "provider"),
        model=_text(path, found, "model"),
        thinking=level,
        prompt=_text(path, found, "systemPrompt"),
        words=limit if isinstance(limit, int | float) and limit > 0 else 0,
        more={str(key): value for key, value in found.items() if key not in KEYS},
    )


def _required(path: str, found: dict[Any, Any], key: str) -> str:
    text = _text(path, found, key)
    if not text:
        raise UsageError(f"{path} has no {key}", f"add a line {key}: …", code="bad-persona")
    return text


def _text(path: str, found: dict[Any, Any], key: str) -> str:
    value = found.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{path}: {key} is no text", "put it in quotes", code="bad-persona")
    return (value or "").strip()
