// Written by `entire enable --agent {{AGENT}}`, which replaces this file; `entire agent remove {{AGENT}}` deletes it.
// It reports to the program `entire` (https://entire.io) when a turn begins and ends, and tells it in between, on a
// socket of the user's own, what was said so far. It has no dependencies, does nothing where the program is missing,
// and never fails the agent.
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

const AGENT = "{{AGENT}}"
const COMMAND = {{COMMAND}} // the program, and its arguments before "hooks"
const BEFORE = {{BEFORE}} // the tools whose calls are reported before they run, "*" for all
const GUARDED = {{GUARDED}} // and these only with a command that may lose work
const RISKY = new RegExp({{RISKY}}) // which has these words
const AFTER = {{AFTER}} // and after; a command that may commit is always reported
const START_MS = 15000 // how long a prompt waits for the program
const END_MS = 45000
const MAX_BYTES = 56 * 1024 * 1024 // of a conversation; the program reads no more
const MAX_DEPTH = 4 // of subagents in subagents
const SILENT_MS = 5000 // how long who asks at the socket may say nothing: nobody keeps the agent's process from ending
const EARLIER_MS = 5000 // how much longer ago a turn may have begun than its prompt is reported

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

// listen opens a socket, which only the user can reach, for as long as a turn runs. To who sends a line there it sends
// answer(line), and nothing where that fails. It returns the socket's path, and close; undefined where none can be opened.
function listen(answer) {
  if (process.platform === "win32") return Promise.resolve(undefined) // whose pipes have no owner
  return new Promise((resolve) => {
    let folder = ""
    const remove = () => {
      try {
        if (folder) rmSync(folder, { recursive: true, force: true })
      } catch {} // the system empties its folder for temporary files
    }
    try {
      folder = mkdtempSync(join(tmpdir(), "entire-"))
      const path = join(folder, "said")
      const server = createServer((socket) => {
        let line = ""
        const read = (data) => {
          line += data
          if (!line.includes("\n") && line.length < 1024) return
          socket.off("data", read)
          answer(line.split("\n")[0]).then((text) => socket.end(text), () => socket.end())
        }
        socket.on("data", read)
        socket.on("error", () => {})
        socket.setTimeout(SILENT_MS, () => socket.destroy())
      })
      const close = () => {
        process.off("exit", remove)
        server.close(() => {})
        remove()
      }
      server.on("error", () => {
        close()
        resolve(undefined)
      })
      server.listen(path, () => resolve({ path, close }))
      server.unref()
      process.on("exit", remove)
    } catch {
      remove()
      resolve(undefined)
    }
  })
}

// recorder keeps what is known of the sessions of one project. read is how the agent's own interface is asked:
// read.session(id), and read.messages(id) for {messages, partial}: partial says that the agent no longer tells the
// oldest ones.
function recorder(read, cwd) {
  const sessions = new Map() // by ID: {parent, elsewhere, version, model, open, removed, known, background, appends, since}
  const queues = new Map() // by ID: the hook that runs, so that hooks run in order
  const busy = new Set() // the IDs of the sessions that work now
  let open // the promise of the socket, while a turn runs

  async function about(id) {
    const s = entry(id)
    if (!s.known) {
      try {
        const info = await read.session(id)
        if (info) learn(info)
      } catch {}
    }
    return s
  }

  function entry(id) {
    let s = sessions.get(id)
    if (!s) {
      s = { parent: "", elsewhere: false, version: read.version || "", model: "", open: false, removed: new Set(), known: false, background: new Set(), appends: false, since: 0 }
      sessions.set(id, s)
    }
    return s
  }

  function learn(info) {
    const s = entry(info.id)
    s.parent = info.parentID || ""
    s.elsewhere = Boolean(info.location && info.location.directory && info.location.directory !== cwd)
    s.version = info.version || s.version
    s.model = (info.model && info.model.id) || s.model
    s.known = true
  }

  function inOrder(id, work) {
    const next = (queues.get(id) || Promise.resolve()).then(work, work).catch(() => {})
    queues.set(id, next)
    return next
  }

  // rootOf returns the session that a subagent works for, and a session that is none itself.
  async function rootOf(id) {
    let s = await about(id)
    for (let i = 0; s.parent && i < MAX_DEPTH; i++) s = await about((id = s.parent))
    return id
  }

  // inBackground returns the subagents that work for a session now.
  async function inBackground(root) {
    const all = []
    for (const id of [...busy]) if (id !== root && (await rootOf(id)) === root) all.push(id)
    return all
  }

  // messagesOf returns the messages of a session and of the subagents that its calls started, without those of the
  // subagents in without.
  async function messagesOf(id, s, without, depth = 0) {
    let all = []
    let partial = false
    let failed = false
    try {
      const said = await read.messages(id)
      all = said.messages || []
      partial = said.partial
    } catch {
      failed = true
    }
    all = all.filter((m) => m && m.info && !s.removed.has(m.info.id))
    if (depth >= MAX_DEPTH) return { all, partial, failed }
    const children = new Set()
    for (const m of all)
      for (const p of m.parts || []) {
        const about = p.type === "tool" && p.state && p.state.metadata
        const child = about && (about.sessionId || about.sessionID)
        if (typeof child === "string" && child !== id && !without.includes(child)) children.add(child)
      }
    for (const child of children) {
      const inner = await messagesOf(child, s, without, depth + 1)
      all = all.concat(inner.all)
      partial = partial || inner.partial
      failed = failed || inner.failed
    }
    return { all, partial, failed }
  }

  // conversation returns what a hook gets of a session. After a subagent has worked in the background it is partial, so
  // that the messages which come late are put at the end of those that were sent.
  async function conversation(id, s, without = []) {
    const { all, partial } = await messagesOf(id, s, without)
    let size = 0
    for (const m of all) size += JSON.stringify(m).length
    if (size > MAX_BYTES) return { too_long: size }
    return partial || s.appends ? { messages: all, partial: true } : { messages: all }
  }

  // soFar returns what was said in the turn of a session until now, and apart the answers whose calls run. It throws
  // where the agent's program does not tell all of the turn.
  async function soFar(id) {
    const s = sessions.get(id)
    if (!s) throw new Error("no such session")
    const { all, partial, failed } = await messagesOf(id, s, [])
    const begins = !partial || (all.length > 0 && all[0].info.time.created < s.since) // a compaction may be later
    const ofTurn = all.filter((m) => !m.info.time || m.info.time.created >= s.since)
    const settled = (m) => m.info.role === "user" || Boolean(m.info.time && m.info.time.completed)
    const messages = ofTurn.filter(settled)
    const running = ofTurn.flatMap((m) => (settled(m) ? [] : callsOf(m)))
    const text = JSON.stringify({ version: 1, session_id: id, agent_version: s.version, messages, running })
    if (failed || !begins || text.length > MAX_BYTES) throw new Error("not all is known")
    return text
  }

  // socket returns the path of the socket for the turns that run, undefined for none.
  async function socket() {
    open = open || listen(soFar)
    const server = await open
    return server && server.path
  }

  // closeSocket closes the socket if no turn runs and no subagent works.
  async function closeSocket(ends) {
    if (!open || (!ends && [...sessions.values()].some((s) => s.open || s.background.size > 0))) return
    const was = open
    open = undefined
    const server = await was
    if (server) server.close()
  }

  return {
    learn,
    removed: (id) => (sessions.get(id) || { removed: new Set() }).removed,
    // prompt reports the start of a turn. Before the first one of this process it also sends what was said before.
    async prompt(id, text, model) {
      const s = await about(id)
      if (s.parent || s.elsewhere) return
      const first = !s.seen
      s.seen = s.open = true
      s.since = Date.now() - EARLIER_MS
      await inOrder(id, async () => {
        const before = first ? await conversation(id, s) : {}
        const told = { version: 1, session_id: id, cwd, prompt: text, model: model || s.model, agent_version: s.version, socket: await socket(), ...before }
        const answer = await call("turn-start", told, cwd, START_MS)
        if (Array.isArray(answer.removed)) s.removed = new Set(answer.removed)
      })
    },
    // working reports that the agent continues without a prompt, because its program notified it.
    async working(id) {
      const s = await about(id)
      if (s.parent || s.elsewhere || s.open) return
      s.open = true
      await inOrder(id, async () => call("turn-goes-on", { version: 1, session_id: id, cwd, agent_version: s.version, socket: await socket() }, cwd, START_MS))
    },
    // busy notes that a session works, and reports that it continues because a subagent in the background has ended.
    async busy(id) {
      busy.add(id)
      if (entry(id).appends) await this.working(id)
    },
    async idle(id) {
      busy.delete(id)
      const s = await about(id)
      if (s.parent) return this.ended(id)
      if (!s.open) return
      s.open = false
      const background = await inBackground(id)
      for (const one of background) s.background.add(one)
      s.appends = s.appends || background.length > 0
      await inOrder(id, async () => {
        const all = await conversation(id, s, background)
        await call("turn-end", { version: 1, session_id: id, cwd, agent_version: s.version, background, ...all }, cwd, END_MS)
      })
      await closeSocket()
    },
    // ended reports the end of a subagent that its session did not wait for.
    async ended(id) {
      const root = await rootOf(id)
      const s = entry(root)
      if (!s.background.delete(id)) return
      await inOrder(root, async () => {
        const all = await conversation(root, s, [...s.background])
        await call("task-end", { version: 1, session_id: root, cwd, agent_id: id, agent_version: s.version, ...all }, cwd, END_MS)
      })
      await closeSocket()
    },
    // said sends the conversation so far, so that a commit which the agent makes now finds the calls before it. Where a
    // socket tells that, it sends nothing.
    async said(id) {
      const of = id
      if (open && (await open)) return
      const s = entry((id = await rootOf(id)))
      if (!s.open && !s.background.has(of)) return
      await inOrder(id, async () => {
        const all = await conversation(id, s)
        if (all.messages) all.messages = all.messages.filter((m) => m.info.role === "user" || (m.info.time && m.info.time.completed))
        await call("said", { version: 1, session_id: id, cwd, agent_version: s.version, ...all }, cwd, START_MS)
      })
    },
    async tool(verb, id, tool, callID, args) {
      if (verb === "pre-tool" && args && typeof args.command === "string" && /commit|\bgit\b/.test(args.command)) await this.said(id)
      const list = verb === "pre-tool" ? BEFORE : AFTER
      const risky = verb === "pre-tool" && GUARDED.includes(tool) && args && typeof args.command === "string" && RISKY.test(args.command)
      const commits = verb === "post-tool" && args && typeof args.command === "string" && args.command.includes("commit")
      if (!commits && !risky && !list.includes("*") && !list.includes(tool)) return
      id = await rootOf(id)
      const payload = { version: 1, session_id: id, cwd, tool_name: tool, tool_input: args, tool_use_id: callID }
      return await call(verb, payload, cwd, START_MS)
    },
    // end waits for the hooks that run, so that the agent's process does not end before them.
    async settle() {
      await Promise.all([...queues.values()])
      await closeSocket(true)
    },
  }
}

// callsOf returns an answer that the model has not ended with only the calls that have begun; none if it has none.
function callsOf(m) {
  const calls = (m.parts || []).filter((p) => p.type === "tool" && p.state && p.state.status !== "pending" && p.state.status !== "streaming")
  return calls.length > 0 ? [{ info: m.info, parts: calls }] : []
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

const notes = new Map() // by call: what the program says of it, for the model

// before reports a call, and stops it if a person's settings refuse it.
async function before(to, session, tool, callID, args) {
  const answer = await quietly(() => to.tool("pre-tool", session, tool, callID, args))
  if (answer && answer.refuse) throw new Error(answer.refuse)
  if (answer && answer.note) notes.set(callID, answer.note)
}

// after reports that a call has ended, and adds the note to its result.
async function after(to, session, tool, callID, args, result) {
  await quietly(() => to.tool("post-tool", session, tool, callID, args))
  const note = notes.get(callID)
  notes.delete(callID)
  if (note && result && typeof result.output === "string") result.output += "\n\n" + note
}

const served = new WeakSet() // the projects that have hooks: some versions call each export of this file

// Entire is the plugin for versions 1.
export const Entire = async (project) => {
  if (served.has(project)) return {}
  served.add(project)
  const { client, directory } = project
  const unwrap = (r) => (r && "data" in r ? r.data : r)
  const to = recorder(
    {
      session: async (id) => unwrap(await client.session.get({ path: { id } })),
      messages: async (id) => ({ messages: unwrap(await client.session.messages({ path: { id } })), partial: false }),
    },
    directory,
  )
  return {
    event: ({ event }) =>
      quietly(() => {
        const p = event.properties || {}
        if (event.type === "session.created" || event.type === "session.updated") return p.info && to.learn(p.info)
        if (event.type === "session.status" && p.status && p.status.type === "busy") return to.busy(p.sessionID)
        if (event.type === "session.idle" || (event.type === "session.status" && p.status && p.status.type === "idle"))
          return to.idle(p.sessionID)
      }),
    "chat.message": (input, output) =>
      quietly(() => {
        const text = promptOf(output.parts)
        if (text) return to.prompt(input.sessionID, text, modelOf(output.message))
      }),
    "tool.execute.before": (input, output) => before(to, input.sessionID, input.tool, input.callID, output.args),
    "tool.execute.after": (input, output) => after(to, input.sessionID, input.tool, input.callID, input.args, output),
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

// asV1 returns a message of versions 2 in the form of versions 1, undefined for one in which nothing was said or done.
function asV1(m, sessionID) {
  const info = { id: m.id, sessionID, time: m.time }
  const user = (part) => ({ info: { ...info, role: "user" }, parts: [{ type: "text", ...part }] })
  switch (m.type) {
    case "user":
      return user({ text: m.text })
    case "synthetic":
    case "skill":
      return user({ text: m.text, synthetic: true })
    case "shell": // a command that the person ran
      return user({ text: `$ ${m.command}\n${(m.output && m.output.output) || ""}`, synthetic: true })
    case "compaction":
      return m.status === "completed" ? user({ text: m.summary, synthetic: true }) : undefined
    case "assistant": {
      const { id: modelID, providerID } = m.model || {}
      const stopped = m.error && /abort|interrupt/i.test(m.error.type) ? "MessageAbortedError" : m.error && m.error.type
      const error = m.error && { name: stopped, message: m.error.message }
      return { info: { ...info, role: "assistant", modelID, providerID, tokens: m.tokens, error }, parts: (m.content || []).map(partAsV1) }
    }
  }
}

function partAsV1(p) {
  if (p.type !== "tool") return { type: p.type, text: p.text }
  const { status, input, content, error, metadata, structured } = p.state || {}
  const output = (content || []).flatMap((c) => (c.type === "text" ? [c.text] : [])).join("\n")
  const state = { status, input, output, error: error && error.message, metadata: { ...structured, ...metadata } }
  return { type: "tool", callID: p.id, tool: p.name, state }
}

// withoutRemoved takes out of a request's messages those that `entire rewind` took back, and the results of their calls,
// which follow them without names of their own.
function withoutRemoved(messages, removed) {
  let gone = false
  const kept = messages.filter((m) => {
    if (m.role !== "tool") gone = removed.has(m.id)
    return !gone
  })
  if (kept.length < messages.length) messages.splice(0, messages.length, ...kept)
}

// follow calls each with every event of the agent's program. It returns what ends that.
function follow(ctx, each) {
  let events
  let ended = false
  const read = async () => {
    while (!ended) {
      await quietly(async () => {
        events = ctx.event.subscribe()[Symbol.asyncIterator]()
        for (let next = await events.next(); !next.done && !ended; next = await events.next()) each(next.value)
      })
      if (!ended) await new Promise((resolve) => setTimeout(resolve, 1000).unref())
    }
  }
  read()
  return async () => {
    ended = true
    await (events && events.return && events.return())
  }
}

// setup is the plugin for versions 2.
async function setup(ctx) {
  const read = async (id) => {
    const all = (await ctx.session.context({ sessionID: id })) || []
    return { messages: all.flatMap((m) => asV1(m, id) || []), partial: all.some((m) => m.type === "compaction" && m.status === "completed") }
  }
  const version = (ctx.app && ctx.app.version) || ""
  const to = recorder({ session: (id) => ctx.session.get({ sessionID: id }), messages: read, version }, ctx.location.directory)
  await quietly(() => ctx.session.hook("prompt", (e) => quietly(() => e.prompt && e.prompt.text && to.prompt(e.sessionID, e.prompt.text, ""))))
  await quietly(() => ctx.tool.hook("execute.before", (e) => before(to, e.sessionID, e.tool, e.id, e.input)))
  await quietly(() => ctx.tool.hook("execute.after", (e) => after(to, e.sessionID, e.tool, e.id, e.input, e.result)))
  for (const request of ["context", "compaction", "generate"])
    await quietly(() => ctx.session.hook(request, (e) => quietly(() => withoutRemoved(e.messages, to.removed(e.sessionID)))))
  const unfollow = follow(ctx, (event) =>
    quietly(() => {
      const data = event.data || {}
      if (event.type === "session.execution.started") return Promise.all([to.busy(data.sessionID), to.working(data.sessionID)])
      // A prompt that supersedes a turn has already begun the next one.
      if (event.type === "session.execution.interrupted" && data.reason === "superseded") return
      if (["session.execution.succeeded", "session.execution.failed", "session.execution.interrupted"].includes(event.type))
        return to.idle(data.sessionID)
    }),
  )
  return () =>
    quietly(async () => {
      await unfollow()
      await to.settle()
    })
}

export default { id: "entire", server: Entire, setup }
