package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// lab builds histories of the metadata branch without moving a ref: each clone
// is a tip.
type lab struct {
	testing.TB
	r    *testrepo.Repo
	repo *git.Repo
}

func newLab(t testing.TB) *lab {
	r := testrepo.New(t)
	return &lab{t, r, checkpointtest.Open(t, r)}
}

func (l *lab) must(oid git.OID, err error) git.OID {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
	return oid
}

// session writes a session of n transcript lines, at minute at.
func (l *lab) session(tip git.OID, cp id.CheckpointID, sid string, n, at int, more ...func(*metadata.SessionRecord)) git.OID {
	l.Helper()
	rec := checkpointtest.SessionRecord(l, l.repo, sid, strings.Repeat("{\"n\":1}\n", n))
	rec.Metadata.CreatedAt = checkpointtest.Noon.Add(time.Duration(at) * time.Minute)
	for _, change := range more {
		change(&rec)
	}
	return l.must(metadata.BuildRecord(l.Context(), l.repo, tip, checkpointtest.Record(cp, rec)))
}

func (l *lab) summary(tip git.OID, cp id.CheckpointID, sid, intent string) git.OID {
	l.Helper()
	return l.must(metadata.BuildSummary(l.Context(), l.repo, tip,
		metadata.SummaryUpdate{ID: cp, Session: sid, Summary: &metadata.Summary{Intent: intent}, Replace: true, Author: checkpointtest.Maker}))
}

func (l *lab) final(tip git.OID, cp id.CheckpointID, sid string, n int) git.OID {
	l.Helper()
	rec := checkpointtest.SessionRecord(l, l.repo, sid, strings.Repeat("{\"n\":1}\n", n))
	return l.must(metadata.BuildFinal(l.Context(), l.repo, tip, metadata.Finalization{ID: cp, Session: sid, Transcript: rec.Transcript,
		ContentHash: rec.ContentHash, Prompts: fmt.Sprint("final ", n), Author: checkpointtest.Maker}))
}

// file writes any file of the branch; "" removes it, and all below it.
func (l *lab) file(tip git.OID, path, content string) git.OID {
	l.Helper()
	edit := git.Edit{Path: path}
	if content != "" {
		edit.Mode, edit.OID = git.ModeFile, l.must(l.repo.Writer().Blob([]byte(content)))
	}
	return checkpointtest.CommitEdits(l, l.repo, tip, edit)
}

func (l *lab) drop(tip git.OID, cp id.CheckpointID) git.OID {
	l.Helper()
	return l.file(tip, cp.Path(), "")
}

// merge merges both ways round and insists on one answer.
func (l *lab) merge(a, b git.OID) git.OID {
	l.Helper()
	one := l.must(buildMerge(l.Context(), l.repo, a, b))
	if other := l.must(buildMerge(l.Context(), l.repo, b, a)); other != one {
		l.Fatalf("merge depends on the side: %s and %s", one, other)
	}
	return one
}

func (l *lab) files(tip git.OID) string {
	l.Helper()
	return l.r.Git("ls-tree", "-r", "--name-only", tip.String())
}

func (l *lab) show(tip git.OID, path string) string {
	l.Helper()
	out, err := l.r.TryGit("show", tip.String()+":"+path)
	if err != nil {
		return "(none)"
	}
	return out
}

func (l *lab) stored(tip git.OID, cp id.CheckpointID) *metadata.Folder {
	l.Helper()
	c, err := l.repo.Reader(l.Context()).Commit(tip)
	if err != nil {
		l.Fatal(err)
	}
	folders, err := metadata.LoadFolders(l.repo.Reader(l.Context()), c.Tree, []id.CheckpointID{cp}, 20, metadata.Whole)
	if err != nil {
		l.Fatal(err)
	}
	return folders[0]
}

// sessions is the checkpoint's list of sessions, as "number:ID".
func (l *lab) sessions(tip git.OID, cp id.CheckpointID) string {
	l.Helper()
	f := l.stored(tip, cp)
	if f == nil {
		return "(none)"
	}
	var list []string
	for i, s := range f.Slots {
		if s.Err != nil {
			l.Errorf("slot %d: %v", s.Number, s.Err)
		}
		if want := f.Paths(&f.Slots[i]); f.Summary.Sessions[i] != want {
			l.Errorf("summary lists %v, want %v", f.Summary.Sessions[i], want)
		}
		list = append(list, fmt.Sprintf("%d:%s", s.Number, s.Meta.SessionID))
	}
	return strings.Join(list, " ")
}

func TestMergeRules(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	root := l.session(git.OID{}, checkpointtest.CpB, "old", 1, 0)
	both := l.session(root, checkpointtest.CpA, "s1", 5, 0)
	slot := checkpointtest.CpA.Path() + "/0/"
	withTokens := func(n int) func(*metadata.SessionRecord) {
		return func(r *metadata.SessionRecord) { r.Metadata.TokenUsage = &agent.TokenUsage{InputTokens: n} }
	}
	rows := []struct {
		name string
		a, b git.OID
		want map[string]string // path, or "sessions", or "has <path> <text>"
	}{
		{"different checkpoints", l.session(root, checkpointtest.CpA, "s1", 1, 1), l.session(root, id.MustCheckpointID("a3cccccccccc"), "s2", 1, 2),
			map[string]string{"sessions": "0:s1", "a3/cccccccccc/0/prompt.txt": "do s2", "a3/ffffffffff/0/prompt.txt": "do old"}},
		{"different sessions of one checkpoint", l.session(both, checkpointtest.CpA, "s2", 1, 1), l.session(both, checkpointtest.CpA, "s3", 1, 2),
			map[string]string{"sessions": "0:s1 1:s2 2:s3"}},
		{"the earlier session keeps the number", l.session(both, checkpointtest.CpA, "s2", 1, 2), l.session(both, checkpointtest.CpA, "s3", 1, 1),
			map[string]string{"sessions": "0:s1 1:s3 2:s2"}},
		{"sums are computed anew", l.session(both, checkpointtest.CpA, "s2", 1, 1, withTokens(7)), l.session(both, checkpointtest.CpA, "s3", 1, 2, withTokens(9)),
			map[string]string{"has " + checkpointtest.CpA.Path() + "/metadata.json": `"checkpoints_count": 6`, "has  " + checkpointtest.CpA.Path() + "/metadata.json": `"input_tokens": 26`}},
		{"finalised here, summary there", l.final(both, checkpointtest.CpA, "s1", 9), l.summary(both, checkpointtest.CpA, "s1", "why"),
			map[string]string{slot + "prompt.txt": "final 9", "has " + slot + "metadata.json": `"intent": "why"`}},
		{"finalised on both sides: the longer", l.final(both, checkpointtest.CpA, "s1", 9), l.final(both, checkpointtest.CpA, "s1", 8),
			map[string]string{slot + "prompt.txt": "final 9"}},
		{"finalised here, another session there", l.final(both, checkpointtest.CpA, "s1", 9), l.session(both, checkpointtest.CpA, "s2", 1, 2),
			map[string]string{slot + "prompt.txt": "final 9", "sessions": "0:s1 1:s2"}},
		{"rewritten later than the summary", l.session(both, checkpointtest.CpA, "s1", 6, 9), l.summary(both, checkpointtest.CpA, "s1", "why"),
			map[string]string{"has " + slot + "metadata.json": `"intent": "why"`, "has  " + slot + "metadata.json": `12:09:00`}},
		{"two summaries: one of them", l.summary(both, checkpointtest.CpA, "s1", "why"), l.summary(both, checkpointtest.CpA, "s1", "because"),
			map[string]string{"has " + slot + "metadata.json": `"intent": "why"`}},
		{"deleted here, unchanged there", l.drop(both, checkpointtest.CpB), l.session(both, checkpointtest.CpA, "s2", 1, 1),
			map[string]string{checkpointtest.CpB.Path() + "/0/prompt.txt": "(none)", "sessions": "0:s1 1:s2"}},
		{"deleted here, changed there", l.drop(both, checkpointtest.CpA), l.final(both, checkpointtest.CpA, "s1", 9),
			map[string]string{"sessions": "0:s1", slot + "prompt.txt": "final 9"}},
		{"last of a shard deleted here, another added there", l.drop(l.drop(both, checkpointtest.CpA), checkpointtest.CpB), l.session(both, id.MustCheckpointID("a3cccccccccc"), "s", 1, 1),
			map[string]string{"sessions": "(none)", checkpointtest.CpB.Path() + "/0/prompt.txt": "(none)", "a3/cccccccccc/0/prompt.txt": "do s"}},
		{"deleted on both sides", l.drop(both, checkpointtest.CpB), l.file(l.drop(both, checkpointtest.CpB), "x", "1"),
			map[string]string{checkpointtest.CpB.Path() + "/0/prompt.txt": "(none)", "x": "1"}},
		{"owners of lines beside another session", l.file(both, checkpointtest.CpA.Path()+"/attribution.json", "{}"), l.session(both, checkpointtest.CpA, "s2", 1, 1),
			map[string]string{"sessions": "0:s1 1:s2", checkpointtest.CpA.Path() + "/attribution.json": "{}"}},
		{"owners of lines on both sides: one of them, whole", l.file(both, checkpointtest.CpA.Path()+"/attribution.json", `{"version":1}`), l.file(both, checkpointtest.CpA.Path()+"/attribution.json", `{"version":1,"more":2}`),
			map[string]string{checkpointtest.CpA.Path() + "/attribution.json": `{"version":1,"more":2}`}},
		{"nothing in common, one checkpoint", l.session(git.OID{}, checkpointtest.CpA, "s1", 3, 1), l.unrelated(checkpointtest.CpA, "s1", 4, 2),
			map[string]string{"sessions": "0:s1", "has " + slot + "metadata.json": `12:02:00`}},
		{"nothing in common, other checkpoints", l.session(git.OID{}, checkpointtest.CpA, "s1", 3, 1), l.unrelated(checkpointtest.CpB, "s2", 4, 2),
			map[string]string{"sessions": "0:s1", checkpointtest.CpB.Path() + "/0/prompt.txt": "do s2"}},
		{"files at the top", l.file(both, "README", "1"), l.file(both, "notes/a/b", "2"),
			map[string]string{"README": "1", "notes/a/b": "2"}},
		{"one file at the top, the longer", l.file(both, "README", "longer"), l.file(both, "README", "short"),
			map[string]string{"README": "longer"}},
		{"a file here, a folder there", l.file(both, "notes", "a file"), l.file(both, "notes/a", "2"),
			map[string]string{"notes/a": "2"}},
		{"tasks", l.file(both, checkpointtest.CpA.Path()+"/tasks/t1/checkpoint.json", "1"), l.file(both, checkpointtest.CpA.Path()+"/tasks/t2/checkpoint.json", "2"),
			map[string]string{checkpointtest.CpA.Path() + "/tasks/t1/checkpoint.json": "1", checkpointtest.CpA.Path() + "/tasks/t2/checkpoint.json": "2"}},
		{"files beside a session go with it", l.file(l.session(both, checkpointtest.CpA, "s2", 1, 2), checkpointtest.CpA.Path()+"/messages-1.jsonl", "of s2"),
			l.file(l.session(both, checkpointtest.CpA, "s3", 1, 1), checkpointtest.CpA.Path()+"/messages-1.jsonl", "of s3"),
			map[string]string{"sessions": "0:s1 1:s3 2:s2", checkpointtest.CpA.Path() + "/messages-1.jsonl": "of s3", checkpointtest.CpA.Path() + "/messages-2.jsonl": "of s2"}},
		{"a slot that got unreadable here", l.file(both, slot+"metadata.json", "{"), l.session(both, checkpointtest.CpA, "s2", 1, 1),
			map[string]string{"sessions": "0:s1 1:s2"}},
		{"a summary that got unreadable here", l.file(both, checkpointtest.CpA.Path()+"/metadata.json", "{"), l.session(both, checkpointtest.CpA, "s2", 1, 1),
			map[string]string{"sessions": "0:s1 1:s2"}},
		{"a folder wiped by a tool that could not read it", l.file(l.file(both, slot+"full.jsonl", ""), slot+"prompt.txt", ""), l.session(both, checkpointtest.CpA, "s2", 1, 1),
			map[string]string{slot + "prompt.txt": "do s1", "sessions": "0:s1 1:s2"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			l := &lab{t, l.r, l.repo}
			tip := l.merge(row.a, row.b)
			for what, want := range row.want {
				switch path, has := strings.CutPrefix(what, "has "); {
				case what == "sessions":
					if got := l.sessions(tip, checkpointtest.CpA); got != want {
						t.Errorf("sessions %s, want %s", got, want)
					}
				case has:
					if got := l.show(tip, strings.TrimSpace(path)); !strings.Contains(got, want) {
						t.Errorf("%s holds %s\nwithout %s", path, got, want)
					}
				default:
					if got := l.show(tip, what); got != want {
						t.Errorf("%s holds %q, want %q", what, got, want)
					}
				}
			}
			if again := l.merge(tip, row.a); again != tip {
				t.Error("merging a part again makes another commit")
			}
		})
	}
	l.r.Fsck()
}

// unrelated starts a history that has not even the first commit in common.
func (l *lab) unrelated(cp id.CheckpointID, sid string, n, at int) git.OID {
	l.Helper()
	tree, err := l.repo.Writer().Tree(nil)
	if err != nil {
		l.Fatal(err)
	}
	root := l.must(l.repo.Writer().Commit(git.Commit{Tree: tree, Author: checkpointtest.Maker, Committer: checkpointtest.Maker, Message: "Initialize sessions branch"}))
	return l.session(root, cp, sid, n, at)
}

// Where no checkpoint is changed on both sides, git's own merge gives the same
// tree.
func TestMergeAsGitDoes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	root := l.session(git.OID{}, checkpointtest.CpB, "old", 1, 0)
	root = l.file(root, "x/y", "1")
	a, b := root, root
	for i := range 30 {
		a = l.session(a, id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%7, i)), "sa", 1, i)
		b = l.session(b, id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%5, 1000+i)), "sb", 1, i)
	}
	a, b = l.drop(a, checkpointtest.CpB), l.file(b, "x/z", "2")
	b = l.drop(b, id.MustCheckpointID("0000000003e8"))
	tip := l.merge(a, b)
	want := l.r.Git("merge-tree", "--write-tree", a.String(), b.String())
	if got := l.r.Git("rev-parse", tip.String()+"^{tree}"); got != want {
		t.Errorf("tree %s, git makes %s\n%s", got, want, l.r.Git("diff", "--stat", got, want))
	}
	if got := l.r.Git("log", "-1", "--format=%B", tip.String()); got != mergeMessage {
		t.Errorf("message %q", got)
	}
	parents := []string{a.String(), b.String()}
	slices.Sort(parents)
	if got := l.r.Git("log", "-1", "--format=%P", tip.String()); got != strings.Join(parents, " ") {
		t.Errorf("parents %s", got)
	}
	// Unrelated histories as well.
	c := l.unrelated(checkpointtest.CpA, "s", 1, 1)
	want = l.r.Git("merge-tree", "--write-tree", "--allow-unrelated-histories", tip.String(), c.String())
	if got := l.r.Git("rev-parse", l.merge(tip, c).String()+"^{tree}"); got != want {
		t.Errorf("unrelated: tree %s, git makes %s", got, want)
	}
}

// Crossed histories have several common bases; a checkpoint deleted in one of
// them stays deleted.
func TestMergeCrossed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	root := l.session(l.session(git.OID{}, checkpointtest.CpB, "old", 1, 0), checkpointtest.CpA, "s1", 2, 0)
	a, b := l.drop(root, checkpointtest.CpB), l.session(root, checkpointtest.CpA, "s2", 1, 1)
	// As another tool merges: each in its own way.
	other := func(x, y git.OID, when time.Duration) git.OID {
		c, err := l.repo.Reader(t.Context()).Commit(l.merge(x, y))
		if err != nil {
			t.Fatal(err)
		}
		who := checkpointtest.Maker
		who.When = checkpointtest.Noon.Add(when)
		return l.must(l.repo.Writer().Commit(git.Commit{Tree: c.Tree, Parents: []git.OID{x, y}, Author: who, Committer: who, Message: "their merge"}))
	}
	a2, b2 := other(a, b, time.Hour), other(b, a, 2*time.Hour)
	a3, b3 := l.session(a2, checkpointtest.CpA, "s3", 1, 3), l.session(b2, checkpointtest.CpA, "s4", 1, 4)
	if err := l.repo.Writer().Sync(); err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(l.r.Git("merge-base", "--all", a3.String(), b3.String()))); n != 2 {
		t.Fatalf("%d bases", n)
	}
	tip := l.merge(a3, b3)
	if got := l.sessions(tip, checkpointtest.CpA); got != "0:s1 1:s2 2:s3 3:s4" {
		t.Errorf("sessions %s", got)
	}
	if l.stored(tip, checkpointtest.CpB) != nil {
		t.Error("what was deleted is back")
	}
}

func TestMergeMovesTheBranch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	theirs := l.session(git.OID{}, checkpointtest.CpB, "s2", 1, 1)
	for _, row := range []struct {
		name  string
		moved bool
		ready func()
	}{
		{"starts it", true, func() {}},
		{"is there", false, func() {}},
		{"joins it", true, func() { theirs = l.unrelated(checkpointtest.CpA, "s3", 1, 2) }},
	} {
		row.ready()
		moved, err := Merge(t.Context(), l.repo, theirs)
		if err != nil || moved != row.moved {
			t.Errorf("%s: moved %v, %v", row.name, moved, err)
		}
	}
	if got := l.r.Git("rev-list", "--count", shadow.MetadataBranch); got != "5" {
		t.Errorf("%s commits", got)
	}
}

// A clone starts from what its remote had, whatever the remote is called, and
// goes on from there.
func TestBranchStartsFromARemote(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, remotes, want string }{
		{"none", "", "Initialize metadata branch"},
		{"origin", "origin", "origin's"},
		{"another", "upstream", "upstream's"},
		{"origin before others", "a origin", "origin's"},
	} {
		l := newLab(t)
		for _, remote := range strings.Fields(row.remotes) {
			tree := l.r.Git("rev-parse", "HEAD^{tree}")
			l.r.Git("update-ref", "refs/remotes/"+remote+"/"+shadow.MetadataBranch, l.r.Git("commit-tree", "-m", remote+"'s", tree))
		}
		for range 2 {
			if err := metadata.EnsureMetadataBranch(t.Context(), l.repo); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.r.Git("log", "-1", "--format=%s", shadow.MetadataBranch); got != row.want {
			t.Errorf("%s: starts with %q", row.name, got)
		}
	}
}
