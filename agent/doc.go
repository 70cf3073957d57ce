// Package agent is the ground of what this program knows of AI coding agents: their names
// (AgentName, AgentType), what an adapter of one must do (Agent), and the forms that are
// the same for all of them: Event (what a hook reported), Message (one part of a
// conversation) and TokenUsage. It also cleans the text that a person typed (CleanPrompt,
// Title, PromptKey) from what agents add to it.
//
// Above it: the adapters (agent/claude, agent/codex and so on; agent/generic is that of every other
// tool) stand on agent/internal/base, agent/agents is the table of them, agent/conversation says
// what a transcript means, and agent/check checks, repairs and forks transcripts.
//
// All of them are pure: bytes and values in, bytes and values out. They open no file, start
// no process, and read neither clock nor environment; functions that read or write a whole
// transcript take an io.Reader or io.Writer.
package agent
