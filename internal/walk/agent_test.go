package walk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/histories"
)

// Dir is the folder of a worktree on the real side.
func (w *walk) Dir(wt int) string { return w.real.Dir(wt) }

// AsAgent does what a command of the agent's does; Git says that nobody is at a terminal.
func (w *walk) AsAgent(do func()) { do() }

// Hook calls a hook of the agent's. It must leave git's files alone.
func (w *walk) Hook(s *histories.Session, verb string, payload map[string]any) {
	w.Note("%s %s", s.Name, verb)
	out := w.entire(s.WT, histories.Encode(payload), "hooks", s.Agent(), verb)
	if out.Code != 0 || (out.Out != "" && verb != "session-start") {
		histories.Fail("hook", "%s: exit %d, says %q", verb, out.Code, out.Out)
	}
	if slices.Contains([]string{"session-start", "user-prompt-submit", "stop", "session-end"}, verb) {
		w.finalised(w.model(s))
	}
}

// model is what is known of a session.
func (w *walk) model(s *histories.Session) *sess {
	return w.sessions[slices.IndexFunc(w.sessions, func(m *sess) bool { return m.Session == s })]
}

// entire runs a command of ours, which must not touch git's files.
func (w *walk) entire(wt int, stdin string, args ...string) histories.Outcome {
	before := w.gitFiles(wt)
	out := w.real.Run(histories.Command{WT: wt, Stdin: stdin, Args: append([]string{binary}, args...)})
	if after := w.gitFiles(wt); after != before {
		histories.Fail("touched", "entire %v changed the index or HEAD", args)
	}
	return out
}

func (w *walk) gitFiles(wt int) string {
	index, _ := os.ReadFile(filepath.Join(w.real.GitDir(wt), "index"))
	head, _ := os.ReadFile(filepath.Join(w.real.GitDir(wt), "HEAD"))
	return string(index) + string(head)
}

// Prompt begins a turn; one that is open was interrupted.
func (w *walk) Prompt(session *histories.Session) {
	s := w.model(session)
	interrupted := s.Open
	if interrupted {
		s.turnClosed(w.files(s.WT), w.headTree(s.WT))
	}
	s.Session.Prompt("")
	if interrupted {
		w.listPoints(s.WT)
	}
	s.unheard = false
	s.began, s.alone = w.files(s.WT), true
	s.looked = s.began
	for _, other := range w.sessions {
		if other != s && other.WT == s.WT && other.Open {
			s.alone, other.alone = false, false
		}
	}
	w.event(s.WT)
}

// Stop ends a turn.
func (w *walk) Stop(session *histories.Session) { w.closeTurn(w.model(session), session.Stop) }

// closeTurn does what ends a turn, and what was left open.
func (w *walk) closeTurn(s *sess, do func()) {
	open := s.Open
	do()
	if s.Turn == 0 {
		return
	}
	if open {
		s.turnClosed(w.files(s.WT), w.headTree(s.WT))
	}
	s.Session.Open = false
	w.event(s.WT)
	w.listPoints(s.WT)
}

// event is a moment at which entire looked at a worktree.
func (w *walk) event(wt int) {
	now, head := w.files(wt), w.headTree(wt)
	for _, s := range w.sessions {
		if s.WT == wt {
			s.missing(now, head)
		}
	}
}

// restored looks at a worktree after anything that was done in it.
func (w *walk) restored(wt int) {
	now := w.files(wt)
	for _, s := range w.sessions {
		if s.WT == wt {
			s.restored(now)
		}
	}
}

// Edit changes files on both sides.
func (w *walk) Edit(by *histories.Session, wt int, edits []histories.Edit) {
	for _, e := range edits {
		e.Do(by, func() { w.put(wt, e.Path, e.Now) })
		who := "p"
		if by != nil {
			who = by.Name
		}
		w.Note("%d> %s %s: %q -> %s %q", wt, who, e.Path, e.Old.Mode, e.Now.Mode, slices.Sorted(maps.Keys(atoms("", e.Old, e.Now))))
		if by == nil {
			continue
		}
		for _, other := range w.sessions {
			if other.WT == wt { // what one agent replaces, another need not keep
				delete(other.kept, e.Path)
				delete(other.left, e.Path)
				other.over[e.Path] = true
			}
		}
		w.model(by).edited(e.Path, e.Old, e.Now, e.Tool != "sh")
	}
}

// restartOp starts the agent's process, again if it was there.
func (w *walk) restartOp(rng *rand.Rand) {
	s := histories.Pick(rng, w.sessions)
	w.closeTurn(s, func() { s.Start(histories.Pick(rng, []string{"startup", "resume"})) })
}

func (w *walk) endOp(rng *rand.Rand) {
	s := histories.Pick(rng, w.sessions)
	w.closeTurn(s, s.End)
}

// taskOp is a subagent's run in a turn.
func (w *walk) taskOp(rng *rand.Rand) {
	s := histories.Pick(rng, w.sessions)
	if !s.Open {
		w.Prompt(s.Session)
	}
	w.tasks++
	task := map[string]any{"tool_name": "Task", "tool_use_id": fmt.Sprintf("toolu_task_%d", w.tasks),
		"tool_input": map[string]any{"subagent_type": "general-purpose", "description": "look around"}}
	s.Tell("pre-task", task)
	for range rng.IntN(3) {
		w.Change(s.Session, s.WT, rng)
		w.tasks++
		s.Tell("post-todo", map[string]any{"tool_name": "TodoWrite", "tool_use_id": fmt.Sprintf("toolu_todo_%d", w.tasks),
			"tool_input": map[string]any{"todos": []any{map[string]any{"content": "part done", "status": "completed"}}}})
		w.listPoints(s.WT)
	}
	w.Change(s.Session, s.WT, rng)
	task["tool_response"] = map[string]any{"agentId": "a1b2c3d4"}
	s.Tell("post-task", task)
	w.listPoints(s.WT)
}
