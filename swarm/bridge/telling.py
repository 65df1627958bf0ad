"""Actions in words, for who asks what a bridge would do.  Pure."""

from swarm.bridge import plan
from swarm.bridge.crossing import File, Row
from swarm.bridge.plan import Action


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
        case plan.Enter():
            return "agent", action.session, "joins" if action.joined else action.status
        case plan.Register():
            return "entry", action.agent, action.status
        case plan.Receipt():
            return "receipt", f"{action.agent}/inbox/.read/{action.name}", ""
        case plan.Speak():
            return "say", action.agent, action.event.kind
        case plan.Flaw():
            return "flaw", action.about, action.text
    return _other(action)


def _other(action: Action) -> tuple[str, str, str]:
    match action:
        case plan.Part(agent=agent) | plan.Unregister(agent=agent):
            return "leave", agent, ""
        case plan.Welcome():
            return "mailbox", action.agent, action.session
        case plan.Restatus():
            return "status", action.agent, action.status
        case plan.Beat(session=one, seen=seen) | plan.Touch(agent=one, seen=seen):
            return "alive", one, f"{seen:.0f}"
        case plan.Mirrored() | plan.Advance():
            return "cursor", getattr(action, "session", "tree"), str(action.number)
    raise AssertionError(action)
