package enginetest

import (
	"encoding/json"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/maintain"
)

// NewAuto is a world with auto-commit, in which git runs our hooks.
func NewAuto(t *testing.T, opts ...testrepo.Option) *World {
	t.Helper()
	w := NewWorld(t, opts...)
	w.Auto = true
	return w.Hooked()
}

// Committed are the files that a commit changed.
func (w *World) Committed(rev string) string {
	w.T.Helper()
	return strings.Join(strings.Fields(w.Git("show", "--name-only", "--format=", rev)), " ")
}

func (w *World) Subjects() string {
	w.T.Helper()
	return w.Git("log", "--format=%s")
}

// GitStatus is `git status --porcelain`, untrimmed on the left.
func (w *World) GitStatus() string {
	w.T.Helper()
	out, err := w.TryGit("status", "--porcelain")
	if err != nil {
		w.T.Fatal(err)
	}
	return strings.TrimRight(out, "\n")
}

func (w *World) Root(cp string) metadata.CheckpointSummary {
	w.T.Helper()
	var sum metadata.CheckpointSummary
	if err := json.Unmarshal([]byte(w.Metadata(cp, "metadata.json")), &sum); err != nil {
		w.T.Fatal(err)
	}
	return sum
}

func (w *World) Slot(cp string) metadata.CommittedMetadata {
	w.T.Helper()
	var meta metadata.CommittedMetadata
	if err := json.Unmarshal([]byte(w.Metadata(cp, "0/metadata.json")), &meta); err != nil {
		w.T.Fatal(err)
	}
	return meta
}

func (w *World) Problems() string {
	w.T.Helper()
	r, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	var out []string
	for _, p := range r.Problems {
		out = append(out, p.Kind+" "+p.Subject+": "+p.Why)
	}
	return strings.Join(out, "\n")
}

// EndedState is a session's state after it has ended.
func (w *World) EndedState(sid string) *session.State {
	w.T.Helper()
	w.Event(agent.SessionEnd, sid, nil)
	return w.State(sid)
}

func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}
