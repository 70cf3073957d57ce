package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/editcalls"
	"entire/strategy/sessionstate"
)

const (
	// hookCallsName is the side file with the calls of the open turn that hooks reported.
	hookCallsName = "calls.jsonl"
	// hookCallPrefix begins the IDs of these calls.
	hookCallPrefix = "told-"
	// hookCallsMax bounds it, in bytes: what hooks report beyond is known from the transcript, or at the turn's end.
	hookCallsMax = 16 << 20
)

// hookCall is a line of the file: a call that begins or has ended, as the adapter's RecordReader reads it.
type hookCall struct {
	Call  string          `json:"call"`
	Ended bool            `json:"ended,omitempty"`
	Line  json.RawMessage `json:"line"`
}

// KeepHookCall keeps what a hook reports of a call in the open turn, for an agent whose transcript has it later or never. It
// keeps nothing where the repository seals, because the file is in clear.
func KeepHookCall(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	teller, ok := agents.For(ev.AgentType).(agent.CallTeller)
	if !ok || s.Sealing() {
		return nil
	}
	if st, err := s.Store.Load(ctx, ev.SessionID); err != nil || st.Phase != session.PhaseActive {
		return nil // there is no turn to which it belongs
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", ev.ToolUseID, ev.ToolName, ev.ToolInput))
	name := hookCallPrefix + hex.EncodeToString(sum[:8])
	line := teller.CallLine(ev, name)
	if line == nil {
		return nil
	}
	told, err := json.Marshal(hookCall{Call: name, Ended: ev.Type == agent.ToolEnd, Line: s.Redact(line)})
	if err != nil {
		return fmt.Errorf("keep a call that a hook reported: %w", err)
	}
	path := hookCallsPath(s, ev.SessionID)
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(told)) > hookCallsMax {
		return nil
	}
	f, err := durable.OpenOwn(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("keep a call that a hook reported: %w", err)
	}
	// Hooks of calls run at the same time, and one may have been killed while it wrote: the line is written at once, and
	// does not continue what is there.
	_, err = f.Write(slices.Concat([]byte("\n"), told, []byte("\n")))
	return errors.Join(err, f.Close())
}

func hookCallsPath(s *sessionstate.Env, sid id.SessionID) string {
	return filepath.Join(s.Store.Dir(sid), hookCallsName)
}

// HookCalls returns the calls of the open turn that hooks reported, as lines, each once in its last form; nil for none.
func HookCalls(s *sessionstate.Env, sid id.SessionID) []byte {
	text, err := durable.ReadOwn(hookCallsPath(s, sid))
	if err != nil {
		return nil
	}
	var all []hookCall
	begun := map[string][]int{} // the places in all of the calls that have not ended
	for line := range bytes.Lines(text) {
		var one hookCall
		if json.Unmarshal(line, &one) != nil {
			continue // it is empty, or a hook was killed while it wrote
		}
		open := begun[one.Call]
		switch last := len(open) - 1; {
		case !one.Ended:
			begun[one.Call] = append(open, len(all))
			all = append(all, one)
		case last < 0:
			all = append(all, one)
		default:
			all[open[last]], begun[one.Call] = one, open[:last]
		}
	}
	var lines []byte
	for _, one := range all {
		lines = append(append(lines, one.Line...), '\n')
	}
	return lines
}

// DropHookCalls forgets the calls that hooks reported: their turn is over. It logs why it cannot: no turn waits for that.
func DropHookCalls(s *sessionstate.Env, sid id.SessionID) {
	if err := os.Remove(hookCallsPath(s, sid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.Warn("calls that hooks reported stay", "session_id", sid.String(), "err", err)
	}
}

// TakeHookCalls adds the calls that hooks reported to those of a session whose transcript shows none.
func TakeHookCalls(s *sessionstate.Env, o *sessionstate.LockedSession) {
	c := &o.Engine.Capture
	if _, ok := agents.For(o.State.AgentType).(agent.CallTeller); !ok || c.Conversation == nil || ShowsAllCalls(o.State.AgentType, c.Conversation) {
		return
	}
	for line := range bytes.Lines(HookCalls(s, o.ID)) {
		editcalls.Add(c, conversation.ReadLine(o.State.AgentType, bytes.TrimSpace(line)).Writes())
	}
}
