package sealing_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/checkpoint/shadow"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

var (
	may, june = time.Date(2026, 5, 20, 9, 0, 0, 0, time.UTC), time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
	july      = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
)

type lab struct {
	*testing.T
	r    *testrepo.Repo
	repo *git.Repo
}

func newLab(t *testing.T) *lab {
	t.Helper()
	r := testrepo.New(t)
	return &lab{t, r, checkpointtest.Open(t, r)}
}

// clone returns a clone that has the branch.
func (l *lab) clone() *lab {
	l.Helper()
	r := l.r.Clone()
	r.Git("update-ref", shadow.MetadataRef, shadow.RemoteMetadataRef)
	return &lab{l.T, r, checkpointtest.Open(l.T, r)}
}

func cpOf(n int) id.CheckpointID { return id.MustCheckpointID(fmt.Sprintf("%02x%010x", n%7*30, n)) }

// write stores a session of a checkpoint at a time.
func (l *lab) write(cp id.CheckpointID, session string, at time.Time) {
	l.Helper()
	rec := checkpointtest.SessionRecord(l.T, l.repo, session, fmt.Sprintf("{\"said in\":%q}\n", session+cp.String()))
	rec.Metadata.CreatedAt = at
	rec.Extra = []git.Edit{}
	checkpointtest.Write(l.T, l.repo, checkpointtest.Record(cp, rec))
}

func (l *lab) fill() {
	l.Helper()
	for n := range 12 {
		l.write(cpOf(n), fmt.Sprint("s", n), may.Add(time.Duration(n)*time.Hour))
	}
	for n := 12; n < 20; n++ {
		l.write(cpOf(n), fmt.Sprint("s", n), june.Add(time.Duration(n)*time.Hour))
	}
	l.write(cpOf(30), "s30", july.Add(time.Hour))
}

func (l *lab) seal() sealing.Done {
	l.Helper()
	plan, err := sealing.Find(l.Context(), l.repo, july, nil)
	if err != nil {
		l.Fatal(err)
	}
	done, err := sealing.Seal(l.Context(), l.repo, plan)
	if err != nil {
		l.Fatal(err)
	}
	l.r.Git("fsck", "--strict", "--no-dangling")
	return done
}

func (l *lab) epochs() string { return l.r.Git("for-each-ref", epoch.Refs, epoch.BodyRefs) }

// content returns everything that is stored of all checkpoints, through every way of reading.
func (l *lab) content() map[string]string {
	l.Helper()
	ctx, reader := l.Context(), records.NewReader(l.repo)
	must := func(err error) {
		l.Helper()
		if err != nil {
			l.Fatal(err)
		}
	}
	ids, err := reader.ListIDs(ctx)
	must(err)
	state, err := reader.State(ctx)
	must(err)
	versions, err := reader.Versions(ctx, state)
	must(err)
	exists, err := reader.Exists(ctx, ids)
	must(err)
	listed, err := reader.List(ctx, ids)
	must(err)
	if len(versions) != len(ids) || len(exists) != len(ids) || len(listed) != len(ids) {
		l.Fatalf("%d IDs, %d versions, %d exist, %d listed", len(ids), len(versions), len(exists), len(listed))
	}
	out := map[string]string{}
	for _, cp := range ids {
		found, err := reader.FindByPrefix(ctx, cp.String()[:11])
		must(err)
		author, err := reader.Author(ctx, cp)
		must(err)
		c, err := reader.Read(ctx, cp)
		must(err)
		text := fmt.Sprint(found, author, exists[cp], c.Summary.Sessions)
		for i := range c.Sessions {
			s, err := reader.Session(ctx, cp, i)
			must(err)
			text += fmt.Sprint(s.Metadata.SessionID, s.Metadata.CreatedAt, string(s.Transcript), s.Prompts, s.HashMismatch)
		}
		out[cp.String()] = text
	}
	return out
}

func (l *lab) same(before, after map[string]string) {
	l.Helper()
	if !maps.Equal(before, after) {
		for cp, text := range before {
			if after[cp] != text {
				l.Errorf("checkpoint %s was\n%s\nand is\n%s", cp, text, after[cp])
			}
		}
		l.Fatalf("%d checkpoints before, %d after", len(before), len(after))
	}
}

func TestSealKeepsEverything(t *testing.T) {
	l := newLab(t)
	l.fill()
	before := l.content()
	if done := l.seal(); done.Sealed != 20 || done.Left != 0 || !slices.Equal(done.Months, []epoch.Month{"2026-05", "2026-06"}) {
		t.Fatalf("sealed %+v", done)
	}
	l.same(before, l.content())
	if names := l.r.Git("ls-tree", "-r", "--name-only", shadow.MetadataRef); strings.Contains(names, cpOf(3).Path()) || !strings.Contains(names, cpOf(30).Path()) {
		t.Errorf("the branch has\n%s", names)
	}
	if n := l.r.Git("rev-list", "--count", shadow.MetadataRef); n != "3" {
		t.Errorf("the branch has %s commits", n)
	}
	if done := l.seal(); done.Sealed != 0 || len(done.Months) != 0 {
		t.Errorf("sealed again: %+v", done)
	}
}

func TestClonesSealAlike(t *testing.T) {
	a := newLab(t)
	a.fill()
	b := a.clone()
	a.seal()
	b.seal()
	if a.epochs() != b.epochs() {
		t.Errorf("one clone has\n%s\nthe other\n%s", a.epochs(), b.epochs())
	}
	if x, y := a.r.Git("rev-parse", shadow.MetadataRef), b.r.Git("rev-parse", shadow.MetadataRef); x != y {
		t.Errorf("the branches are %s and %s", x, y)
	}
}

// Every moment at which a sealing can be killed lies between two moves of refs: the epochs, one after the other, then
// the branch.
func TestSealInterrupted(t *testing.T) {
	l := newLab(t)
	l.fill()
	before, tip := l.content(), l.r.Git("rev-parse", shadow.MetadataRef)
	l.seal()
	whole, branch := l.epochs(), l.r.Git("rev-parse", shadow.MetadataRef)
	l.r.Git("update-ref", shadow.MetadataRef, tip)
	l.same(before, l.content())
	l.r.Git("update-ref", "-d", epoch.Month("2026-06").Ref())
	l.r.Git("update-ref", "-d", epoch.Month("2026-06").BodyRef())
	l.same(before, l.content())
	l.seal()
	if l.epochs() != whole || l.r.Git("rev-parse", shadow.MetadataRef) != branch {
		t.Error("what an interrupted sealing left was not finished to the same epochs and branch")
	}
	l.same(before, l.content())
}

func (l *lab) absorb(from *lab, m epoch.Month) {
	l.Helper()
	l.r.Git("fetch", "-q", from.r.Dir, "+"+m.Ref()+":refs/entire/fetched/000000000001", "+"+m.BodyRef()+":refs/entire/fetched/000000000002")
	their := func(ref string) git.OID {
		oid, _, err := l.repo.Ref(l.Context(), ref)
		if err != nil {
			l.Fatal(err)
		}
		return oid
	}
	if err := sealing.Absorb(l.Context(), l.repo, m, their("refs/entire/fetched/000000000001"), their("refs/entire/fetched/000000000002")); err != nil {
		l.Fatal(err)
	}
}

func TestLateCheckpointsJoin(t *testing.T) {
	a := newLab(t)
	a.fill()
	b := a.clone()
	b.write(cpOf(50), "late", may)
	b.write(cpOf(3), "second", may) // another session of a checkpoint that a has, too
	a.seal()
	b.seal()
	a.absorb(b, "2026-05")
	b.absorb(a, "2026-05")
	if a.epochs() != b.epochs() {
		t.Fatalf("one clone has\n%s\nthe other\n%s", a.epochs(), b.epochs())
	}
	reader := records.NewReader(a.repo)
	both, err := reader.Read(t.Context(), cpOf(3))
	if err != nil || len(both.Sessions) != 2 {
		t.Errorf("the checkpoint that both changed has %d sessions, %v", len(both.Sessions), err)
	}
	if late, err := reader.Read(t.Context(), cpOf(50)); err != nil || len(late.Sessions) != 1 {
		t.Errorf("the late checkpoint has %d sessions, %v", len(late.Sessions), err)
	}
}

func TestChangeAfterSealing(t *testing.T) {
	l := newLab(t)
	l.fill()
	l.seal()
	up := metadata.SummaryUpdate{ID: cpOf(4), Summary: &metadata.Summary{Intent: "why"}, Author: checkpointtest.Maker}
	if err := metadata.WriteSummary(t.Context(), l.repo, up); err != nil {
		t.Fatal(err)
	}
	intent := func() string {
		s, err := records.NewReader(l.repo).LatestSession(t.Context(), cpOf(4))
		if err != nil || s.Metadata.Summary == nil || !strings.Contains(string(s.Transcript), "s4") {
			t.Fatalf("%+v, %v", s, err)
		}
		return s.Metadata.Summary.Intent
	}
	if intent() != "why" {
		t.Error("the change does not count before it is sealed")
	}
	l.seal()
	if intent() != "why" {
		t.Error("the change is lost when it is sealed")
	}
	if names := l.r.Git("ls-tree", "-r", "--name-only", shadow.MetadataRef); strings.Contains(names, cpOf(4).Path()) {
		t.Error("the changed checkpoint stays on the branch")
	}
}

func TestForgetSealed(t *testing.T) {
	l := newLab(t)
	l.fill()
	blob := l.r.Git("rev-parse", shadow.MetadataRef+":"+cpOf(5).Path()+"/0/full.jsonl")
	l.seal()
	f := tombstone.Forgetting{IDs: []id.CheckpointID{cpOf(5)}, When: july, Author: checkpointtest.Maker}
	if _, _, err := tombstone.Forget(t.Context(), l.repo, f); err != nil {
		t.Fatal(err)
	}
	changed, absent, err := sealing.DropForgotten(t.Context(), l.repo)
	if err != nil || len(changed) != 1 || len(absent) != 0 {
		t.Fatalf("changed %v, absent %v, %v", changed, absent, err)
	}
	if reached := l.r.Git("rev-list", "--objects", "--all", "--no-object-names"); strings.Contains(reached, blob) {
		t.Error("a ref still reaches the forgotten conversation")
	}
	if _, err := records.NewReader(l.repo).Read(context.Background(), cpOf(5)); err == nil {
		t.Error("the forgotten checkpoint can be read")
	}
}
