// Written by `swarm install pi`; `swarm install --uninstall pi` takes it out.
// It asks swarm whether mail waits, and passes the notice on. It never blocks and never fails.
import { spawn } from "node:child_process"
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent"

const SWARM = ["swarm"]
const PATIENCE_MS = 5_000
const LOOK_MS = 15_000

/** The notice on new mail, "" if there is none or swarm cannot tell. */
function notice(event: string, ctx: ExtensionContext): Promise<string> {
  return new Promise((resolve) => {
    try {
      const child = spawn(SWARM[0], [...SWARM.slice(1), "hook", "pi", event], {
        cwd: ctx.cwd,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: PATIENCE_MS,
      })
      let said = ""
      child.on("error", () => resolve(""))
      child.stdout.on("data", (part: Buffer) => (said += part))
      child.on("close", () => resolve(read(said)))
      child.stdin.on("error", () => {})
      const session = ctx.sessionManager.getSessionId()
      child.stdin.end(JSON.stringify({ session_id: session, cwd: ctx.cwd }))
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

export default function swarm(pi: ExtensionAPI): void {
  let timer: ReturnType<typeof setInterval> | undefined
  let unsaid = "" // swarm says a thing once: what was not passed on waits

  async function ask(event: string, ctx: ExtensionContext): Promise<string> {
    const text = [unsaid, await notice(event, ctx)].filter(Boolean).join("\n\n")
    unsaid = ""
    return text
  }

  function busy(): void {
    clearInterval(timer)
    timer = undefined
  }

  async function wake(ctx: ExtensionContext): Promise<void> {
    try {
      if (!ctx.isIdle() || ctx.hasPendingMessages()) return
      const text = await ask("idle", ctx)
      if (timer && ctx.isIdle() && text) pi.sendUserMessage(text, { deliverAs: "followUp" })
      else unsaid = text
    } catch {
      busy() // the session is gone
    }
  }

  pi.on("session_start", async (_event, ctx) => {
    busy()
    // The shells of the agent's tools inherit it.
    process.env.SWARM_SESSION = `pi-${ctx.sessionManager.getSessionId()}`
    unsaid = await notice("session-start", ctx)
  })
  pi.on("before_agent_start", async (_event, ctx) => {
    busy()
    const content = await ask("prompt", ctx)
    return content ? { message: { customType: "swarm", content, display: true } } : undefined
  })
  pi.on("tool_result", async (event, ctx) => {
    const text = await ask("tool", ctx)
    return text ? { content: [...event.content, { type: "text", text }] } : undefined
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    const content = await ask("idle", ctx)
    if (!content) return undefined
    const said = { type: "custom_message" as const, customType: "swarm", content, display: true }
    return { entries: [...event.entries, said], continue: true }
  })
  pi.on("agent_end", async (_event, ctx) => {
    busy()
    if (!ctx.hasUI) return // `pi -p` answers and ends
    timer = setInterval(() => void wake(ctx), LOOK_MS)
    timer.unref?.()
    setTimeout(() => void wake(ctx), 0)
  })
  pi.on("session_shutdown", async (_event, ctx) => {
    busy()
    await notice("session-end", ctx)
  })
}
