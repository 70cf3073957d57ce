package main

import (
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
	"entire/checkpoint"
	"entire/id"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/risk"
	"entire/internal/single"
	"entire/session"
)

// toolLimit bounds a checkpoint in the middle of a turn: the agent waits for it.
const toolLimit = 5 * time.Second

// toolDue decides whether a call of a tool is a reason for a checkpoint, before git is
// asked for anything: most are not. It returns the event with the reason, or false.
func (h *hookRun) toolDue(p place, c config.Checkpoints, ev agent.Event) (agent.Event, bool) {
	ev.Why = whyTool(c, ev)
	if ev.Why == "" && ev.Type == agent.ToolEnd {
		ev.Why = h.whyPace(p, c, ev)
	}
	return ev, ev.Why != ""
}

// whyTool is why a call is a reason by itself, "" for none.
func whyTool(c config.Checkpoints, ev agent.Event) string {
	switch {
	case ev.Type == agent.ToolEnd && slices.Contains(c.AfterTools, ev.ToolName):
		return checkpoint.WhyAfterTool + ev.ToolName
	case ev.Type != agent.ToolStart:
		return ""
	}
	if c.BeforeRisky {
		if what := risk.Command(ev.ShellCommand()); what != "" {
			return checkpoint.WhyBeforeCommand + what
		}
	}
	if slices.Contains(c.BeforeTools, ev.ToolName) {
		return checkpoint.WhyBeforeTool + ev.ToolName
	}
	return ""
}

// paceName is how far a session has come since its last checkpoint. It reaches the
// disk, beside the session's state; without it, counting begins anew.
const paceName = "pace.json"

// A pace is where the counting of messages and minutes began, and how far it is.
type pace struct {
	Since    time.Time `json:"since"`
	Offset   int64     `json:"offset"`   // bytes of the transcript that were looked at
	Messages int       `json:"messages"` // in them, since
}

// paceBytes is how much of a transcript is looked at in one call; the next goes on.
const paceBytes = 8 << 20

// whyPace counts messages and minutes, and is why it is time for a checkpoint, "" if it
// is not. A clock that went back begins anew.
func (h *hookRun) whyPace(p place, c config.Checkpoints, ev agent.Event) string {
	if !c.Paced() {
		return ""
	}
	path := pacePath(p, ev.SessionID)
	if path == "" {
		return ""
	}
	var at pace
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &at) != nil || ev.Time.Before(at.Since) {
		at = pace{Since: ev.Time, Offset: sizeOf(ev.TranscriptPath)}
	}
	if c.EveryMessages > 0 {
		at.count(ev)
	}
	why := ""
	switch passed := ev.Time.Sub(at.Since); {
	case c.EveryMessages > 0 && at.Messages >= c.EveryMessages:
		why = fmt.Sprintf("%s%d messages", checkpoint.WhyEvery, c.EveryMessages)
	case c.Every > 0 && passed >= c.Every:
		why = fmt.Sprintf("%s%s", checkpoint.WhyEvery, count(int(c.Every.Minutes()), "minute"))
	}
	if why != "" {
		at.Since, at.Messages = ev.Time, 0
	}
	at.save(path)
	return why
}

// beginPace begins the counting with a turn.
func (h *hookRun) beginPace(p place, c config.Checkpoints, ev agent.Event) {
	if ev.Type != agent.TurnStart || !c.Paced() {
		return
	}
	if path := pacePath(p, ev.SessionID); path != "" {
		(&pace{Since: ev.Time, Offset: sizeOf(ev.TranscriptPath)}).save(path)
	}
}

// save is best effort: what is lost is counted again.
func (at *pace) save(path string) {
	if data, err := json.Marshal(at); err == nil {
		_ = durable.WriteCache(path, data, 0o600)
	}
}

// count adds the messages that were written since the last look. An agent that keeps
// one document is counted by the calls.
func (at *pace) count(ev agent.Event) {
	f, err := durable.Open(ev.TranscriptPath)
	if err != nil {
		at.Messages++
		return
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	if n, err := f.ReadAt(head, 0); (err == nil || errors.Is(err, io.EOF)) && ev.AgentType == agent.AgentTypeGemini && agent.IsDocument(head[:n]) {
		at.Messages++
		return
	}
	if size := sizeOf(ev.TranscriptPath); size < at.Offset { // it was cut, or is another
		at.Offset = size
	}
	data, err := io.ReadAll(io.NewSectionReader(f, at.Offset, paceBytes))
	if err != nil {
		return
	}
	n, read := agent.CountMessages(ev.AgentType, data)
	if read == 0 && len(data) == paceBytes { // one line longer than that
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

// pacePath is where a session's pace is kept, "" where it has no state. In a folder
// without git it lies in the folder, as to find its state takes git.
func pacePath(p place, sid id.SessionID) string {
	if p.folder {
		return filepath.Join(p.top, ".entire", "tmp", "pace-"+sid.String()+".json")
	}
	common := p.common()
	if common == "" {
		return ""
	}
	dir := session.NewStateStore(common).Dir(sid)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Join(dir, paceName)
}

// common is git's common directory as far as files can tell, "" for none.
func (p place) common() string {
	if p.top == "" || p.folder {
		return ""
	}
	dot := filepath.Join(p.top, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return dot
	}
	return linkedCommonDir(dot)
}

// tool is a hook of a tool's call. Where it is no reason for a checkpoint, it has read
// the settings and the payload, and nothing else.
func (h *hookRun) tool(ctx context.Context, ag agent.Agent, verb string) error {
	cwd, err := h.getwd()
	if err != nil {
		return err
	}
	if p := findPlace(cwd); p.setUp && checkpointsAt(p).IsZero() {
		return nil
	}
	payload, err := readInput(h.in, inputLimit, inputWait)
	if err != nil {
		return err
	}
	ev, err := ag.Decode(verb, payload, h.now())
	if err != nil {
		return fmt.Errorf("hook payload: %w", err)
	}
	dir := h.workedIn(ev, cwd)
	if dir == "" {
		return nil
	}
	p := findPlace(dir)
	c := checkpointsAt(p)
	if c.IsZero() {
		return nil
	}
	ev, due := h.toolDue(p, c, ev)
	if !due {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, toolLimit)
	defer cancel()
	if p.folder {
		return h.toolInFolder(limited, p.top, ev)
	}
	if err := h.enter(ctx, dir); err != nil {
		return err
	}
	_, err = h.wp.engine.Handle(limited, ev)
	return err
}

// toolInFolder makes the checkpoint where there is no repository. Where none of the files
// are kept, none is made.
func (h *hookRun) toolInFolder(ctx context.Context, top string, ev agent.Event) error {
	single.All()
	wp, err := h.openFolder(ctx, top, false)
	if errors.Is(err, errNothingKept) {
		return nil
	}
	if err != nil {
		return err
	}
	defer wp.close()
	_, err = wp.engine.Handle(ctx, ev)
	return err
}

// checkpointsAt is what the settings say of checkpoints in mid-turn.
func checkpointsAt(p place) config.Checkpoints {
	s, err := config.Load(p.settings)
	if err != nil && s.StrategyOptions == nil {
		return config.Checkpoints{}
	}
	return s.Checkpoints()
}

// toolHooks are the hooks that the settings need.
func toolHooks(c config.Checkpoints) agent.ToolHooks {
	return agent.ToolHooks{Before: c.BeforeTools, After: c.AfterTools, Shell: c.BeforeRisky, Changes: c.Paced()}
}

// agentHooksComplete reports that the installed agents have all the hooks that the settings
// need: those that an older version has installed may lack some. Settings of an agent that
// cannot be read have what they have.
func agentHooksComplete(wp *workplace) bool {
	for _, ag := range installedAgents(wp.repo.Top) {
		complete := false
		for _, localDev := range []bool{wp.settings.LocalDev, !wp.settings.LocalDev} {
			edit, err := planAgentHooks(wp.repo.Top, ag, agent.InstallOptions{LocalDev: localDev, Tools: toolHooks(wp.settings.Checkpoints())})
			complete = complete || err != nil || edit.count == 0
		}
		if !complete {
			return false
		}
	}
	return true
}
