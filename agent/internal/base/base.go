package base

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Verb is a word after `entire hooks <agent>`, with the event that it reports; "" for a verb that
// is accepted and has no effect.
type Verb struct {
	Word string
	Is   agent.EventType
}

// Base is the common part of an adapter. Its methods implement agent.Agent, except those about
// the place of transcripts that an adapter overrides.
type Base struct {
	Agent     agent.AgentName
	AgentType agent.AgentType
	About     agent.Profile
	Words     []Verb
	Hooks     settings.Table
	// File replaces Hooks for an agent whose hooks are files that this program writes as a whole.
	File *Whole

	// Read sets the fields that depend on the agent's own payload, after the common ones. It may
	// change the event's type; "" means that the event is ignored. nil reads what most agents send.
	Read func(p *payload.Payload, ev *agent.Event) error
	// Session returns the session that a transcript's path names, for payloads without an ID; "" for
	// none. nil knows none.
	Session func(transcript string) string
	// LocalPath returns a path of a payload as this system writes it; nil for an agent that writes it so.
	LocalPath func(string) string
	// Answer returns what the hook before a tool call prints: a note, or a refusal. nil prints nothing, as
	// does a nil value.
	Answer func(note, refusal string) any
	// Transcripts is the folder of all transcripts below the home directory; "" for an agent that keeps none.
	Transcripts string
	// Resume is the command that continues a session, before its ID.
	Resume string
}

// Name implements agent.Agent.
func (b *Base) Name() agent.AgentName { return b.Agent }

// Type implements agent.Agent.
func (b *Base) Type() agent.AgentType { return b.AgentType }

// Profile implements agent.Agent.
func (b *Base) Profile() agent.Profile { return b.About }

// Verbs implements agent.Agent.
func (b *Base) Verbs() []string {
	out := make([]string, len(b.Words))
	for i, v := range b.Words {
		out[i] = v.Word
	}
	return out
}

// Install implements agent.Agent.
func (b *Base) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	if b.File != nil {
		return b.File.Install(path, src, opts)
	}
	return b.Hooks.Install(src, opts)
}

// Uninstall implements agent.Agent.
func (b *Base) Uninstall(_ string, src []byte) ([]byte, int, error) {
	if b.File != nil {
		return b.File.Uninstall(src)
	}
	return b.Hooks.Uninstall(src)
}

// Installed implements agent.Agent.
func (b *Base) Installed(src []byte) bool {
	if b.File != nil {
		return b.File.Installed(src)
	}
	return b.Hooks.Installed(src)
}

// Decode implements agent.Agent.
func (b *Base) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	for _, v := range b.Words {
		switch {
		case v.Word != verb:
			continue
		case v.Is == "":
			return agent.Event{}, nil
		}
		p, err := payload.Parse(data)
		if err != nil {
			return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		p.Local = b.LocalPath
		ev, err := b.event(v.Is, p)
		if err != nil {
			return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
		}
		if ev.Type == "" {
			return agent.Event{}, nil
		}
		if ev.Warnings = p.Warnings; ev.Time.IsZero() {
			ev.Time = now
		}
		return ev, nil
	}
	return agent.Event{}, fmt.Errorf("%w %q for %s", agent.ErrUnknownVerb, payload.Excerpt(verb), b.Agent)
}

func (b *Base) event(what agent.EventType, p *payload.Payload) (agent.Event, error) {
	ev := agent.Event{Type: what, Agent: b.Agent, Dir: p.Dir(), Mode: p.Mode()}
	ev.TranscriptPath = p.Path(ev.Dir, "transcript_path", "transcriptPath")
	ev.AgentType = p.Caller(ev.TranscriptPath, b.AgentType)
	guess := b.Session
	if guess == nil {
		guess = func(string) string { return "" }
	}
	var err error
	if ev.SessionID, err = p.Session(ev.TranscriptPath, guess); err != nil {
		return agent.Event{}, err
	}
	if b.Read != nil {
		return ev, b.Read(p, &ev)
	}
	return ev, Common(p, &ev)
}

// Common sets the fields of an event that most agents send.
func Common(p *payload.Payload, ev *agent.Event) error {
	switch ev.Type {
	case agent.SessionStart:
		ev.Source, ev.Model = p.Text("source"), p.Text("model")
	case agent.TurnStart:
		ev.SetPrompt(p.Prompt())
	case agent.SessionEnd:
		ev.Reason = p.Text("reason")
	case agent.TaskStart, agent.TaskEnd, agent.Todo, agent.ToolStart, agent.ToolEnd:
		agentID, name := p.Find("agent_id", "agentId")
		ev.AgentID = p.Word(agentID, name)
		p.Tool(ev)
	}
	return nil
}

// TranscriptPath implements agent.Agent for an agent whose adapter knows no folder.
func (*Base) TranscriptPath(string, string, id.SessionID) string { return "" }

// TranscriptRoot implements agent.Agent.
func (b *Base) TranscriptRoot(home string) string {
	if b.Transcripts == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(b.Transcripts))
}

// Folders implements agent.Agent: there is one folder for each working directory.
func (b *Base) Folders(home, top string, _ func(string) []byte) []string {
	if b.Transcripts == "" {
		return nil
	}
	return []string{Dashed(b.TranscriptRoot(home), top)}
}

// OwnsFile implements agent.Agent: the file's name is the session's ID.
func (*Base) OwnsFile(path string, session id.SessionID) bool {
	return filepath.Base(path) == session.String()+".jsonl"
}

// FileName implements agent.Agent.
func (*Base) FileName(session id.SessionID, _ []byte) string { return session.String() + ".jsonl" }

// SubagentTranscripts implements agent.Agent: none are known.
func (*Base) SubagentTranscripts(string, id.SessionID, string) []string { return nil }

// ResumeCommand implements agent.Agent.
func (b *Base) ResumeCommand(session id.SessionID) string {
	if b.Resume == "" {
		return ""
	}
	return b.Resume + session.String()
}

// Dashed returns the folder below root that many agents give a project: its path with every
// character replaced by a dash that is not a letter or a digit.
func Dashed(root, top string) string { return filepath.Join(root, jsontext.Dashed(top)) }

// Stem returns the session that a transcript's file name is, "" for another kind of file.
func Stem(transcript, ending string) string {
	base := transcript[strings.LastIndexAny(transcript, `/\`)+1:]
	stem, ok := strings.CutSuffix(base, ending)
	if !ok {
		return ""
	}
	return stem
}
