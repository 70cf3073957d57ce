// Plays a program of versions 1: node versions1.mjs PLUGIN DIRECTORY
import { existsSync } from "node:fs"
import { asks, socketIn } from "./socket.mjs"
const module = await import(process.argv[2])
const directory = process.argv[3]
const messages = { ses_1: [], ses_2: [] }
const told = (id, role, parts, more) => messages[id].push({ info: { id: `msg_${messages.ses_1.length + messages.ses_2.length + 1}`, sessionID: id, role, time: { created: Date.now() }, ...more }, parts })

const client = {
  session: {
    get: async ({ path }) => ({ data: { id: path.id, version: "1.18.33", parentID: path.id === "ses_2" ? "ses_1" : undefined } }),
    messages: async ({ path }) => ({ data: messages.now ? messages.now() : messages[path.id] }),
  },
}
const project = { client, directory }
const hooks = await module.default.server(project)
// A program that calls every export gets hooks once.
if (Object.keys(await module.Entire(project)).length > 0) throw new Error("hooks twice")

const event = (type, properties) => hooks.event({ event: { type, properties } })
await event("session.created", { info: { id: "ses_1", version: "1.18.33" } })
const parts = [{ type: "text", text: "Add up the cart" }, { type: "text", synthetic: true, text: "made" }]
await hooks["chat.message"]({ sessionID: "ses_1" }, { message: { model: { modelID: "big-1" } }, parts })
told("ses_1", "user", parts)
// Somebody commits while one call has ended and another one runs: what was said before the turn is not told.
const path = socketIn(directory)
const early = { info: { id: "early", role: "user", time: { created: 1 } }, parts: [] }
const call = (callID, status) => ({ type: "tool", callID, tool: "write", state: { status, input: { filePath: "cart.py", content: "x" } } })
const underWay = { info: { id: "now", role: "assistant", time: { created: Date.now() } }, parts: [{ type: "text", text: "I wr" }, call("c1", "completed"), call("c2", "running"), call("c3", "pending")] }
const answer = JSON.parse(await asks(path, "ses_1", () => [early, ...messages.ses_1, underWay], messages))
const ids = (list) => list.map((m) => m.info.id + ":" + m.parts.map((p) => p.callID)).join()
if (answer.session_id !== "ses_1" || ids(answer.messages) !== "msg_1:," || ids(answer.running) !== "now:c1,c2") throw new Error("the socket tells " + JSON.stringify(answer))
if ((await asks(path, "ses_9")) !== "") throw new Error("the socket tells of a session that is not there")
if ((await asks(path, "ses_1", () => { throw new Error("no database") }, messages)) !== "") throw new Error("the socket tells less than there is")
const result = { output: "done" }
const output = { args: { command: "git commit -m x; rm -r old" } }
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "call_1" }, output)
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "call_1", args: output.args }, result)
if (result.output !== "done\n\nsaved as 1") throw new Error("the note is not in the result: " + result.output)
let refused = ""
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "call_2" }, { args: { command: "rm -r refused" } }).catch((err) => (refused = err.message))
if (refused !== "not here") throw new Error("the call is not refused")
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "call_3" }, { args: { command: "ls -r" } })
await hooks["chat.message"]({ sessionID: "ses_2" }, { message: {}, parts: [{ type: "text", text: "a subagent's" }] })
told("ses_1", "assistant", [{ type: "text", text: "It is there." }], { modelID: "big-1", time: { created: Date.now(), completed: Date.now() } })
const request = { messages: [{ info: { id: "gone", sessionID: "ses_1" }, parts: [] }, ...messages.ses_1] }
await hooks["experimental.chat.messages.transform"]({}, request)
if (request.messages.length !== 2) throw new Error("the model still gets what a rewind took back")
await event("session.status", { sessionID: "ses_1", status: { type: "idle" } })
await event("session.idle", { sessionID: "ses_1" })
if (existsSync(path)) throw new Error("the socket stays after the turn")

// A subagent that works on after its session's turn: it ends, and the program lets the agent continue.
const status = (id, type) => event("session.status", { sessionID: id, status: { type } })
const now = () => ({ time: { created: Date.now(), completed: Date.now() } })
await hooks["chat.message"]({ sessionID: "ses_1" }, { message: {}, parts: [{ type: "text", text: "Let a helper work" }] })
await status("ses_1", "busy")
told("ses_1", "user", [{ type: "text", text: "Let a helper work" }])
await event("session.created", { info: { id: "ses_2", version: "1.18.33", parentID: "ses_1" } })
await status("ses_2", "busy")
told("ses_1", "assistant", [{ type: "tool", callID: "call_2", tool: "task", state: { status: "completed", input: {}, output: "started", metadata: { sessionId: "ses_2" } } }], now())
told("ses_2", "user", [{ type: "text", text: "Write the notes" }])
told("ses_1", "assistant", [{ type: "text", text: "A helper is at work." }], now())
await status("ses_1", "idle")
told("ses_2", "assistant", [{ type: "tool", callID: "call_3", tool: "write", state: { status: "completed", input: { filePath: "notes.md", content: "# Notes\n" }, output: "" } }], now())
await status("ses_2", "idle")
await event("session.idle", { sessionID: "ses_2" })
told("ses_1", "user", [{ type: "text", synthetic: true, text: "The task is done." }])
await status("ses_1", "busy")
told("ses_1", "assistant", [{ type: "text", text: "All of it is done." }], now())
await status("ses_1", "idle")
await hooks.dispose()
