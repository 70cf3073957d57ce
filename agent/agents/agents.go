package agents

import (
	"sync"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/cline"
	"entire/agent/codex"
	"entire/agent/copilot"
	"entire/agent/cursor"
	"entire/agent/document"
	"entire/agent/droid"
	"entire/agent/gemini"
	"entire/agent/generic"
	"entire/agent/opencode"
	"entire/agent/pi"
	"entire/agent/qwen"
)

// All returns every supported agent, in the order of the prompt to the user. The caller must not change
// the slice.
func All() []agent.Agent { return all() }

// all makes the table once, on first use: a transcript's lines ask for their reader one by one.
var all = sync.OnceValue(func() []agent.Agent {
	return []agent.Agent{claude.New(), gemini.New(), codex.New(), opencode.OpenCode(), opencode.Kilo(), qwen.New(), copilot.New(), pi.New(), cline.New(), droid.New(), cursor.New(), generic.Adapter{}}
})

// Lookup returns the agent with the command-line name name.
func Lookup(name agent.AgentName) (agent.Agent, bool) {
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// For is ByType, but returns Generic for an agent without an adapter.
func For(t agent.AgentType) agent.Agent {
	if a, ok := ByType(t); ok {
		return a
	}
	return generic.Adapter{}
}

// ByType returns the agent with the stored name t.
func ByType(t agent.AgentType) (agent.Agent, bool) {
	for _, a := range All() {
		if a.Type() == t {
			return a, true
		}
	}
	return nil, false
}

// HasOwnFormat reports whether the agent's transcripts have a format of their own.
func HasOwnFormat(t agent.AgentType) bool { return For(t) != agent.Agent(generic.Adapter{}) }

// CountsMessages reports whether positions in the agent's transcripts count messages, not lines.
func CountsMessages(t agent.AgentType) bool { return FormOf(t).Messages != nil }

// OfDocuments returns the agent whose transcripts may be one JSON document.
func OfDocuments() agent.AgentType {
	for _, a := range All() {
		if a.Profile().Messages {
			return a.Type()
		}
	}
	return agent.AgentTypeUnknown
}

// IsDocument reports whether an agent's transcript is one JSON document, or the beginning of one.
func IsDocument(t agent.AgentType, transcript []byte) bool {
	return CountsMessages(t) && document.Is(transcript)
}

// Recognise returns the agent that writes transcripts with such a beginning.
func Recognise(head []byte) (agent.Agent, bool) {
	for _, a := range All() {
		if r, ok := a.(agent.Recogniser); ok && r.Recognises(head) {
			return a, true
		}
	}
	return nil, false
}

// UsageKeeper returns the agent as one that keeps its tokens beside the transcript, nil for another.
func UsageKeeper(t agent.AgentType) agent.UsageKeeper {
	if a, ok := ByType(t); ok {
		k, _ := a.(agent.UsageKeeper)
		return k
	}
	return nil
}
