// Written by `entire enable --agent pi`, which replaces this file; `entire agent remove pi` deletes it.
// It reports to the program `entire` (https://entire.io) when a turn begins and ends. It has no dependencies, does
// nothing where the program is missing, and never fails the agent.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

const COMMAND: string[] = {{COMMAND}}; // the program, and its arguments before "hooks"
const BEFORE: string[] = {{BEFORE}}; // the tools whose calls are reported before they run
const GUARDED: string[] = {{GUARDED}}; // and these only with a command that may lose work
const RISKY = new RegExp({{RISKY}}); // which has these words
const AFTER: string[] = {{AFTER}}; // and after; a command that may commit is always reported
// The calls of a script, which the transcript has when the script has ended, are reported for these tools.
const NESTED: Record<string, string[]> = { "pre-tool": ["bash", "powershell"], "post-tool": ["bash", "powershell", "write", "edit"] };
const LIMIT_MS = 45000; // how long the agent waits for the program

// recorded returns the program that `entire enable` noted in the git directory around dir, "" for none.
function recorded(dir: string): string {
  for (let at = dir; at && at !== dirname(at); at = dirname(at)) {
    let git = join(at, ".git");
    if (!existsSync(git)) continue;
    if (statSync(git).isFile()) git = readFileSync(git, "utf8").trim().replace(/^gitdir: /, "");
    if (!isAbsolute(git)) git = join(at, git);
    if (existsSync(join(git, "commondir"))) {
      const common = readFileSync(join(git, "commondir"), "utf8").trim();
      git = isAbsolute(common) ? common : join(git, common);
    }
    const program = readFileSync(join(git, "entire", "program"), "utf8").split("\n")[0];
    return existsSync(program) ? program : "";
  }
  return "";
}

// start runs a program with the payload on its standard input, and returns what it printed; undefined if there is no
// such program.
function start(program: string, args: string[], payload: string, cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let out = "";
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve("");
    }, LIMIT_MS);
    const end = (value: string | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    child.on("error", (err: any) => end(err && err.code === "ENOENT" ? undefined : ""));
    child.on("close", () => end(out));
    child.stdout.on("data", (data: any) => {
      if (out.length < 1 << 20) out += data;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(payload);
  });
}

let last: Promise<any> = Promise.resolve();

// report runs one hook after the one before it, and returns the object that it printed, {} for none. It never fails.
function report(verb: string, ctx: any, more: Record<string, unknown>): Promise<any> {
  const work = async () => {
    try {
      const sessions = ctx.sessionManager;
      const payload = JSON.stringify({
        version: 1,
        session_id: sessions.getSessionId(),
        transcript_path: sessions.getSessionFile() || undefined,
        cwd: ctx.cwd,
        ...more,
      });
      const args = [...COMMAND.slice(1), "hooks", "pi", verb];
      let out = await start(COMMAND[0], args, payload, ctx.cwd);
      if (out === undefined) {
        const program = recorded(ctx.cwd);
        if (program) out = await start(program, args, payload, ctx.cwd);
      }
      return (out && JSON.parse(out)) || {};
    } catch {
      return {};
    }
  };
  last = last.then(work, work);
  return last;
}

function reportTool(verb: string, list: string[], event: any, ctx: any): Promise<any> | undefined {
  const command = event.input && event.input.command;
  const commits = verb === "post-tool" && typeof command === "string" && command.includes("commit");
  const risky = verb === "pre-tool" && GUARDED.includes(event.toolName) && typeof command === "string" && RISKY.test(command);
  const nested = event.parentToolCallId && NESTED[verb].includes(event.toolName);
  if (!commits && !risky && !nested && !list.includes(event.toolName)) return;
  return report(verb, ctx, { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId });
}

const notes = new Map<string, string>(); // by call: what the program says of it, for the model

export default function (pi: any) {
  pi.on("session_start", (event: any, ctx: any) => {
    void report("session-start", ctx, { source: event.reason });
  });
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const verb = event.messageType === "custom" ? "turn-goes-on" : "turn-start"; // custom: an extension's message
    await report(verb, ctx, { prompt: event.prompt, model: (ctx.model && ctx.model.id) || undefined });
  });
  pi.on("tool_call", async (event: any, ctx: any) => {
    const answer = await reportTool("pre-tool", BEFORE, event, ctx);
    if (answer && answer.refuse) return { block: true, reason: answer.refuse };
    if (answer && answer.note) notes.set(event.toolCallId, answer.note);
  });
  pi.on("tool_result", async (event: any, ctx: any) => {
    await reportTool("post-tool", AFTER, event, ctx);
    const note = notes.get(event.toolCallId);
    notes.delete(event.toolCallId);
    if (note && Array.isArray(event.content)) return { content: [...event.content, { type: "text", text: note }] };
  });
  // Before 0.80.4, which brought both names, pi tells no end but that of one run, after which it may go on.
  pi.on(typeof pi.registerEntryRenderer === "function" ? "agent_settled" : "agent_end", async (_event: any, ctx: any) => {
    await report("turn-end", ctx, {});
  });
  pi.on("session_shutdown", async (event: any, ctx: any) => {
    await report("session-end", ctx, { reason: event.reason });
  });
}
