package lineage_test

import (
	"context"
	"testing"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
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
	docs, err := records.NewReader(repo).Attributions(l.ctx, []id.CheckpointID{saw})
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
	err = metadata.WriteRecord(l.ctx, repo, metadata.Record{ID: other, Strategy: "manual-commit",
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "a2", CreatedAt: l.now}}},
		Extra:    []git.Edit{{Path: records.AttributionName, Mode: git.ModeFile, OID: blob}}})
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
		lines, err := lineage.New(l.open(), lineage.Options{Unlinked: func(context.Context) ([]git.OID, map[attribution.Print]attribution.RecordOwner, error) {
			return []git.OID{missed}, nil, nil
		}}).Blame(l.ctx, "f.txt", "HEAD")
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

// A checkpoint of another version may know of an agent where none of ours does: what it is
// named for is nobody's, but what ours give to an agent is that agent's.
func TestUnreadableCheckpoints(t *testing.T) {
	t.Parallel()
	const foreign = "Entire-Checkpoint: 01JD6Q8ZV3K5N7P9R2T4W6Y8A0"
	l := newLab(t)
	l.enable()
	l.Write("f.txt", l.text("h h"))
	l.plain("a person's")
	l.Write("f.txt", l.Read("f.txt")+l.text("h"))
	l.plain("of another version\n\n" + foreign)
	if got := l.blame("f.txt"); got != "h h ?" {
		t.Errorf("of another version: %s", got)
	}
	lines, err := lineage.New(l.open(), lineage.Options{}).Blame(l.ctx, "f.txt", "")
	if err != nil || lines[2].Evidence != lineage.Unreadable {
		t.Errorf("evidence: %v (%v)", lines[2].Evidence, err)
	}
	l.Write("g.txt", l.text("a1 h a1"))
	cp := l.linked("ours")
	l.tick()
	l.Git("commit", "-q", "--amend", "-m", "both", "-m", foreign+"\nEntire-Checkpoint: "+cp.String())
	if got := l.blame("g.txt"); got != "a1 ? a1" {
		t.Errorf("of both: %s", got)
	}
	head, err := git.ParseOID(l.Head())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := lineage.New(l.open(), lineage.Options{}).Commit(l.ctx, head)
	if err != nil || len(rep) != 1 {
		t.Fatalf("report: %+v (%v)", rep, err)
	}
	if o := rep[0].Added[1].Origin; o.Owner.Class != attribution.ClassUnknown || o.Evidence != lineage.Unreadable {
		t.Errorf("in the report: %+v", o)
	}
}
