package acpcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/generic"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/redact"
)

// hookLimit bounds a hook: the editor and the agent wait for it.
const hookLimit = 10 * time.Second

// recorder carries out what a Listener tells: it calls hooks and writes transcripts.
type recorder struct {
	ctx      context.Context // of the command, without its end: the last hooks run after it
	env      *cliui.Env
	program  string // this program
	command  string // the agent's program, for an agent that gives no name
	sessions map[string]place
}

// place is where a session works; the zero place is one that is not recorded.
type place struct {
	dir, agent, transcript string
}

// SessionStarts implements acp.Recorder. A session outside a repository where Entire is enabled is
// not recorded.
func (r *recorder) SessionStarts(agentName, session, dir string, resumed bool) {
	found := workplace.FindPlace(dir)
	common := found.Common()
	if _, err := id.ParseSessionID(session); err != nil || session == "" || !found.Active() || common == "" {
		return
	}
	if found.Seals() {
		fmt.Fprintln(r.env.Err, "entire: this session is not recorded: the project encrypts what is stored, and a transcript from an editor is kept in clear")
		return
	}
	folder := filepath.Join(common, "entire", "acp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return
	}
	if agentName == "" {
		agentName = r.command
	}
	if _, has := agents.ByType(agent.AgentType(agentName)); has { // its adapter reads other transcripts than ours
		agentName += " (ACP)"
	}
	r.sessions[session] = place{dir: dir, agent: agentName, transcript: filepath.Join(folder, session+".jsonl")}
	source := "startup"
	if resumed {
		source = "resume"
	}
	r.hook(session, "session-start", map[string]any{"source": source})
}

// TurnStarts implements acp.Recorder.
func (r *recorder) TurnStarts(session, prompt string) {
	r.hook(session, "turn-start", map[string]any{"prompt": prompt})
}

// TurnEnds implements acp.Recorder.
func (r *recorder) TurnEnds(session, answer string) {
	r.hook(session, "turn-end", map[string]any{"response": answer})
}

// Record implements acp.Recorder. It writes no secrets.
func (r *recorder) Record(session string, rec agent.Record) {
	p, ok := r.sessions[session]
	if !ok {
		return
	}
	line, err := generic.Encode(rec)
	if err != nil {
		return
	}
	f, err := os.OpenFile(p.transcript, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(redact.Line(bytes.TrimSuffix(line, []byte("\n"))), '\n'))
}

// end tells the hooks that the agent's program has ended.
func (r *recorder) end() {
	for session := range r.sessions {
		r.hook(session, "session-end", map[string]any{"reason": "other"})
	}
}

// hook runs a hook of the generic agent. Hooks log their own errors.
func (r *recorder) hook(session, verb string, fields map[string]any) {
	p, ok := r.sessions[session]
	if !ok {
		return
	}
	fields["version"], fields["session_id"], fields["cwd"], fields["agent"], fields["transcript_path"] = generic.GenericVersion, session, p.dir, p.agent, p.transcript
	payload, err := json.Marshal(fields)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, hookLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, "hooks", string(agent.AgentNameGeneric), verb)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, r.env.Environ, bytes.NewReader(payload)
	_ = cmd.Run()
}
