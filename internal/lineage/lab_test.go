package lineage_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/testrepo"
)

// lab is a repository in which every line says who wrote it: "a1 …" is of agent
// session a1, "h …" a person's, "old …" older than the tool. Linked commits get a
// record made of just that.
type lab struct {
	*testrepo.Repo
	t   testing.TB
	ctx context.Context
	now time.Time
	n   int
	as  string // whom records name, whatever the lines say; "" for those whom they name
}

func newLab(t testing.TB) *lab {
	l := &lab{Repo: testrepo.New(t), t: t, ctx: t.Context(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	l.tick()
	return l
}

// tick lets a minute pass for git.
func (l *lab) tick() {
	l.now = l.now.Add(time.Minute)
	stamp := l.now.Format(time.RFC3339)
	l.Env = append(l.Env, "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
}

func (l *lab) open() *git.Repo {
	l.t.Helper()
	repo, err := git.Discover(l.ctx, l.Dir, l.Env)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { repo.Close() })
	return repo
}

// enable commits settings as `entire enable` writes them.
func (l *lab) enable() {
	l.Write(".entire/settings.json", `{"strategy":"manual-commit","enabled":true}`+"\n")
	l.plain("enable")
}

// plain commits everything without a checkpoint.
func (l *lab) plain(msg string) {
	l.t.Helper()
	l.tick()
	l.Git("add", "-A")
	l.Git("commit", "-q", "--allow-empty", "-m", msg)
}

// linked commits everything with a checkpoint and returns its ID.
func (l *lab) linked(msg string) id.CheckpointID {
	l.t.Helper()
	l.tick()
	l.n++
	cp := id.MustCheckpointID(fmt.Sprintf("%02x%010x", l.n%7, l.n))
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", msg, "-m", "Entire-Checkpoint: "+cp.String())
	l.record(cp)
	return cp
}

// record stores what the marks of HEAD's lines say.
func (l *lab) record(cp id.CheckpointID) {
	l.t.Helper()
	repo := l.open()
	head, _, err := repo.Reader(l.ctx).CommitOf("HEAD")
	if err != nil {
		l.t.Fatal(err)
	}
	parent, err := repo.Reader(l.ctx).Commit(head.Parents[0])
	if err != nil {
		l.t.Fatal(err)
	}
	changes, err := repo.DiffTrees(l.ctx, parent.Tree, head.Tree, ".entire")
	if err != nil {
		l.t.Fatal(err)
	}
	var b attribution.Builder
	for _, c := range changes {
		l.recordFile(&b, repo, c)
	}
	r := b.Record()
	r.Time, r.Parent = head.Committer.When.Unix(), parent.OID.String()
	data, err := r.Encode()
	if err != nil {
		l.t.Fatal(err)
	}
	blob, err := repo.Writer().Blob(data)
	if err != nil {
		l.t.Fatal(err)
	}
	err = metadata.WriteRecord(l.ctx, repo, metadata.Record{ID: cp, Strategy: "manual-commit",
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "a1", CreatedAt: l.now}}},
		Extra:    []git.Edit{{Path: records.AttributionName, Mode: git.ModeFile, OID: blob}}})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) recordFile(b *attribution.Builder, repo *git.Repo, c git.Change) {
	l.t.Helper()
	read := func(oid git.OID) []byte {
		if oid.IsZero() {
			return nil
		}
		data, err := repo.Reader(l.ctx).Blob(oid)
		if err != nil {
			l.t.Fatal(err)
		}
		return data
	}
	was, is := read(c.Old), read(c.New)
	var known []attribution.Line
	for _, line := range strings.SplitAfter(string(is), "\n") {
		class, session := mark(cmp.Or(l.as, line))
		known = append(known, attribution.Line{Owner: attribution.Owner{Class: class, Session: session}})
	}
	h := new(attribution.Workspace).Begin(was)
	h.Step(attribution.Version{Text: is, Known: known, Owner: attribution.Owner{Class: attribution.Person}})
	f := h.Commit(was)
	lines := make([]attribution.RecordLine, len(f.Lines))
	for i, line := range f.Lines {
		lines[i] = attribution.RecordLine{Added: line.Added, Moved: line.Moved, Owner: recordOwner(line.Owner)}
	}
	var removed []attribution.RecordRemoval
	for _, r := range f.Removed {
		removed = append(removed, attribution.RecordRemoval{Line: r.Line, Owner: recordOwner(r.Owner), Replaced: r.Replaced})
	}
	file := attribution.RecordFile{Path: c.Path}
	if c.NewMode != 0 {
		file.Blob = c.New.String()
	}
	prints, _, _ := attribution.PrintDistinctive(is, f.Lines)
	b.Add(file, prints, lines, removed)
}

func mark(line string) (attribution.Class, string) {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case strings.HasPrefix(word, "a"):
		return attribution.Agent, word
	case word == "h":
		return attribution.Person, ""
	}
	return attribution.Unknown, ""
}

func recordOwner(o attribution.Owner) attribution.RecordOwner {
	switch o.Class {
	case attribution.Agent:
		return attribution.RecordOwner{Class: attribution.ClassAgent, SessionID: o.Session, Agent: "Claude Code"}
	case attribution.Person:
		return attribution.RecordOwner{Class: attribution.ClassHuman}
	}
	return attribution.RecordOwner{Class: attribution.ClassUnknown}
}

// blame writes a letter for each line: the session, h, ? for unknown; an
// exclamation mark where the mark says something else.
func (l *lab) blame(path string) string {
	l.t.Helper()
	lines, err := lineage.New(l.open(), lineage.Options{CacheDir: l.GitPath("entire/cache")}).Blame(l.ctx, path, "")
	if err != nil {
		l.t.Fatal(err)
	}
	var out []string
	for _, line := range lines {
		class, session := mark(line.Text)
		want := recordOwner(attribution.Owner{Class: class, Session: session})
		got := line.Owner
		if text := strings.TrimSpace(line.Text); text == "" || text == "}" { // says nothing
			out = append(out, ".")
			continue
		}
		switch {
		case got.Class == attribution.ClassUnknown:
			out = append(out, "?")
		case got.Class != want.Class || got.SessionID != want.SessionID:
			out = append(out, "!"+got.Class[:1]+"("+string(line.Evidence)+")")
		case got.Class == attribution.ClassHuman:
			out = append(out, "h")
		default:
			out = append(out, got.SessionID)
		}
	}
	return strings.Join(out, " ")
}

// text makes lines of marks: each is followed by a number of its own and words.
func (l *lab) text(marks string) string {
	var b strings.Builder
	for _, m := range strings.Fields(marks) {
		l.n++
		fmt.Fprintf(&b, "%s wrote line number %d\n", m, l.n)
	}
	return b.String()
}
