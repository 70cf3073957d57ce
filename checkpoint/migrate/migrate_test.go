package migrate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/migrate"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
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

// write stores a session of a checkpoint where the checkpoint is.
func (l *lab) write(cp id.CheckpointID, session, text string) {
	l.Helper()
	checkpointtest.Write(l.T, l.repo, checkpointtest.Record(cp, checkpointtest.SessionRecord(l.T, l.repo, session, text)))
}

// move moves everything, and expects that nothing is left.
func (l *lab) move(to migrate.Target) migrate.Done {
	l.Helper()
	p, err := migrate.Find(l.Context(), l.repo, to)
	if err != nil {
		l.Fatal(err)
	}
	done, err := p.Run(l.Context(), l.repo, checkpointtest.Maker, func(int, int) {})
	if err != nil || len(done.Left)+len(p.Differ) > 0 {
		l.Fatalf("moved %d, left %v, differing %v, %v", len(done.Moved), done.Left, p.Differ, err)
	}
	l.r.Git("fsck", "--strict", "--no-dangling")
	return done
}

func (l *lab) refs() string { return l.r.Git("for-each-ref", metadata.CheckpointRefs) }

// trees lists the trees of all checkpoints, wherever they are.
func (l *lab) trees() map[string]string {
	l.Helper()
	reader := records.NewReader(l.repo)
	state, err := reader.State(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	versions, err := reader.Versions(l.Context(), state)
	if err != nil {
		l.Fatal(err)
	}
	out := map[string]string{}
	for _, v := range versions {
		out[v.ID.String()] = v.Tree.String()
	}
	return out
}

func (l *lab) sameTrees(want map[string]string) {
	l.Helper()
	got := l.trees()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		l.Fatalf("trees:\n%v\nwant:\n%v", got, want)
	}
}

// The refs of another program are written by git alone: one with three commits, one of them
// signed and in another encoding, and one with a merge.
func (l *lab) plumbRefs() (ids []id.CheckpointID) {
	l.Helper()
	blob := l.r.GitInput(`{"checkpoint_id":"","strategy":"manual-commit","files_touched":[],"sessions":[]}`, "hash-object", "-w", "--stdin")
	tree := func(extra string) string {
		other := l.r.GitInput(extra, "hash-object", "-w", "--stdin")
		return l.r.GitInput("100644 blob "+other+"\textra\n100644 blob "+blob+"\tmetadata.json\n", "mktree")
	}
	raw := func(tree, rest string, parents ...string) string {
		text := "tree " + tree + "\n"
		for _, p := range parents {
			text += "parent " + p + "\n"
		}
		return l.r.GitInput(text+rest, "hash-object", "-w", "-t", "commit", "--stdin")
	}
	const who = "author A U Thor <a@b> 1790000000 +0530\ncommitter C <c@d> 1790000001 -0800\n"
	first := raw(tree("1"), who+"\nCheckpoint: x\n")
	second := raw(tree("2"), who+"encoding ISO-8859-1\n\nCheckpoint: \xe4\n", first)
	third := raw(tree("3"), who+"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\nUpdate, without a line end", second)
	side := raw(tree("4"), who+"\nside\n", first)
	merge := raw(tree("5"), who+"\nmerge\n", second, side)
	for name, tip := range map[string]string{"01JD6Q8ZV3K5N7P9R2T4W6Y8A0": third, "01JD6Q8ZV3K5N7P9R2T4W6Y8B1": merge, "0123456789ab": first} {
		cp := id.MustCheckpointID(name)
		l.r.Git("update-ref", metadata.CheckpointRef(cp), tip)
		ids = append(ids, cp)
	}
	return ids
}

// TestRefsRoundTrip: refs of another program go to the branch and back, byte for byte.
func TestRefsRoundTrip(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write(checkpointtest.CpB, "ours", "on the branch\n")
	ids := l.plumbRefs()
	refs, trees := l.refs(), l.trees()
	for n := range 2 {
		if done := l.move(migrate.ToBranch); len(done.Moved) != len(ids)+n || l.refs() != "" {
			t.Fatalf("%v; refs: %s", done, l.refs())
		}
		l.sameTrees(trees)
		l.r.Git("reflog", "expire", "--expire=now", "--all")
		l.r.Git("gc", "-q", "--prune=now") // the history must be reachable
		l.repo = checkpointtest.Open(t, l.r)
		if done := l.move(migrate.ToRefs); len(done.Moved) != len(ids)+1 {
			t.Fatalf("%v", done)
		}
		l.sameTrees(trees)
		got := slices.DeleteFunc(strings.Split(l.refs(), "\n"), func(line string) bool { return strings.HasSuffix(line, checkpointtest.CpB.String()) })
		if strings.Join(got, "\n") != refs {
			t.Fatalf("refs:\n%s\nwant:\n%s", strings.Join(got, "\n"), refs)
		}
		if left := l.r.Git("ls-tree", "-r", "--name-only", shadow.MetadataBranch); left != "" {
			t.Fatalf("on the branch: %s", left)
		}
	}
}

// TestBranchRoundTrip: checkpoints of the branch go into refs with their history, and back to
// the same tree.
func TestBranchRoundTrip(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for i := range 5 {
		cp := id.MustCheckpointID(fmt.Sprintf("a%da2b3c4d5e6", i))
		l.write(cp, "s1", "one\n")
		l.write(checkpointtest.CpA, fmt.Sprintf("s%d", i), "again\n")
	}
	before, trees := l.r.Git("rev-parse", shadow.MetadataBranch+"^{tree}"), l.trees()
	messages := l.r.Git("log", "--format=%an %at %B", shadow.MetadataBranch, "--", checkpointtest.CpA.Path())
	l.move(migrate.ToRefs)
	l.sameTrees(trees)
	ref := metadata.CheckpointRef(checkpointtest.CpA)
	if got := l.r.Git("log", "--format=%an %at %B", ref); got != messages {
		t.Errorf("messages:\n%s\nwant:\n%s", got, messages)
	}
	refs := l.refs()
	l.move(migrate.ToBranch)
	l.sameTrees(trees)
	if after := l.r.Git("rev-parse", shadow.MetadataBranch+"^{tree}"); after != before || l.refs() != "" {
		t.Errorf("the tree is %s, was %s; refs: %s", after, before, l.refs())
	}
	l.move(migrate.ToRefs)
	if l.refs() != refs {
		t.Errorf("refs:\n%s\nwant:\n%s", l.refs(), refs)
	}
}

// TestChangesBetweenMoves: what was written in one place is in the history of the other.
func TestChangesBetweenMoves(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.plumbRefs()
	ref := metadata.CheckpointRef(ids[0])
	old := l.r.Git("rev-parse", ref)
	l.move(migrate.ToBranch)
	l.write(ids[0], "s1", "on the branch\n")
	l.write(ids[0], "s2", "on the branch, too\n")
	trees := l.trees()
	l.move(migrate.ToRefs)
	l.sameTrees(trees)
	if l.r.Git("rev-parse", ref+"~2") != old || !strings.HasPrefix(l.r.Git("log", "-1", "--format=%B", ref), "Checkpoint: "+ids[0].String()) {
		t.Errorf("history:\n%s", l.r.Git("log", "--format=%h %s", ref))
	}
	l.write(ids[0], "s3", "in the ref\n")
	refs, trees := l.refs(), l.trees()
	l.move(migrate.ToBranch)
	l.sameTrees(trees)
	l.move(migrate.ToRefs)
	if l.refs() != refs {
		t.Errorf("refs:\n%s\nwant:\n%s", l.refs(), refs)
	}
}

// TestInterrupted: a move that was ended between two batches is finished by the next.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write(checkpointtest.CpA, "s1", "one\n")
	tree, err := git.ParseOID(l.r.Git("rev-parse", shadow.MetadataBranch+":"+checkpointtest.CpA.Path()))
	if err != nil {
		t.Fatal(err)
	}
	var edits []git.Edit
	for i := range 700 {
		edits = append(edits, git.Edit{Path: id.MustCheckpointID(fmt.Sprintf("%012x", i*0x10000001)).Path(), Mode: git.ModeTree, OID: tree})
	}
	err = metadata.UpdateMetadata(t.Context(), l.repo, nil, func(tip git.OID) (git.OID, error) {
		return checkpointtest.CommitEdits(t, l.repo, tip, edits...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reader := records.NewReader(l.repo)
	all, err := reader.ListIDs(t.Context())
	if err != nil || len(all) != 701 {
		t.Fatalf("%d, %v", len(all), err)
	}
	for _, to := range []migrate.Target{migrate.ToRefs, migrate.ToBranch} {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := migrate.Find(ctx, l.repo, to)
		if err != nil || len(p.Move) != 701 {
			t.Fatalf("%d, %v", len(p.Move), err)
		}
		if _, err := p.Run(ctx, l.repo, checkpointtest.Maker, func(int, int) { cancel() }); err == nil {
			t.Fatal("it was not interrupted")
		}
		if now, err := reader.ListIDs(t.Context()); err != nil || !slices.Equal(now, all) {
			t.Fatalf("in between there are %d of %d, %v", len(now), len(all), err)
		}
		p, err = migrate.Find(t.Context(), l.repo, to)
		if err != nil || len(p.Move) == 0 || len(p.Move) == 701 || len(p.Move)+p.Already != 701 {
			t.Fatalf("left %d, there already %d, %v", len(p.Move), p.Already, err)
		}
		l.move(to)
	}
}

// TestInBothPlaces: an older copy gives way to the newer one, and contents that differ stay.
func TestInBothPlaces(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	older, newer, other := id.MustCheckpointID("aaaaaaaaaaaa"), id.MustCheckpointID("bbbbbbbbbbbb"), id.MustCheckpointID("cccccccccccc")
	for _, cp := range []id.CheckpointID{older, newer, other} {
		l.write(cp, "s1", "one\n")
	}
	branch := l.r.Git("rev-parse", shadow.MetadataBranch)
	l.move(migrate.ToRefs)
	l.write(newer, "s2", "two\n")
	l.write(other, "s2", "two\n")
	l.r.Git("update-ref", shadow.MetadataRef, branch) // as if another tool had copied, and not moved
	refs := l.refs()
	l.r.Git("update-ref", "-d", metadata.CheckpointRef(other))
	l.write(other, "s3", "three\n")
	for line := range strings.Lines(refs) {
		if f := strings.Fields(line); f[2] == metadata.CheckpointRef(other) {
			l.r.Git("update-ref", f[2], f[0])
		}
	}
	p, err := migrate.Find(t.Context(), l.repo, migrate.ToRefs)
	if err != nil || !slices.Equal(p.Move, []id.CheckpointID{older, newer}) || !slices.Equal(p.Differ, []id.CheckpointID{other}) {
		t.Fatalf("%+v, %v", p, err)
	}
	done, err := p.Run(t.Context(), l.repo, checkpointtest.Maker, func(int, int) {})
	if err != nil || !slices.Equal(done.Moved, p.Move) || l.refs() != refs {
		t.Fatalf("%+v, %v\n%s", done, err, l.refs())
	}
	if left := l.r.Git("ls-tree", "-d", "--name-only", shadow.MetadataBranch); left != "cc" {
		t.Errorf("on the branch: %s", left)
	}
}

// TestIncompleteHistory: a ref whose first commits are not here stays.
func TestIncompleteHistory(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gone := strings.Repeat("1", 40)
	tip := l.r.GitInput("tree "+l.repo.EmptyTree().String()+"\nparent "+gone+"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nm\n",
		"hash-object", "-w", "-t", "commit", "--literally", "--stdin")
	l.r.Git("hash-object", "-w", "-t", "tree", "/dev/null")
	cp := id.MustCheckpointID("01JD6Q8ZV3K5N7P9R2T4W6Y8A0")
	l.r.Git("update-ref", metadata.CheckpointRef(cp), tip)
	p, err := migrate.Find(t.Context(), l.repo, migrate.ToBranch)
	if err != nil || len(p.Move) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	done, err := p.Run(t.Context(), l.repo, checkpointtest.Maker, func(int, int) {})
	if err != nil || len(done.Moved) != 0 || len(done.Left) != 1 || !strings.Contains(l.refs(), tip) {
		t.Errorf("%+v, %v; %s", done, err, l.refs())
	}
}
