package agentlib

// howToCall says how to use an agent without a settings file.
const howToCall = `Nothing is installed for this agent: let it call, with JSON on standard input,

  entire hooks generic turn-start   {"version":1,"session_id":"ID","cwd":"/path","prompt":"what was asked"}
  entire hooks generic turn-end     {"version":1,"session_id":"ID","cwd":"/path","response":"what was answered"}

and, where it can, session-start, session-end, task-start, task-end and todo.
docs/agents.md has every field and an example to copy.

`
