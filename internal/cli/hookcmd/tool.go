package hookcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/risk"
	"entire/internal/single"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/transcript"
)

// toolLimit bounds a checkpoint in the middle of a turn: the agent waits for it.
const toolLimit = 5 * time.Second

// toolDue decides, before it runs git, whether a tool call is a reason for a checkpoint; most
// calls are not. It returns the event with the reason, or false.
func (h *hookRun) toolDue(p workplace.Place, c config.Checkpoints, ev agent.Event, dir string) (agent.Event, bool) {
	ev.CheckpointReason = whyTool(c, ev, dir)
	if ev.CheckpointReason == "" && ev.Type == agent.ToolEnd {
		ev.CheckpointReason = h.whyPace(p, c, ev)
	}
	return ev, ev.CheckpointReason != ""
}

// whyTool returns the reason that the call itself is, "" for none. The agent works in dir.
func whyTool(c config.Checkpoints, ev agent.Event, dir string) string {
	switch {
	case ev.Type == agent.ToolEnd && slices.Contains(c.AfterTools, ev.ToolName):
		return shadow.WhyAfterTool + ev.ToolName
	case ev.Type != agent.ToolStart:
		return ""
	}
	if c.BeforeRisky {
		if what := risk.CommandIn(ev.ShellCommand(), workplace.ContentIn(dir)); what != "" {
			return shadow.WhyBeforeCommand + what
		}
	}
	if slices.Contains(c.BeforeTools, ev.ToolName) {
		return shadow.WhyBeforeTool + ev.ToolName
	}
	return ""
}

// paceName is the file that counts a session's messages and minutes since its last checkpoint. It
// lies in the folder of the session's state; without it, counting begins anew.
const paceName = "pace.json"

// A pace is the start of the counting of messages and minutes, and its progress.
type pace struct {
	Since    time.Time `json:"since"`
	Offset   int64     `json:"offset"`   // bytes of the transcript that were read
	Messages int       `json:"messages"` // messages in these bytes since Since
}

// paceBytes bounds how much of a transcript one call reads; the next call reads on.
const paceBytes = 8 << 20

// whyPace counts messages and minutes, and returns the reason for a checkpoint if enough have
// passed, else "". If the clock went back, it counts from now.
func (h *hookRun) whyPace(p workplace.Place, c config.Checkpoints, ev agent.Event) string {
	if !c.Paced() {
		return ""
	}
	path := pacePath(p, ev.SessionID)
	if path == "" {
		return ""
	}
	var at pace
	data, err := durable.ReadOwn(path)
	if err != nil || json.Unmarshal(data, &at) != nil || ev.Time.Before(at.Since) {
		at = pace{Since: ev.Time, Offset: sizeOf(ev.TranscriptPath)}
	}
	if c.EveryMessages > 0 {
		at.count(ev)
	}
	why := ""
	switch passed := ev.Time.Sub(at.Since); {
	case c.EveryMessages > 0 && at.Messages >= c.EveryMessages:
		why = fmt.Sprintf("%s%d messages", shadow.WhyEvery, c.EveryMessages)
	case c.Every > 0 && passed >= c.Every:
		why = fmt.Sprintf("%s%s", shadow.WhyEvery, cliui.Count(int(c.Every.Minutes()), "minute"))
	}
	if why != "" {
		at.Since, at.Messages = ev.Time, 0
	}
	at.save(path)
	return why
}

// beginPace starts the counting when a turn starts.
func (h *hookRun) beginPace(p workplace.Place, c config.Checkpoints, ev agent.Event) {
	if ev.Type != agent.TurnStart || !c.Paced() {
		return
	}
	if path := pacePath(p, ev.SessionID); path != "" {
		(&pace{Since: ev.Time, Offset: sizeOf(ev.TranscriptPath)}).save(path)
	}
}

// save ignores errors: lost counts are counted again.
func (at *pace) save(path string) {
	if data, err := json.Marshal(at); err == nil {
		_ = durable.WriteCache(path, data, 0o600)
	}
}

// count adds the messages written since the last call. For an agent that keeps one JSON document
// it counts calls instead.
func (at *pace) count(ev agent.Event) {
	f, err := durable.Open(ev.TranscriptPath)
	if err != nil {
		at.Messages++
		return
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	if n, err := f.ReadAt(head, 0); (err == nil || errors.Is(err, io.EOF)) && agents.IsDocument(ev.AgentType, head[:n]) {
		at.Messages++
		return
	}
	if size := sizeOf(ev.TranscriptPath); size < at.Offset { // the file was cut or replaced
		at.Offset = size
	}
	data, err := io.ReadAll(io.NewSectionReader(f, at.Offset, paceBytes))
	if err != nil {
		return
	}
	n, read := conversation.CountMessages(ev.AgentType, data)
	if read == 0 && len(data) == paceBytes { // a line longer than paceBytes
		read = len(data)
	}
	at.Messages += n
	at.Offset += int64(read)
}

func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

// pacePath returns the file of a session's pace, "" if the session has no state. In a folder
// outside git the file lies in the folder, because finding the session's state would take git.
func pacePath(p workplace.Place, sid id.SessionID) string {
	if p.Folder {
		return filepath.Join(p.Top, ".entire", "tmp", "pace-"+sid.String()+".json")
	}
	common := p.Common()
	if common == "" {
		return ""
	}
	dir := session.NewStateStore(common).Dir(sid)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Join(dir, paceName)
}

// tool runs the hook of a tool call. For a call that is no reason for a checkpoint, and that did not
// commit, it reads only the settings and the payload, unless the agent's hooks have to tell its calls.
func (h *hookRun) tool(ctx context.Context, ag agent.Agent, verb string) error {
	cwd, err := h.Here()
	if err != nil {
		return err
	}
	ends := agent.IsToolEndVerb(verb)
	_, tells := ag.(agent.CallTeller)
	only := false // a commit is the only thing that may be of interest
	if p := workplace.FindPlace(cwd); p.SetUp {
		s := settingsAt(p)
		c := s.Checkpoints()
		if p.Off() || !tells && !ends && !c.BeforeRisky && len(c.BeforeTools)+len(s.Deny) == 0 {
			return nil
		}
		only = ends && !c.Paced() && len(c.AfterTools) == 0
	}
	payload, err := h.input()
	if err != nil {
		return err
	}
	only = only && !bytes.Contains(payload, []byte("commit"))
	if only && !tells {
		return nil
	}
	ev, err := ag.Decode(verb, payload, h.Now())
	if err != nil {
		return fmt.Errorf("hook payload: %w", err)
	}
	if only && !tellsCall(ag, ev) {
		return nil
	}
	return h.toolEvent(ctx, ag, ev, cwd)
}

// toolEvent carries out the event of a tool call, if it is a reason for a checkpoint or committed. ag is as for event.
func (h *hookRun) toolEvent(ctx context.Context, ag agent.Agent, ev agent.Event, cwd string) error {
	dir := h.workedIn(ev, cwd)
	if dir == "" {
		return nil
	}
	p := workplace.FindPlace(dir)
	agentlib.NoteHeard(p, ev, h.Now())
	if ag != nil && reportedByOwnHooks(h.Home(), p.Top, ag, ev) {
		return nil
	}
	placeTranscript(h.Home(), dir, &ev)
	reportToParent(&ev)
	s := settingsAt(p)
	if ev.Type == agent.ToolStart && h.refuses(ag, s, ev) {
		return nil
	}
	ev, due := h.toolDue(p, s.Checkpoints(), ev, dir)
	commits := ev.Type == agent.ToolEnd && !p.Folder && conversation.RunsCommit(ev.ShellCommand())
	tells := !p.Folder && tellsCall(ag, ev)
	if !due && !commits && !tells {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	if p.Folder {
		return h.toolInFolder(limited, ag, p.Top, ev)
	}
	if err := h.enter(ctx, h.adopted(ev, dir)); err != nil {
		return err
	}
	if tells {
		if err := transcript.KeepHookCall(ctx, h.wp.Engine, ev); err != nil {
			h.log().Warn("a call is not known before the transcript has it", "session_id", ev.SessionID.String(), "err", err)
		}
	}
	if !due && !commits {
		return nil
	}
	answer, err := engine.Handle(limited, h.wp.Engine, ev)
	if err != nil {
		return err
	}
	return h.tellSaved(ag, ev, answer)
}

// tellsCall reports whether the event tells a call that may change files, or commit, and that the agent's transcript has
// later, or never.
func tellsCall(ag agent.Agent, ev agent.Event) bool {
	teller, ok := ag.(agent.CallTeller)
	if !ok {
		return false
	}
	c := conversation.NewConversation(ag.Type())
	c.AddLine(teller.CallLine(ev, "call"))
	commits := slices.ContainsFunc(c.OpenCalls, func(call conversation.ToolCall) bool { return call.Commits })
	return commits || len(c.Touched) > 0 || len(c.EditsSince(conversation.Mark{})) > 0
}

// toolInFolder makes the checkpoint in a folder outside git, if the folder's files are kept.
func (h *hookRun) toolInFolder(ctx context.Context, ag agent.Agent, top string, ev agent.Event) error {
	single.All()
	wp, err := workplace.OpenFolder(ctx, h.Env, top, false)
	if errors.Is(err, workplace.ErrNothingKept) {
		return nil
	}
	if err != nil {
		return err
	}
	defer wp.Close()
	answer, err := engine.Handle(ctx, wp.Engine, ev)
	if err != nil {
		return err
	}
	return h.tellSaved(ag, ev, answer)
}
