// Plays a program of versions 2: node versions2.mjs PLUGIN DIRECTORY
import { existsSync, readFileSync } from "node:fs"
import { asks, socketIn } from "./socket.mjs"

const plugin = (await import(process.argv[2])).default
const directory = process.argv[3]
if (typeof plugin.id !== "string" || typeof plugin.setup !== "function") throw new Error("not a plugin of versions 2")

const at = (ms) => ({ created: 1795511400000 + ms, completed: 1795511400001 + ms })
const model = { id: "big-2", providerID: "acme" }
const file = { file: "cart.py", patch: "@@ -1,1 +1,1 @@\n-    return 0\n+    return sum(c)\n", status: "modified" }
const tool = (id, name, input, state) => ({ type: "tool", id, name, time: at(0), state: { status: "completed", input, content: [{ type: "text", text: "done" }], ...state } })
const contexts = { ses_1: [], ses_2: [] }
const events = []
let wake = () => {}
const tell = (type, data) => {
  events.push({ id: "evt_1", type, created: 1, data })
  wake()
}
let followers = 0
const hooks = {}
const hook = (domain) => async (name, callback) => {
  if (hooks[domain + name]) throw new Error("a hook twice")
  hooks[domain + name] = callback
}
const ctx = {
  app: { name: "opencode", version: "2.0.24", channel: "latest" },
  location: { directory },
  session: {
    hook: hook("session."),
    get: async ({ sessionID }) => ({
      id: sessionID,
      parentID: sessionID === "ses_2" || sessionID === "ses_3" ? "ses_1" : undefined,
      model,
      location: { directory: sessionID === "ses_9" ? "/elsewhere" : directory },
    }),
    context: async ({ sessionID }) => contexts[sessionID],
  },
  tool: { hook: hook("tool.") },
  event: {
    subscribe: () => ({
      [Symbol.asyncIterator]() {
        followers++
        return {
          async next() {
            while (events.length === 0) await new Promise((resolve) => (wake = resolve))
            return { done: false, value: events.shift() }
          },
          async return() {
            followers--
            return { done: true }
          },
        }
      },
    }),
  },
}
const end = await plugin.setup(ctx)
const prompt = (sessionID, text) => hooks["session.prompt"]({ sessionID, messageID: "msg_0", prompt: { text }, delivery: "queue" })
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))
// called waits until the plugin has called that many hooks.
const called = async (count) => {
  const calls = directory + "/calls"
  while (!existsSync(calls) || readFileSync(calls, "utf8").split("\n").length - 1 < count) await pause()
}

// A turn with calls, a subagent and a commit, and the prompt of a subagent and of another place.
await prompt("ses_9", "elsewhere")
await prompt("ses_1", "Add up the cart")
tell("session.execution.started", { sessionID: "ses_1" })
const asked = { id: "msg_1", type: "user", text: "Add up the cart", time: at(1) }
contexts.ses_1 = [
  asked,
  { id: "msg_2", type: "assistant", agent: "build", model, time: at(2), tokens: { input: 10, output: 4, reasoning: 1, cache: { read: 2, write: 3 } },
    content: [{ type: "reasoning", text: "A loop." }, { type: "text", text: "Now." },
      tool("call_1", "write", { path: "cart.py", content: "def total(c):\n    return 0\n" }),
      tool("call_2", "edit", { path: "cart.py", oldString: "return 0", newString: "return sum(c)" }, { metadata: { files: [file] } }),
      tool("call_3", "subagent", { agent: "general", prompt: "Write notes" }, { metadata: { sessionID: "ses_2", status: "completed" } })] },
  { id: "msg_7", type: "model-switched", model, time: at(3) },
]
await prompt("ses_2", "You are a subagent")
contexts.ses_2 = [
  { id: "msg_3", type: "user", text: "You are a subagent", time: at(4) },
  { id: "msg_4", type: "assistant", model, time: at(5), content: [tool("call_4", "write", { path: "notes.md", content: "n\n" })] },
]
// Somebody commits while a call runs.
const begun = { id: "msg_6", type: "assistant", model, time: { created: Date.now() }, content: [tool("call_6", "write", { path: "now.md" }, { status: "running" }), tool("call_7", "write", {}, { status: "streaming" })] }
contexts.ses_1.push(begun)
const answer = JSON.parse(await asks(socketIn(directory), "ses_1"))
if (answer.messages.length > 0 || answer.running.map((m) => m.info.id + m.parts.map((p) => p.callID)).join() !== "msg_6call_6") throw new Error("the socket tells " + JSON.stringify(answer))
contexts.ses_1[0] = { id: "msg_0", type: "compaction", status: "completed", time: { created: Date.now() } }
if ((await asks(socketIn(directory), "ses_1")) !== "") throw new Error("the socket tells a turn whose beginning was compacted away")
contexts.ses_1[0] = asked
contexts.ses_1.pop()
const call = { tool: "shell", sessionID: "ses_1", agent: "build", messageID: "msg_5", id: "call_5", input: { command: "git commit -qam x; rm -r old" } }
await hooks["tool.execute.before"]({ ...call })
await hooks["tool.execute.after"]({ ...call, status: "completed", result: {} })
contexts.ses_1.push({ id: "msg_5", type: "assistant", model, time: at(6), content: [tool("call_5", "shell", call.input), { type: "text", text: "It is there." }] })
tell("session.execution.interrupted", { sessionID: "ses_1", reason: "superseded" })
tell("session.execution.succeeded", { sessionID: "ses_1" })
tell("session.execution.succeeded", { sessionID: "ses_9" })
await called(4)

// What a rewind took back is not given to the model, with the results of its calls.
const request = { sessionID: "ses_1", messages: [{ id: "msg_1", role: "user" }, { id: "gone", role: "assistant" }, { role: "tool" }, { id: "msg_5", role: "assistant" }, { role: "tool" }] }
await hooks["session.context"](request)
if (request.messages.map((m) => m.id || m.role).join() !== "msg_1,msg_5,tool") throw new Error(JSON.stringify(request.messages))

// A subagent works on in the background when the turn ends.
await prompt("ses_1", "Let a helper work")
tell("session.execution.started", { sessionID: "ses_1" })
tell("session.execution.started", { sessionID: "ses_3" })
contexts.ses_1.push({ id: "msg_b1", type: "assistant", model, time: at(6.2), content: [tool("call_b", "subagent", { background: true }, { metadata: { sessionID: "ses_3", status: "running" } })] })
while (events.length > 0) await pause()
tell("session.execution.succeeded", { sessionID: "ses_1" })
await called(6)
contexts.ses_3 = [{ id: "msg_b2", type: "assistant", model, time: at(6.5), content: [tool("call_c", "write", { path: "late.md", content: "l\n" })] }]
tell("session.execution.succeeded", { sessionID: "ses_3" })
await called(7)

// The program is notified, and continues without a prompt; by then the conversation was compacted.
contexts.ses_1 = [
  { id: "msg_8", type: "compaction", status: "completed", reason: "auto", summary: "A cart.", recent: "", time: at(7) },
  { id: "msg_10", type: "shell", command: "ls", status: "exited", output: { output: "cart.py" }, time: at(8) },
  { id: "msg_9", type: "assistant", model, time: at(9), content: [{ type: "text", text: "The tests passed." }], error: { type: "aborted", message: "Aborted" } },
]
tell("session.execution.started", { sessionID: "ses_1" })
tell("session.execution.interrupted", { sessionID: "ses_1", reason: "user" })
await called(9)
await end()
if (followers !== 0) throw new Error("the plugin still follows events")
process.exit(0)
