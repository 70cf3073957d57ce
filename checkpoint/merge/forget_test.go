package merge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// secretRecord is a session whose every file says text, so that none is shared.
func secretRecord(t testing.TB, repo *git.Repo, sid, text string) metadata.SessionRecord {
	rec := checkpointtest.SessionRecord(t, repo, sid, fmt.Sprintf("{\"said\":%q}\n", text))
	rec.Prompts, rec.Context = "ask "+text, "# "+text+"\n"
	return rec
}

// reached reports which of texts stand anywhere in the history of a tip.
func (l *lab) reached(tip git.OID, texts ...string) (found []string) {
	l.Helper()
	if err := l.repo.Writer().Sync(); err != nil {
		l.Fatal(err)
	}
	objects := strings.Fields(l.r.Git("rev-list", "--objects", "--no-object-names", tip.String()))
	objs, err := l.repo.Reader(l.Context()).Objects(objects...)
	if err != nil {
		l.Fatal(err)
	}
	for _, text := range texts {
		if slices.ContainsFunc(objs, func(o git.Object) bool { return strings.Contains(string(o.Data), text) }) {
			found = append(found, text)
		}
	}
	return found
}

// forget is what Forget makes of a tip. The branch is afterwards as it was.
func (l *lab) forget(tip git.OID, minute int, reason string, ids ...id.CheckpointID) git.OID {
	l.Helper()
	was, _, err := l.repo.Ref(l.Context(), shadow.MetadataRef)
	if err == nil {
		err = l.repo.UpdateRefs(l.Context(), []git.RefUpdate{{Name: shadow.MetadataRef, Old: was, New: tip}})
	}
	if err != nil {
		l.Fatal(err)
	}
	_, now, err := tombstone.Forget(l.Context(), l.repo, tombstone.Forgetting{IDs: ids, Reason: reason, When: checkpointtest.Noon.AddDate(0, 0, minute), Author: checkpointtest.Maker})
	if err == nil {
		err = l.repo.UpdateRefs(l.Context(), []git.RefUpdate{{Name: shadow.MetadataRef, Old: now, New: was}})
	}
	return l.must(now, err)
}

func (l *lab) secret(tip git.OID, cp id.CheckpointID, sid, text string) git.OID {
	l.Helper()
	return l.must(metadata.BuildRecord(l.Context(), l.repo, tip, checkpointtest.Record(cp, secretRecord(l, l.repo, sid, text))))
}

var cpC = id.MustCheckpointID("0c0000000000")

// What is forgotten is in no version of the branch any more, what stood around it is
// as it was, and nothing is written under its ID.
func TestForget(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	l := &lab{t, tr, repo}
	checkpointtest.Write(t, repo, checkpointtest.Record(cpC, secretRecord(t, repo, "before", "older words")))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, repo, "one", "first words")))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, secretRecord(t, repo, "two", "neighbour words"))) // in the same shard
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, repo, "one", "second words")))
	kept := tr.Git("rev-parse", shadow.MetadataBranch+":"+checkpointtest.CpB.Path(), shadow.MetadataBranch+":"+cpC.Path())
	untouched := tr.Git("rev-parse", shadow.MetadataBranch+"~3")
	made := tr.Git("log", "-1", "--format=%an %ae %ad %cn %ce %cd %B", shadow.MetadataBranch+"~1")

	old, tip, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{checkpointtest.CpA}, Reason: "a customer's\nname", When: checkpointtest.Noon, Author: checkpointtest.Maker})
	if err != nil || old == tip {
		t.Fatalf("%s to %s, %v", old, tip, err)
	}
	if got := l.reached(tip, "first words", "second words", "neighbour words", "older words"); !slices.Equal(got, []string{"neighbour words", "older words"}) {
		t.Errorf("the branch reaches %v", got)
	}
	if got := tr.Git("rev-parse", shadow.MetadataBranch+":"+checkpointtest.CpB.Path(), shadow.MetadataBranch+":"+cpC.Path()); got != kept {
		t.Errorf("others are %s, were %s", got, kept)
	}
	if got := tr.Git("rev-parse", shadow.MetadataBranch+"~2"); got != untouched {
		t.Errorf("what is older was made anew: %s, was %s", got, untouched)
	}
	if got := tr.Git("log", "-1", "--format=%an %ae %ad %cn %ce %cd %B", shadow.MetadataBranch+"~1"); got != made {
		t.Errorf("a commit is now %q, was %q", got, made)
	}
	if got := tr.Git("show", shadow.MetadataBranch+":forgotten/"+checkpointtest.CpA.Path()); got != "{\n  \"version\": 1,\n  \"checkpoint_id\": \"a3b2c4d5e6f7\",\n  \"forgotten_at\": \"2026-02-09T12:00:00Z\",\n  \"reason\": \"a customer's name\"\n}" {
		t.Errorf("tombstone %q", got)
	}

	reader := records.NewReader(repo)
	var gone *metadata.ForgottenError
	if _, err := reader.Read(t.Context(), checkpointtest.CpA); !errors.As(err, &gone) || !errors.Is(err, metadata.ErrCheckpointNotFound) || !strings.Contains(err.Error(), "forgotten on 2026-02-09 (a customer's name)") {
		t.Errorf("reading it: %v", err)
	}
	if ids, err := reader.ListIDs(t.Context()); err != nil || !slices.Equal(ids, []id.CheckpointID{cpC, checkpointtest.CpB}) {
		t.Errorf("listed %v, %v", ids, err)
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, repo, "one", "third words")))
	if err := metadata.FinalizeTranscript(t.Context(), repo, metadata.Finalization{ID: checkpointtest.CpA, Session: "one", Author: checkpointtest.Maker}); !errors.Is(err, metadata.ErrCheckpointNotFound) {
		t.Errorf("completing it: %v", err)
	}
	if _, again, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{checkpointtest.CpA}, When: checkpointtest.Noon, Author: checkpointtest.Maker}); err != nil || again != tip {
		t.Errorf("written or forgotten again the branch is %s, was %s, %v", again, tip, err)
	}
	tr.Fsck()
}

// A branch on a remote that still has it is not looked into.
func TestForgottenIsHiddenElsewhere(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, repo, "one", "words")))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, secretRecord(t, repo, "two", "words")))
	tr.Git("update-ref", shadow.RemoteMetadataRef, shadow.MetadataRef)
	if _, _, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{checkpointtest.CpA}, When: checkpointtest.Noon, Author: checkpointtest.Maker}); err != nil {
		t.Fatal(err)
	}
	reader := records.NewReader(repo)
	both := []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB}
	if exists, err := reader.Exists(t.Context(), both); err != nil || exists[checkpointtest.CpA] || !exists[checkpointtest.CpB] {
		t.Errorf("exist %v, %v", exists, err)
	}
	if many, err := reader.ReadMany(t.Context(), both); err != nil || len(many) != 1 {
		t.Errorf("read %v, %v", many, err)
	}
	roots, err := reader.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if talks, err := reader.Conversations(t.Context(), roots); err != nil || len(talks) != 1 || talks[0].Checkpoint != checkpointtest.CpB {
		t.Errorf("conversations %v, %v", talks, err)
	}
	x, err := tombstone.ExtentOf(t.Context(), reader, []id.CheckpointID{checkpointtest.CpA})
	if err != nil || x.Files != 0 {
		t.Errorf("extent %v, %v", x, err)
	}
	if held, err := tombstone.RefsReaching(t.Context(), reader, []id.CheckpointID{checkpointtest.CpA}, x); err != nil || !slices.Equal(held, []string{shadow.RemoteMetadataRef}) {
		t.Errorf("held by %v, %v", held, err)
	}
}

// A history begun by another program has no first commit of ours, and a merge may
// have brought the checkpoint.
func TestForgetShapes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	bare := func(text string, cps ...id.CheckpointID) git.OID { // a root that has checkpoints
		var tip git.OID
		for _, cp := range cps {
			tip = l.secret(tip, cp, "s", text)
		}
		c, err := l.repo.Reader(t.Context()).Commit(tip)
		if err != nil {
			t.Fatal(err)
		}
		return l.must(l.repo.Writer().Commit(git.Commit{Tree: c.Tree, Author: checkpointtest.Maker, Committer: checkpointtest.Maker, Message: "Checkpoint: " + cps[0].String() + "\n"}))
	}
	root := l.must(metadata.InitialCommit(l.repo))
	side := l.secret(l.secret(root, checkpointtest.CpB, "b", "kept words"), checkpointtest.CpA, "s", "lost words")
	for _, row := range []struct {
		name string
		tip  git.OID
		kept bool
	}{
		{"nothing else", bare("lost words", checkpointtest.CpA), false},
		{"a root with two", l.secret(bare("lost words", checkpointtest.CpA), checkpointtest.CpB, "b", "kept words"), true},
		{"one root, both", l.secret(bare("kept words", checkpointtest.CpB), checkpointtest.CpA, "s", "lost words"), true},
		{"came by a merge", l.merge(side, l.secret(root, cpC, "c", "other")), true},
		{"came and went", l.drop(side, checkpointtest.CpA), true},
		{"completed, summarised", l.summary(l.final(side, checkpointtest.CpA, "s", 3), checkpointtest.CpA, "s", "lost words"), true},
		{"merged twice", l.merge(l.secret(side, checkpointtest.CpA, "s2", "lost words"), l.secret(side, checkpointtest.CpA, "s3", "lost words")), true},
	} {
		tip := l.forget(row.tip, 0, "", checkpointtest.CpA)
		if got := l.reached(tip, "lost words"); len(got) > 0 {
			t.Errorf("%s: it is still there", row.name)
		}
		if got := l.reached(tip, "kept words"); len(got) > 0 != row.kept {
			t.Errorf("%s: kept %v", row.name, got)
		}
		if again := l.forget(tip, 9, "", checkpointtest.CpA); again != tip {
			t.Errorf("%s: not the same when done again", row.name)
		}
		if log := l.r.Git("log", "--format=%B", tip.String()); strings.Contains(log, checkpointtest.CpA.String()) {
			t.Errorf("%s: the messages name it:\n%s", row.name, log)
		}
		if tip != l.merge(tip, row.tip) {
			t.Errorf("%s: a merge with the old branch is not the new one", row.name)
		}
	}
	l.r.Fsck()
}

// Of a shallow history nothing can be made anew.
func TestForgetShallow(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	for _, cp := range []id.CheckpointID{cpC, checkpointtest.CpA, checkpointtest.CpB} {
		checkpointtest.Write(t, repo, checkpointtest.Record(cp, secretRecord(t, repo, "s", "words")))
	}
	tr.Write(".git/shallow", tr.Git("rev-parse", shadow.MetadataBranch+"~1")+"\n")
	before := tr.Git("rev-parse", shadow.MetadataBranch)
	if _, _, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{checkpointtest.CpA}, When: checkpointtest.Noon, Author: checkpointtest.Maker}); !errors.Is(err, tombstone.ErrShallowHistory) {
		t.Errorf("forgotten: %v", err)
	}
	if now := tr.Git("rev-parse", shadow.MetadataBranch); now != before {
		t.Errorf("the branch moved to %s", now)
	}
}

// Whatever writes the branch meanwhile, nothing is lost and what is forgotten stays
// so.
func TestForgetWhileOthersWrite(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, repo, "s", "lost words")))
	const writers, each = 3, 5
	var wg sync.WaitGroup
	for n := range writers {
		mine := checkpointtest.Open(t, tr)
		wg.Go(func() {
			for i := range each {
				cp := id.MustCheckpointID(fmt.Sprintf("%02x%010x", n, i))
				if err := metadata.WriteRecord(t.Context(), mine, checkpointtest.Record(cp, secretRecord(t, mine, "s", "kept"))); err != nil {
					t.Error(err)
				}
				if err := metadata.WriteRecord(t.Context(), mine, checkpointtest.Record(checkpointtest.CpA, secretRecord(t, mine, fmt.Sprint("s", n, i), "lost words"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if _, _, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{checkpointtest.CpA}, When: checkpointtest.Noon, Author: checkpointtest.Maker}); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	tip := git.MustOID(tr.Git("rev-parse", shadow.MetadataBranch))
	if got := (&lab{t, tr, repo}).reached(tip, "lost words"); len(got) > 0 {
		t.Error("it is there again")
	}
	if ids, err := records.NewReader(repo).ListIDs(t.Context()); err != nil || len(ids) != writers*each {
		t.Errorf("%d checkpoints are left of %d, %v", len(ids), writers*each, err)
	}
}

// Clones that write, forget, and exchange their branches in any order, one of them
// by a program that knows no tombstones, end with one commit, which reaches nothing
// of what anybody has forgotten and all else.
func TestForgettingConverges(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var ids []id.CheckpointID
	for i := range 4 {
		ids = append(ids, id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%2, i)))
	}
	root := l.must(metadata.InitialCommit(l.repo))
	l.must(root, l.repo.Writer().Sync())
	rapid.Check(t, func(t *rapid.T) {
		tips := []git.OID{root, root, root}
		said, gone := map[string]id.CheckpointID{}, map[id.CheckpointID]bool{}
		pull := func(i, j int, older bool) {
			if !older {
				tips[i] = l.merge(tips[i], tips[j])
				return
			}
			m := newMerger(l.Context(), l.repo)
			bases, err := m.bases(tips[i], tips[j])
			switch {
			case err != nil:
				t.Fatal(err)
			case slices.Contains(bases, tips[j]):
			case slices.Contains(bases, tips[i]):
				tips[i] = tips[j]
			default:
				tips[i] = l.must(m.mergeCommit(sortOIDs([]git.OID{tips[i], tips[j]})))
			}
		}
		for n := range rapid.IntRange(2, 10).Draw(t, "n") {
			i := rapid.IntRange(0, 2).Draw(t, "clone")
			cp := rapid.SampledFrom(ids).Draw(t, "cp")
			switch rapid.SampledFrom([]string{"write", "write", "forget", "pull", "pull"}).Draw(t, "op") {
			case "write":
				text := fmt.Sprintf("words %d of %s;", n, cp)
				tips[i] = l.secret(tips[i], cp, fmt.Sprint("s", n), text)
				said[text] = cp
			case "forget":
				tips[i] = l.forget(tips[i], n, fmt.Sprint("reason", n), cp)
				gone[cp] = true
			case "pull":
				pull(i, rapid.IntRange(0, 2).Draw(t, "from"), i == 2)
			}
			if err := l.repo.Writer().Sync(); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			pull(0, p, false)
		}
		pull(1, 0, false)
		tips[2] = l.merge(tips[2], tips[0]) // it has the new program now
		if err := l.repo.Writer().Sync(); err != nil {
			t.Fatal(err)
		}
		if tips[0] != tips[1] || tips[1] != tips[2] {
			t.Fatalf("the clones end with %v", tips)
		}
		there := l.reached(tips[0], slices.Collect(maps.Keys(said))...)
		for text, cp := range said {
			if found := slices.Contains(there, text); found == gone[cp] {
				t.Fatalf("%q is there: %v, forgotten: %v", text, found, gone[cp])
			}
		}
	})
	l.r.Fsck()
}
