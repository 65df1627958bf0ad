// Written by `swarm install opencode`; `swarm install --uninstall opencode` takes it out.
// It asks swarm whether mail waits, and passes the notice on. It never blocks and never fails.
import { spawn } from "node:child_process"
import type { Plugin } from "@opencode-ai/plugin"

const SWARM = ["swarm"]
const PATIENCE_MS = 5_000
const LOOK_MS = 15_000
// `opencode run` ends when its session is idle: what is said at once is lost with it.
const FIRST_LOOK_MS = 1_000

/** The notice on new mail, "" if there is none or swarm cannot tell. */
function notice(event: string, session: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    try {
      const child = spawn(SWARM[0], [...SWARM.slice(1), "hook", "opencode", event], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: PATIENCE_MS,
      })
      let said = ""
      child.on("error", () => resolve(""))
      child.stdout.on("data", (part: Buffer) => (said += part))
      child.on("close", () => resolve(read(said)))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ session_id: session, cwd }))
    } catch {
      resolve("")
    }
  })
}

function read(said: string): string {
  try {
    const found: unknown = JSON.parse(said || "{}").notice
    return typeof found === "string" ? found : ""
  } catch {
    return ""
  }
}

export const SwarmPlugin: Plugin = async ({ client, directory }) => {
  const children = new Set<string>() // sessions of subagents: mail is not for them
  const idle = new Map<string, ReturnType<typeof setTimeout>>()
  const unsaid = new Map<string, string>() // swarm says a thing once: what was not passed on waits

  async function ask(event: string, session: string): Promise<string> {
    const text = await notice(event, session, directory)
    const all = [unsaid.get(session), text].filter(Boolean).join("\n\n")
    unsaid.delete(session)
    return all
  }

  async function wake(session: string): Promise<void> {
    const text = await ask("idle", session)
    if (!text) return
    if (!idle.has(session)) {
      unsaid.set(session, text)
      return
    }
    busy(session)
    await client.session
      .promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text }] } })
      .catch(() => unsaid.set(session, text))
  }

  function rest(session: string, after = FIRST_LOOK_MS): void {
    busy(session)
    const timer = setTimeout(async () => {
      await wake(session)
      if (idle.get(session) === timer) rest(session, LOOK_MS)
    }, after)
    timer.unref?.()
    idle.set(session, timer)
  }

  function busy(session: string): void {
    clearTimeout(idle.get(session))
    idle.delete(session)
  }

  return {
    event: async ({ event }) => {
      if (event.type === "session.created") {
        const { id, parentID } = event.properties.info
        if (parentID) children.add(id)
        else unsaid.set(id, await notice("session-start", id, directory))
      } else if (event.type === "session.idle") {
        if (!children.has(event.properties.sessionID)) rest(event.properties.sessionID)
      } else if (event.type === "session.deleted") {
        busy(event.properties.info.id)
        void notice("session-end", event.properties.info.id, directory)
      }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      busy(sessionID)
      if (children.has(sessionID)) return
      const text = await ask("prompt", sessionID)
      if (!text) return
      const last = parts.at(-1)?.id ?? "prt_"
      // Parts are kept in the order of their ids: after the last one comes that id and more.
      parts.push({
        id: `${last}swarm`, sessionID, messageID: message.id, type: "text", text, synthetic: true,
      })
    },
    "tool.execute.after": async ({ sessionID }, output) => {
      if (children.has(sessionID)) return
      const text = await ask("tool", sessionID)
      if (text) output.output = `${output.output}\n\n${text}`
    },
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID && !children.has(sessionID)) env.SWARM_SESSION = `opencode-${sessionID}`
    },
    dispose: async () => {
      for (const session of [...idle.keys()]) busy(session)
    },
  }
}
