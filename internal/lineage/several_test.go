package lineage_test

import (
	"context"
	"testing"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage"
)

// A commit was picked while another session was in mid-turn: what that one's checkpoint
// takes for a person's, the other saw its agent write.
func TestOfSeveralCheckpointsTheOneThatSaw(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write("f.txt", l.text("old"))
	l.enable()
	l.Write("f.txt", l.Read("f.txt")+l.text("a1 a1 h"))
	saw := l.linked("work")
	other := id.MustCheckpointID("0a0b0c0d0e0f")
	repo := l.open()
	docs, err := checkpoint.NewRecords(repo).Attributions(l.ctx, []id.CheckpointID{saw})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := attribution.DecodeRecord(docs[saw])
	if err != nil {
		t.Fatal(err)
	}
	for i := range rec.Owners {
		rec.Owners[i] = attribution.RecordOwner{Class: attribution.ClassHuman}
	}
	data, err := rec.Encode()
	if err != nil {
		t.Fatal(err)
	}
	blob, err := repo.Writer().Blob(data)
	if err != nil {
		t.Fatal(err)
	}
	err = checkpoint.WriteRecord(l.ctx, repo, checkpoint.Record{ID: other, Strategy: "manual-commit",
		Sessions: []checkpoint.SessionRecord{{Metadata: checkpoint.CommittedMetadata{SessionID: "a2", CreatedAt: l.now}}},
		Extra:    []git.Edit{{Path: checkpoint.AttributionName, Mode: git.ModeFile, OID: blob}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]id.CheckpointID{{saw, other}, {other, saw}} {
		l.tick()
		l.Git("commit", "-q", "--amend", "-m", "picked", "-m", "Entire-Checkpoint: "+order[0].String()+"\nEntire-Checkpoint: "+order[1].String())
		if got := l.blame("f.txt"); got != "? a1 a1 h" {
			t.Errorf("with %v: %s", order, got)
		}
	}
}

// A commit is known to hold an agent's work though it names no checkpoint: what it
// brought is nobody's that is known, wherever it goes.
func TestWorkThatWasNotLinked(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.enable()
	l.Write("f.txt", l.text("h"))
	l.plain("by hand")
	l.Write("g.txt", l.text("a1"))
	l.linked("work")
	l.Write("f.txt", l.Read("f.txt")+l.text("a1 a1"))
	l.plain("no link")
	missed := git.MustOID(l.Git("rev-parse", "HEAD"))
	l.Write("f.txt", l.Read("f.txt")+l.text("h"))
	l.plain("by hand again")
	classes := func() (out string) {
		t.Helper()
		lines, err := lineage.New(l.open(), lineage.Options{Unlinked: func(context.Context) ([]git.OID, attribution.Prints, error) { return []git.OID{missed}, nil, nil }}).Blame(l.ctx, "f.txt", "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			out += line.Owner.Class + " "
		}
		return out
	}
	const want = "human unknown unknown human "
	if got := classes(); got != want {
		t.Errorf("%s", got)
	}
	l.tick()
	l.Git("reset", "-q", "--soft", "HEAD~2")
	l.Git("commit", "-q", "-m", "squashed")
	if got := classes(); got != want {
		t.Errorf("squashed: %s", got)
	}
}
