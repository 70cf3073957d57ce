package records

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

func TestLegacyLayout(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, checkpointtest.SessionRecord(t, repo, "other", "o\n")))
	b := checkpointtest.CpA.Path()
	checkpointtest.Put(t, repo, b+"/metadata.json", `{"checkpoint_id":"a3b2c4d5e6f7","session_id":"latest","created_at":"2026-01-02T03:04:05Z","checkpoints_count":3,
		"files_touched":["x"],"agent":"Claude Code","session_count":2,"session_ids":["first","latest"]}`)
	checkpointtest.Put(t, repo, b+"/full.log", "latest\n")
	checkpointtest.Put(t, repo, b+"/prompt.txt", "p")
	checkpointtest.Put(t, repo, b+"/1/metadata.json", `{"session_id":"first"}`)
	checkpointtest.Put(t, repo, b+"/1/full.jsonl", "first\n")
	r.Git("update-ref", shadow.LegacyRef, shadow.MetadataRef)
	r.Git("update-ref", "-d", shadow.MetadataRef)

	reader := NewReader(repo)
	ids, err := reader.ListIDs(t.Context())
	if err != nil || !slices.Equal(ids, []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB}) {
		t.Fatalf("ids %v, %v", ids, err)
	}
	c, err := reader.Read(t.Context(), checkpointtest.CpA)
	info := c.Info()
	if err != nil || !slices.Equal(info.SessionIDs, []string{"first", "latest"}) || info.CheckpointsCount != 3 || info.Agent != agent.AgentTypeClaudeCode {
		t.Errorf("info %+v, %v", info, err)
	}
	latest, err := reader.LatestSession(t.Context(), checkpointtest.CpA)
	if err != nil || string(latest.Transcript) != "latest\n" || latest.Prompts != "p" {
		t.Errorf("latest: %+v, %v", latest, err)
	}

	// Written to on the new branch, nothing of it is lost.
	r.Git("update-ref", shadow.MetadataRef, shadow.LegacyRef)
	r.Git("update-ref", "-d", shadow.LegacyRef)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "new", "new\n")))
	for _, s := range []string{"first", "latest", "new"} {
		if c, err := reader.SessionByID(t.Context(), checkpointtest.CpA, s); err != nil || string(c.Transcript) != s+"\n" {
			t.Errorf("%s: %+v, %v", s, c, err)
		}
	}
	r.Fsck()
}

func TestLookups(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	reader := NewReader(repo)
	if ids, err := reader.ListIDs(t.Context()); err != nil || ids != nil {
		t.Errorf("no branch: %v, %v", ids, err)
	}
	var all []id.CheckpointID
	for i := range 20 {
		cp := id.MustCheckpointID(fmt.Sprintf("%02x%010x", i/2, i))
		all = append(all, cp)
		rec := checkpointtest.Record(cp, checkpointtest.SessionRecord(t, repo, "s1", "one\n"))
		rec.Author = git.Signature{Name: fmt.Sprint("Author ", i), Email: "a@b", When: checkpointtest.Noon}
		checkpointtest.Write(t, repo, rec)
	}
	checkpointtest.Put(t, repo, "notes/readme", "not a shard")
	checkpointtest.Put(t, repo, "zz/b2c4d5e6f7/metadata.json", "{}")
	if ids, err := reader.ListIDs(t.Context()); err != nil || !slices.Equal(ids, all) {
		t.Errorf("all: %v, %v", ids, err)
	}
	for prefix, want := range map[string][]id.CheckpointID{
		"0": all, "03": all[6:8], "030000000007": all[7:8], "ff": nil, "0x": nil, "0300000000070": nil, "../": nil,
	} {
		if ids, err := reader.FindByPrefix(t.Context(), prefix); err != nil || !slices.Equal(ids, want) {
			t.Errorf("prefix %q: %v, %v", prefix, ids, err)
		}
	}
	exists, err := reader.Exists(t.Context(), []id.CheckpointID{all[3], checkpointtest.CpA, {}})
	if err != nil || !exists[all[3]] || exists[checkpointtest.CpA] || exists[id.CheckpointID{}] {
		t.Errorf("exists %v, %v", exists, err)
	}
	many, err := reader.ReadMany(t.Context(), []id.CheckpointID{all[5], checkpointtest.CpA, {}, all[1]})
	if err != nil || len(many) != 2 || many[0].Summary.CheckpointID != all[5] || many[1].Summary.CheckpointID != all[1] {
		t.Errorf("read many %+v, %v", many, err)
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(all[4], checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
	prompts, err := reader.Prompts(t.Context(), []id.CheckpointID{all[4], checkpointtest.CpA, all[2]})
	if err != nil || len(prompts) != 2 || !slices.Equal(prompts[all[4]], []string{"do s1", "do s2"}) || !slices.Equal(prompts[all[2]], []string{"do s1"}) {
		t.Errorf("prompts %v, %v", prompts, err)
	}
	if a, err := reader.Author(t.Context(), all[4]); err != nil || a.Name != "Author 4" {
		t.Errorf("author %+v, %v", a, err)
	}
	if a, err := reader.Author(t.Context(), checkpointtest.CpA); err != nil || a != (Author{}) {
		t.Errorf("author of nothing %+v, %v", a, err)
	}
	if _, err := reader.Read(t.Context(), checkpointtest.CpA); !errors.Is(err, metadata.ErrCheckpointNotFound) {
		t.Errorf("read nothing: %v", err)
	}
}

// TestCostIsOnePath counts the objects that a record adds to a big branch.
func TestCostIsOnePath(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	for i := range 40 {
		checkpointtest.Write(t, repo, checkpointtest.Record(id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%4, i)), checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	}
	count := func() int {
		return len(strings.Fields(r.Git("rev-list", "--objects", "--no-object-names", shadow.MetadataBranch)))
	}
	before := count()
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", fmt.Sprintln("unseen"))))
	// commit; root, shard, checkpoint and slot; two documents, transcript, hash
	if got := count() - before; got > 9 {
		t.Errorf("%d new objects", got)
	}
}

func TestBuildRecordRefuses(t *testing.T) {
	t.Parallel()
	repo := checkpointtest.Open(t, testrepo.New(t))
	bad := checkpointtest.SessionRecord(t, repo, "s1", "one\n")
	bad.Transcript[0].Name = "../x"
	hostile := checkpointtest.SessionRecord(t, repo, "s1", "one\n")
	hostile.Extra = []git.Edit{{Path: "../../x", Mode: git.ModeFile, OID: hostile.Transcript[0].OID}}
	for name, rec := range map[string]metadata.Record{
		"no ID":         checkpointtest.Record(id.CheckpointID{}, checkpointtest.SessionRecord(t, repo, "s1", "one\n")),
		"no session ID": checkpointtest.Record(checkpointtest.CpA, metadata.SessionRecord{}),
		"chunk name":    checkpointtest.Record(checkpointtest.CpA, bad),
		"hostile path":  checkpointtest.Record(checkpointtest.CpA, hostile),
	} {
		if err := metadata.WriteRecord(t.Context(), repo, rec); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, ok, err := repo.Ref(t.Context(), shadow.MetadataRef); ok || err != nil {
		t.Errorf("the branch exists: %v", err)
	}
}

// TestAuthorInHistory looks for the author behind more commits than the first
// window, and on the side of a merge.
func TestAuthorInHistory(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	w := repo.Writer()
	commit := func(name string, tree git.OID, parents ...git.OID) git.OID {
		who := git.Signature{Name: name, Email: "a@b", When: checkpointtest.Noon}
		oid, err := w.Commit(git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: name})
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	with := func(base git.OID, ids ...id.CheckpointID) git.OID {
		blob, err := w.Blob([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		var edits []git.Edit
		for _, cp := range ids {
			edits = append(edits, git.Edit{Path: cp.Path() + "/metadata.json", Mode: git.ModeFile, OID: blob})
		}
		tree, err := repo.EditTree(t.Context(), base, edits)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	root := commit("Root", with(git.OID{}))
	first := with(git.OID{}, checkpointtest.CpA)
	tip := commit("First", first, root)
	side := commit("Side", with(git.OID{}, checkpointtest.CpB), root)
	for range firstWindow + 10 {
		tip = commit("Later", first, tip)
	}
	tip = commit("Merge", with(first, checkpointtest.CpB), tip, side)
	for range 5 {
		tip = commit("After", with(first, checkpointtest.CpB), tip)
	}
	if err := repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: shadow.MetadataRef, New: tip}}); err != nil {
		t.Fatal(err)
	}
	for cp, want := range map[id.CheckpointID]string{checkpointtest.CpA: "First", checkpointtest.CpB: "Side"} {
		if got, err := NewReader(repo).Author(t.Context(), cp); err != nil || got.Name != want {
			t.Errorf("author of %s: %+v, %v, want %s", cp, got, err, want)
		}
	}
}
