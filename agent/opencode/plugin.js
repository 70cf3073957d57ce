// Written by `entire enable --agent {{AGENT}}`, which replaces this file; `entire agent remove {{AGENT}}` deletes it.
// It reports to the program `entire` (https://entire.io) when a turn begins and ends. It has no dependencies, does
// nothing where the program is missing, and never fails the agent.
import { spawn } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

const AGENT = "{{AGENT}}"
const COMMAND = {{COMMAND}} // the program, and its arguments before "hooks"
const BEFORE = {{BEFORE}} // the tools whose calls are reported before they run, "*" for all
const AFTER = {{AFTER}} // and after; a command that may commit is always reported
const START_MS = 15000 // how long a prompt waits for the program
const END_MS = 45000
const MAX_BYTES = 56 * 1024 * 1024 // of a conversation; the program reads no more
const MAX_DEPTH = 4 // of subagents in subagents

// recorded returns the program that `entire enable` noted in the git directory around dir, "" for none.
function recorded(dir) {
  for (let at = dir; at && at !== dirname(at); at = dirname(at)) {
    let git = join(at, ".git")
    if (!existsSync(git)) continue
    if (statSync(git).isFile()) git = readFileSync(git, "utf8").trim().replace(/^gitdir: /, "")
    if (!isAbsolute(git)) git = join(at, git)
    if (existsSync(join(git, "commondir"))) {
      const common = readFileSync(join(git, "commondir"), "utf8").trim()
      git = isAbsolute(common) ? common : join(git, common)
    }
    const program = readFileSync(join(git, "entire", "program"), "utf8").split("\n")[0]
    return existsSync(program) ? program : ""
  }
  return ""
}

// start runs a program with the payload on its standard input and returns what it printed; undefined if there is no
// such program.
function start(program, args, payload, cwd, limit) {
  return new Promise((resolve) => {
    let out = ""
    let child
    try {
      child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    } catch {
      return resolve(undefined)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      resolve("")
    }, limit)
    const end = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
    child.on("error", (err) => end(err && err.code === "ENOENT" ? undefined : ""))
    child.on("close", () => end(out))
    child.stdout.on("data", (data) => {
      if (out.length < 1 << 20) out += data
    })
    child.stdin.on("error", () => {})
    child.stdin.end(payload)
  })
}

// call runs one hook and returns the object that it printed, {} for none.
async function call(verb, payload, cwd, limit) {
  try {
    const text = JSON.stringify(payload)
    const args = [...COMMAND.slice(1), "hooks", AGENT, verb]
    let out = await start(COMMAND[0], args, text, cwd, limit)
    if (out === undefined) {
      const program = recorded(cwd)
      if (program) out = await start(program, args, text, cwd, limit)
    }
    return (out && JSON.parse(out)) || {}
  } catch {
    return {}
  }
}

// recorder keeps what is known of the sessions of one project. read is how the agent's own interface is asked:
// read.session(id) and read.messages(id).
function recorder(read, cwd) {
  const sessions = new Map() // by ID: {parent, version, open, removed, known}
  const queues = new Map() // by ID: the hook that runs, so that hooks run in order

  async function about(id) {
    let s = sessions.get(id)
    if (!s) {
      s = { parent: "", version: "", open: false, removed: new Set(), known: false }
      sessions.set(id, s)
    }
    if (!s.known) {
      try {
        const info = await read.session(id)
        if (info) learn(info)
      } catch {}
    }
    return s
  }

  function learn(info) {
    const s = sessions.get(info.id) || { parent: "", version: "", open: false, removed: new Set(), known: false }
    s.parent = info.parentID || ""
    s.version = info.version || s.version
    s.known = true
    sessions.set(info.id, s)
  }

  function inOrder(id, work) {
    const next = (queues.get(id) || Promise.resolve()).then(work, work).catch(() => {})
    queues.set(id, next)
    return next
  }

  // messagesOf returns the messages of a session and of the subagents that its calls started.
  async function messagesOf(id, s, depth = 0) {
    let all = []
    try {
      all = (await read.messages(id)) || []
    } catch {}
    all = all.filter((m) => m && m.info && !s.removed.has(m.info.id))
    if (depth >= MAX_DEPTH) return all
    const children = new Set()
    for (const m of all)
      for (const p of m.parts || []) {
        const child = p.type === "tool" && p.state && p.state.metadata && p.state.metadata.sessionId
        if (typeof child === "string" && child !== id) children.add(child)
      }
    for (const child of children) all = all.concat(await messagesOf(child, s, depth + 1))
    return all
  }

  async function conversation(id, s) {
    const messages = await messagesOf(id, s)
    let size = 0
    for (const m of messages) size += JSON.stringify(m).length
    return size > MAX_BYTES ? { too_long: size } : { messages }
  }

  return {
    learn,
    removed: (id) => (sessions.get(id) || { removed: new Set() }).removed,
    // prompt reports the start of a turn. Before the first one of this process it also sends what was said before.
    async prompt(id, text, model) {
      const s = await about(id)
      if (s.parent) return
      const first = !s.seen
      s.seen = s.open = true
      await inOrder(id, async () => {
        const before = first ? await conversation(id, s) : {}
        const answer = await call("turn-start", { version: 1, session_id: id, cwd, prompt: text, model, agent_version: s.version, ...before }, cwd, START_MS)
        if (Array.isArray(answer.removed)) s.removed = new Set(answer.removed)
      })
    },
    async idle(id) {
      const s = await about(id)
      if (s.parent || !s.open) return
      s.open = false
      await inOrder(id, async () => {
        const all = await conversation(id, s)
        await call("turn-end", { version: 1, session_id: id, cwd, agent_version: s.version, ...all }, cwd, END_MS)
      })
    },
    // said sends the conversation so far, so that a commit which the agent makes now finds the calls before it.
    async said(id) {
      let s = await about(id)
      for (let i = 0; s.parent && i < MAX_DEPTH; i++) s = await about((id = s.parent))
      if (!s.open) return
      await inOrder(id, async () => {
        const all = await conversation(id, s)
        if (all.messages) all.messages = all.messages.filter((m) => m.info.role === "user" || (m.info.time && m.info.time.completed))
        await call("said", { version: 1, session_id: id, cwd, agent_version: s.version, ...all }, cwd, START_MS)
      })
    },
    async tool(verb, id, tool, callID, args) {
      if (verb === "pre-tool" && args && typeof args.command === "string" && /commit|\bgit\b/.test(args.command)) await this.said(id)
      const list = verb === "pre-tool" ? BEFORE : AFTER
      const commits = verb === "post-tool" && args && typeof args.command === "string" && args.command.includes("commit")
      if (!commits && !list.includes("*") && !list.includes(tool)) return
      let s = await about(id)
      for (let i = 0; s.parent && i < MAX_DEPTH; i++) s = await about((id = s.parent))
      const payload = { version: 1, session_id: id, cwd, tool_name: tool, tool_input: args, tool_use_id: callID }
      await call(verb, payload, cwd, START_MS)
    },
    // end waits for the hooks that run, so that the agent's process does not end before them.
    async settle() {
      await Promise.all([...queues.values()])
    },
  }
}

// promptOf returns what a person typed, "" if a message's parts hold nothing of theirs.
function promptOf(parts) {
  const typed = (parts || []).filter((p) => p.type === "text" && !p.synthetic && !p.ignored)
  return typed.map((p) => p.text).join("\n\n")
}

function modelOf(message) {
  const model = message && message.model
  return (model && (model.modelID || model.id)) || ""
}

// quietly runs work and hides its errors from the agent.
async function quietly(work) {
  try {
    return await work()
  } catch {}
}

// Entire is the plugin for versions 1.
export const Entire = async ({ client, directory }) => {
  const unwrap = (r) => (r && "data" in r ? r.data : r)
  const to = recorder(
    {
      session: async (id) => unwrap(await client.session.get({ path: { id } })),
      messages: async (id) => unwrap(await client.session.messages({ path: { id } })),
    },
    directory,
  )
  return {
    event: ({ event }) =>
      quietly(() => {
        const p = event.properties || {}
        if (event.type === "session.created" || event.type === "session.updated") return p.info && to.learn(p.info)
        if (event.type === "session.idle" || (event.type === "session.status" && p.status && p.status.type === "idle"))
          return to.idle(p.sessionID)
      }),
    "chat.message": (input, output) =>
      quietly(() => {
        const text = promptOf(output.parts)
        if (text) return to.prompt(input.sessionID, text, modelOf(output.message))
      }),
    "tool.execute.before": (input, output) => quietly(() => to.tool("pre-tool", input.sessionID, input.tool, input.callID, output.args)),
    "tool.execute.after": (input) => quietly(() => to.tool("post-tool", input.sessionID, input.tool, input.callID, input.args)),
    // What `entire rewind` took back is not given to the model again.
    "experimental.chat.messages.transform": (_, output) =>
      quietly(() => {
        const first = (output.messages || [])[0]
        const removed = first && to.removed(first.info.sessionID)
        if (!removed || removed.size === 0) return
        const kept = output.messages.filter((m) => !removed.has(m.info.id))
        output.messages.splice(0, output.messages.length, ...kept)
      }),
    dispose: () => quietly(() => to.settle()),
  }
}
