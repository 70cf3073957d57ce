package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

func TestLegacyLayout(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	write(t, repo, record(cpB, sessionRecord(t, repo, "other", "o\n")))
	b := cpA.Path()
	put(t, repo, b+"/metadata.json", `{"checkpoint_id":"a3b2c4d5e6f7","session_id":"latest","created_at":"2026-01-02T03:04:05Z","checkpoints_count":3,
		"files_touched":["x"],"agent":"Claude Code","session_count":2,"session_ids":["first","latest"]}`)
	put(t, repo, b+"/full.log", "latest\n")
	put(t, repo, b+"/prompt.txt", "p")
	put(t, repo, b+"/1/metadata.json", `{"session_id":"first"}`)
	put(t, repo, b+"/1/full.jsonl", "first\n")
	r.Git("update-ref", LegacyRef, MetadataRef)
	r.Git("update-ref", "-d", MetadataRef)

	reader := NewRecords(repo)
	ids, err := reader.ListIDs(t.Context())
	if err != nil || !slices.Equal(ids, []id.CheckpointID{cpA, cpB}) {
		t.Fatalf("ids %v, %v", ids, err)
	}
	c, err := reader.Read(t.Context(), cpA)
	info := c.Info()
	if err != nil || !slices.Equal(info.SessionIDs, []string{"first", "latest"}) || info.CheckpointsCount != 3 || info.Agent != agent.AgentTypeClaudeCode {
		t.Errorf("info %+v, %v", info, err)
	}
	latest, err := reader.LatestSession(t.Context(), cpA)
	if err != nil || string(latest.Transcript) != "latest\n" || latest.Prompts != "p" {
		t.Errorf("latest: %+v, %v", latest, err)
	}

	// Written to on the new branch, nothing of it is lost.
	r.Git("update-ref", MetadataRef, LegacyRef)
	r.Git("update-ref", "-d", LegacyRef)
	write(t, repo, record(cpA, sessionRecord(t, repo, "new", "new\n")))
	for _, s := range []string{"first", "latest", "new"} {
		if c, err := reader.SessionByID(t.Context(), cpA, s); err != nil || string(c.Transcript) != s+"\n" {
			t.Errorf("%s: %+v, %v", s, c, err)
		}
	}
	r.Fsck()
}

func TestLookups(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	reader := NewRecords(repo)
	if ids, err := reader.ListIDs(t.Context()); err != nil || ids != nil {
		t.Errorf("no branch: %v, %v", ids, err)
	}
	var all []id.CheckpointID
	for i := range 20 {
		cp := id.MustCheckpointID(fmt.Sprintf("%02x%010x", i/2, i))
		all = append(all, cp)
		rec := record(cp, sessionRecord(t, repo, "s1", "one\n"))
		rec.Author = git.Signature{Name: fmt.Sprint("Author ", i), Email: "a@b", When: noon}
		write(t, repo, rec)
	}
	put(t, repo, "notes/readme", "not a shard")
	put(t, repo, "zz/b2c4d5e6f7/metadata.json", "{}")
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
	exists, err := reader.Exists(t.Context(), []id.CheckpointID{all[3], cpA, {}})
	if err != nil || !exists[all[3]] || exists[cpA] || exists[id.CheckpointID{}] {
		t.Errorf("exists %v, %v", exists, err)
	}
	many, err := reader.ReadMany(t.Context(), []id.CheckpointID{all[5], cpA, {}, all[1]})
	if err != nil || len(many) != 2 || many[0].Summary.CheckpointID != all[5] || many[1].Summary.CheckpointID != all[1] {
		t.Errorf("read many %+v, %v", many, err)
	}
	write(t, repo, record(all[4], sessionRecord(t, repo, "s2", "two\n")))
	prompts, err := reader.Prompts(t.Context(), []id.CheckpointID{all[4], cpA, all[2]})
	if err != nil || len(prompts) != 2 || !slices.Equal(prompts[all[4]], []string{"do s1", "do s2"}) || !slices.Equal(prompts[all[2]], []string{"do s1"}) {
		t.Errorf("prompts %v, %v", prompts, err)
	}
	if a, err := reader.Author(t.Context(), all[4]); err != nil || a.Name != "Author 4" {
		t.Errorf("author %+v, %v", a, err)
	}
	if a, err := reader.Author(t.Context(), cpA); err != nil || a != (Author{}) {
		t.Errorf("author of nothing %+v, %v", a, err)
	}
	if _, err := reader.Read(t.Context(), cpA); !errors.Is(err, ErrCheckpointNotFound) {
		t.Errorf("read nothing: %v", err)
	}
}

// TestCostIsOnePath counts the objects that a record adds to a big branch.
func TestCostIsOnePath(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	for i := range 40 {
		write(t, repo, record(id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%4, i)), sessionRecord(t, repo, "s1", "one\n")))
	}
	count := func() int {
		return len(strings.Fields(r.Git("rev-list", "--objects", "--no-object-names", MetadataBranch)))
	}
	before := count()
	write(t, repo, record(cpA, sessionRecord(t, repo, "s1", fmt.Sprintln("unseen"))))
	// commit; root, shard, checkpoint and slot; two documents, transcript, hash
	if got := count() - before; got > 9 {
		t.Errorf("%d new objects", got)
	}
}

func TestBuildRecordRefuses(t *testing.T) {
	t.Parallel()
	repo := open(t, testrepo.New(t))
	bad := sessionRecord(t, repo, "s1", "one\n")
	bad.Transcript[0].Name = "../x"
	hostile := sessionRecord(t, repo, "s1", "one\n")
	hostile.Extra = []git.Edit{{Path: "../../x", Mode: git.ModeFile, OID: hostile.Transcript[0].OID}}
	for name, rec := range map[string]Record{
		"no ID":         record(id.CheckpointID{}, sessionRecord(t, repo, "s1", "one\n")),
		"no session ID": record(cpA, SessionRecord{}),
		"chunk name":    record(cpA, bad),
		"hostile path":  record(cpA, hostile),
	} {
		if err := WriteRecord(t.Context(), repo, rec); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, ok, err := repo.Ref(t.Context(), MetadataRef); ok || err != nil {
		t.Errorf("the branch exists: %v", err)
	}
}

// TestAuthorInHistory looks for the author behind more commits than the first
// window, and on the side of a merge.
func TestAuthorInHistory(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	w := repo.Writer()
	commit := func(name string, tree git.OID, parents ...git.OID) git.OID {
		who := git.Signature{Name: name, Email: "a@b", When: noon}
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
	first := with(git.OID{}, cpA)
	tip := commit("First", first, root)
	side := commit("Side", with(git.OID{}, cpB), root)
	for range firstWindow + 10 {
		tip = commit("Later", first, tip)
	}
	tip = commit("Merge", with(first, cpB), tip, side)
	for range 5 {
		tip = commit("After", with(first, cpB), tip)
	}
	if err := repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: MetadataRef, New: tip}}); err != nil {
		t.Fatal(err)
	}
	for cp, want := range map[id.CheckpointID]string{cpA: "First", cpB: "Side"} {
		if got, err := NewRecords(repo).Author(t.Context(), cp); err != nil || got.Name != want {
			t.Errorf("author of %s: %+v, %v, want %s", cp, got, err, want)
		}
	}
}
