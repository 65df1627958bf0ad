"""Actions in words, for who asks what a bridge would do.  Pure."""

from swarm.bridge import actions
from swarm.bridge.actions import Action
from swarm.bridge.crossing import File, Row


def told(action: Action) -> tuple[str, str, str]:
    """What an action does, to whom or what, and how."""
    match action:
        case Row():
            return "row", action.key, action.event.kind
        case File():
            return (
                "file",
                f"{action.agent}/inbox/{action.name}",
                dict(action.lines).get("Event", ""),
            )
        case actions.Enter():
            return "agent", action.session, "joins" if action.joined else action.status
        case actions.Register():
            return "entry", action.agent, action.status
        case actions.Receipt():
            return "receipt", f"{action.agent}/inbox/.read/{action.name}", ""
        case actions.Speak():
            return "say", action.agent, action.event.kind
        case actions.Flaw():
            return "flaw", action.about, action.text
    return _other(action)


def _other(action: Action) -> tuple[str, str, str]:
    match action:
        case actions.Part(agent=agent) | actions.Unregister(agent=agent):
            return "leave", agent, ""
        case actions.Welcome():
            return "mailbox", action.agent, action.session
        case actions.Restatus():
            return "status", action.agent, action.status
        case actions.Beat(session=one, seen=seen) | actions.Touch(agent=one, seen=seen):
            return "alive", one, f"{seen:.0f}"
        case actions.Mirrored() | actions.Advance():
            return "cursor", getattr(action, "session", "tree"), str(action.number)
    raise AssertionError(action)
