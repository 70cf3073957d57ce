package rewindwalk

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/histories"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// history is one sequence of operations under way.
type history struct {
	histories.Afterwards
	*histories.Player
	top      string
	ctx      context.Context
	sessions []*sess

	clock int

	head   string                    // the commit
	commit map[string]histories.Tree // by ID
	points map[string]*moment
	order  []*moment // in which they were made
	saved  []*moment // what rewinds saved first, the newest last

	spans   []span         // since HEAD moved
	last    histories.Tree // what the engine saw last
	pipes   map[string]bool
	epoch   int  // how often HEAD has moved
	blurred bool // two sessions were at work at once

	done, undone []deed // what can be undone, and redone, the next last

	outside map[string]histories.Stamped
}

// moment is what the worktree was when a step was made.
type moment struct {
	id    string
	head  string
	files histories.Tree // what git would show

	epoch, pos int // how many spans came before

	missing map[string]bool // where something stood that no step can hold
	hidden  map[string]bool // those of it that may not have been seen
}

type sess struct {
	*histories.Session
	cut bool // the spans have begun anew in its turn: they do not tell of all of it
}

// newHistory makes the repository of a history in an empty folder, with what every sort of them has.
func newHistory(root string) *history {
	h := &history{top: filepath.Join(root, "repo"), ctx: context.Background(), commit: map[string]histories.Tree{}, points: map[string]*moment{}}
	h.Player = &histories.Player{Oracle: h, Repo: histories.NewRepo(root, programs, "repo"),
		Skip: []string{".git", ".entire", ".claude"}, Names: names, Branches: [][]string{{"main", "side"}},
		Links: []string{"a.txt", "../outside/secret", "../outside/in", "sub", "nowhere", root + "/outside/secret"},
		Lines: histories.Weights{"insert": 2, "replace": 1, "delete": 1}, Tools: histories.Weights{"edit": 1, "write": 1, "sh": 2},
		AfterOp: func() {}, Stats: map[string]int{}}
	h.AtEnd(h.Repo.Close)
	histories.Check("setup", os.CopyFS(root, os.DirFS(template)))
	h.git("update-index", "-q", "--refresh")
	h.moved()
	return h
}

// begin begins a history of rewinds.
func begin(_ *testing.T, root string) *histories.Player {
	h := newHistory(root)
	h.Changes = histories.Weights{"text": 28, "mode": 2, "remove": 2, "rename": 2, "link": 2, "odd": 2, "pipe": 1, "nested": 1}
	h.Finish = h.finish
	h.Kinds = map[string]func(*rand.Rand){"rules": h.rulesOp, "rewind": h.rewindOp, "scope": h.scopeOp, "back": h.backOp, "undo": h.undoOp, "redo": h.redoOp}
	results := true
	for _, name := range []string{"A", "B"} {
		s := &histories.Session{Host: h, Name: name, ID: "session-" + name, Path: filepath.Join(root, "home", ".claude", "projects", "p", name+".jsonl"), Results: &results}
		h.Sessions, h.sessions = append(h.Sessions, s), append(h.sessions, &sess{Session: s})
	}
	h.outside = histories.Read(filepath.Join(root, "outside"))
	h.forget()
	return h.Player
}

// read is every file of the worktree, ignored ones too, with its time.
func (h *history) read() map[string]histories.Stamped { return histories.Read(h.top, h.Skip...) }

// put makes a path hold f. Every file gets a time of its own, in the past, so that no clock's coarseness hides a change.
func (h *history) put(path string, f histories.File) {
	histories.Put(h.top, path, f)
	if full := filepath.Join(h.top, path); f.Mode != "" && f.Mode != "link" {
		h.clock++
		at := time.Now().Add(-24 * time.Hour).Truncate(time.Hour).Add(time.Duration(h.clock) * 1234567 * time.Nanosecond)
		histories.Check("write", os.Chtimes(full, at, at))
	}
}

// moved takes note of HEAD.
func (h *history) moved() {
	h.head = strings.TrimSpace(h.git("rev-parse", "HEAD"))
	if _, known := h.commit[h.head]; !known {
		h.commit[h.head] = h.Repo.Files(h.head, h.Skip...)
	}
}

// git runs git as a person does.
func (h *history) git(args ...string) string { return h.Repo.Git(0, args...) }

func (h *history) tryGit(args ...string) histories.Outcome {
	return h.Git(histories.Command{Args: append([]string{"git"}, args...)})
}

// engine opens the repository anew, as a process of its own would.
func (h *history) engine() (*sessionstate.Env, func()) {
	repo, err := git.Discover(h.ctx, h.top, h.Repo.Env)
	histories.Check("engine", err)
	e := sessionstate.New(sessionstate.Options{
		Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Home: filepath.Join(h.Repo.Root, "home"), NoEditor: true,
	})
	return e, func() { repo.Close() }
}

// Dir is the folder of the worktree.
func (h *history) Dir(int) string { return h.top }

// AsAgent does what a command of an agent's does.
func (h *history) AsAgent(do func()) { do() }

// Hook calls a hook of the agent's with the real program.
func (h *history) Hook(s *histories.Session, verb string, payload map[string]any) {
	c := histories.Command{Args: []string{program(), "hooks", s.Agent(), verb}, Stdin: histories.Encode(payload)}
	if o := h.Repo.Run(c); o.Code != 0 || o.Out != "" {
		histories.Fail("hook", "%s: %d %s", verb, o.Code, o.Out)
	}
}

// Git runs a command, with the hooks that `entire enable` has made.
func (h *history) Git(c histories.Command) histories.Outcome {
	o := h.Repo.Run(c)
	h.Note("   %q: %d %.100s", c.Args, o.Code, o.Out)
	return o
}

// Edit changes files.
func (h *history) Edit(by *histories.Session, _ int, edits []histories.Edit) {
	for _, e := range edits {
		who := "person"
		if by != nil {
			who = by.Name
		}
		h.Note("   %s changes %s: %q to %q", who, e.Path, e.Old.Mode, e.Now.Mode)
		e.Do(by, func() { h.put(e.Path, e.Now) })
	}
}

// Prompt begins a turn.
func (h *history) Prompt(s *histories.Session) {
	h.turn(s, func() { s.Prompt("") })
	h.blurred = h.blurred || h.sessions[0].Open && h.sessions[1].Open
}

// Stop ends a turn.
func (h *history) Stop(s *histories.Session) {
	h.turn(s, s.Stop)
	h.blurred = h.blurred && (h.sessions[0].Open || h.sessions[1].Open)
}

// turn tells the engine of something of an agent's.
func (h *history) turn(s *histories.Session, do func()) {
	h.Note("   %s: a turn begins or ends", s.Name)
	h.settle(h.maker(s))
	do()
	h.learnNow()
	h.sessions[slices.Index(h.Sessions, s)].cut = false
}

func (h *history) learnNow() {
	e, done := h.engine()
	defer done()
	h.learn(e)
}

// After takes note of what git did: the files may be others, and HEAD may be.
func (h *history) After(_ int, how histories.How) {
	was := h.head
	h.moved()
	if h.head == was && how != histories.Copied && how != histories.Merged {
		return
	}
	h.forget()
	h.learnNow()
}

// learn takes note of the points that are new: they are what the worktree is now, but for those that a stash took away.
func (h *history) learn(e *sessionstate.Env) {
	points, err := step.Points(h.ctx, e, 0)
	if err != nil {
		histories.Fail("points", "%v", err)
	}
	for _, p := range points {
		if p.IsLogsOnly || p.Why == shadow.WhyBeforeStash {
			continue
		}
		if _, known := h.points[p.ID]; !known && len(h.spans) > 0 && h.spans[len(h.spans)-1].who == p.SessionID && !h.cut(p.SessionID) {
			h.spans[len(h.spans)-1].turn = p.Turn
		}
		h.remember(p.ID)
	}
}

func (h *history) cut(session string) bool {
	return slices.ContainsFunc(h.sessions, func(s *sess) bool { return s.cut && s.ID == session })
}

func (h *history) remember(id string) *moment {
	if m, known := h.points[id]; known {
		return m
	}
	now := h.Files(0)
	m := h.momentOf(id, now)
	h.points[id] = m
	h.order = append(h.order, m)
	h.Note("   point %.7s", id)
	return m
}

func (h *history) momentOf(id string, files histories.Tree) *moment {
	m := &moment{id: id, head: h.head, files: only(files, h.captured(files)), missing: map[string]bool{}, hidden: map[string]bool{}, epoch: h.epoch, pos: len(h.spans)}
	for p, f := range files {
		if f.Mode == "pipe" {
			m.missing[p] = true
			m.hidden[p] = !h.beside(p, m.files)
		}
	}
	return m
}

// beside reports that a pipe lies at the top, in a file's place, or in a folder in
// which something changed: git lists none, so that only there are they looked for.
func (h *history) beside(p string, files histories.Tree) bool {
	was := h.commit[h.head]
	if _, committed := was[p]; committed || !strings.Contains(p, "/") {
		return true
	}
	dir := p[:strings.LastIndexByte(p, '/')]
	return slices.ContainsFunc(histories.Changed(was, files), func(q string) bool { return histories.Below(q, dir) })
}
