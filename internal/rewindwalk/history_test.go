package rewindwalk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// history is one sequence of operations under way.
type history struct {
	root, top string
	env       []string
	ctx       context.Context
	sessions  []*sess

	clock, marks int

	head   string          // the commit
	commit map[string]tree // by ID
	points map[string]*moment
	order  []*moment // in which they were made
	saved  []*moment // what rewinds saved first, the newest last

	spans   []span // since HEAD moved
	last    tree   // what the engine saw last
	pipes   map[string]bool
	epoch   int  // how often HEAD has moved
	blurred bool // two sessions were at work at once

	done, undone []deed // what can be undone, and redone, the next last

	outside map[string]stamped

	trace []string
	stats map[string]int
}

// moment is what the worktree was when a step was made.
type moment struct {
	id    string
	head  string
	files tree // what git would show

	epoch, pos int // how many spans came before

	missing map[string]bool // where something stood that no step can hold
	hidden  map[string]bool // those of it that may not have been seen
}

type sess struct {
	id         id.SessionID
	transcript string
	lines      int
	active     bool
	cut        bool // the spans have begun anew in its turn: they do not tell of all of it
}

// failure ends a history.
type failure struct{ class, text string }

func (h *history) fail(class, format string, args ...any) {
	panic(failure{class, fmt.Sprintf(format, args...)})
}

func (h *history) note(format string, args ...any) {
	h.trace = append(h.trace, fmt.Sprintf(format, args...))
}

func newHistory(root string) (*history, error) {
	if err := os.CopyFS(root, os.DirFS(template)); err != nil {
		return nil, err
	}
	h := &history{root: root, top: filepath.Join(root, "repo"), ctx: context.Background(), stats: map[string]int{},
		env: testrepo.Environ(filepath.Join(root, "home")), commit: map[string]tree{}, points: map[string]*moment{}}
	for _, name := range []string{"one", "two"} {
		sid, err := id.ParseSessionID(name)
		if err != nil {
			return nil, err
		}
		h.sessions = append(h.sessions, &sess{id: sid, transcript: filepath.Join(root, "home", name+".jsonl")})
	}
	h.git("update-index", "-q", "--refresh")
	h.outside = read(filepath.Join(root, "outside"))
	h.moved()
	h.forget()
	return h, nil
}

// moved takes note of HEAD.
func (h *history) moved() {
	h.head = strings.TrimSpace(h.git("rev-parse", "HEAD"))
	if _, known := h.commit[h.head]; !known {
		h.commit[h.head] = h.filesOf(h.head)
	}
}

// filesOf reads a commit.
func (h *history) filesOf(commit string) tree {
	out := tree{}
	for _, line := range strings.Split(h.git("ls-tree", "-r", "-z", commit), "\x00") {
		info, path, found := strings.Cut(line, "\t")
		if !found {
			continue
		}
		word := strings.Fields(info)
		mode := map[string]string{"100644": "644", "100755": "755", "120000": "link"}[word[0]]
		out[path] = file{mode, h.git("cat-file", "blob", word[2])}
	}
	return out
}

// engine opens the repository anew, as a process of its own would.
func (h *history) engine() (*sessionstate.Env, func()) {
	repo, err := git.Discover(h.ctx, h.top, h.env)
	if err != nil {
		panic(failure{"engine", err.Error()})
	}
	e := sessionstate.New(sessionstate.Options{
		Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Home: filepath.Join(h.root, "home"), NoEditor: true,
	})
	return e, func() { repo.Close() }
}

// event tells the engine of something of an agent's.
func (h *history) event(kind agent.EventType, s *sess, prompt string) {
	h.settle(h.maker(s))
	e, done := h.engine()
	defer done()
	ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: s.id,
		TranscriptPath: s.transcript, Dir: h.top, Prompt: prompt, Time: time.Now()}
	if _, err := engine.Handle(h.ctx, e, ev); err != nil {
		h.fail("event", "%s: %v", kind, err)
	}
	h.learn(e)
}

// learn takes note of the points that are new: they are what the worktree is now.
func (h *history) learn(e *sessionstate.Env) {
	points, err := step.Points(h.ctx, e, 0)
	if err != nil {
		h.fail("points", "%v", err)
	}
	for _, p := range points {
		if p.IsLogsOnly {
			continue
		}
		if _, known := h.points[p.ID]; !known && len(h.spans) > 0 && h.spans[len(h.spans)-1].who == p.SessionID && !h.cut(p.SessionID) {
			h.spans[len(h.spans)-1].turn = p.Turn
		}
		h.remember(p.ID)
	}
}

func (h *history) cut(session string) bool {
	return slices.ContainsFunc(h.sessions, func(s *sess) bool { return s.cut && s.id.String() == session })
}

func (h *history) remember(id string) *moment {
	if m, known := h.points[id]; known {
		return m
	}
	now := bare(read(h.top))
	m := h.momentOf(id, now)
	h.points[id] = m
	h.order = append(h.order, m)
	h.note("   point %.7s", id)
	return m
}

func (h *history) momentOf(id string, files tree) *moment {
	m := &moment{id: id, head: h.head, files: only(files, h.captured(files)), missing: map[string]bool{}, hidden: map[string]bool{}, epoch: h.epoch, pos: len(h.spans)}
	for p, f := range files {
		if f.mode == "pipe" {
			m.missing[p] = true
			m.hidden[p] = !h.beside(p, m.files)
		}
	}
	return m
}

// beside reports that a pipe lies at the top, in a file's place, or in a folder in
// which something changed: git lists none, so that only there are they looked for.
func (h *history) beside(p string, files tree) bool {
	was := h.commit[h.head]
	if _, committed := was[p]; committed || !strings.Contains(p, "/") {
		return true
	}
	dir := p[:strings.LastIndexByte(p, '/')]
	return slices.ContainsFunc(changed(was, files), func(q string) bool { return below(q, dir) })
}

// say appends a line to a transcript.
func (h *history) say(s *sess, kind string, content any) {
	s.lines++
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%s-%d", s.id, s.lines),
		"message": map[string]any{"id": fmt.Sprintf("m%d", s.lines), "role": kind, "content": content}})
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(s.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, err = f.Write(append(line, '\n'))
			f.Close()
		}
	}
	if err != nil {
		h.fail("write", "%v", err)
	}
}

// tells makes the transcript speak of an edit.
func (h *history) tells(s *sess, path string) {
	h.say(s, "assistant", []any{map[string]any{"type": "tool_use", "id": fmt.Sprintf("t%d", s.lines), "name": "Edit",
		"input": map[string]any{"file_path": filepath.Join(h.top, path)}}})
}
