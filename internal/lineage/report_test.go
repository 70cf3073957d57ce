package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/attribution"
	"entire/internal/lineage"
)

// report sums a commit up and checks it against git's numbers.
func (l *lab) report(rev string) string {
	l.t.Helper()
	repo := l.open()
	c, _, err := repo.Reader(l.ctx).CommitOf(rev)
	if err != nil {
		l.t.Fatal(err)
	}
	files, err := lineage.New(repo, lineage.Options{}).Commit(l.ctx, c.OID)
	if err != nil {
		l.t.Fatal(err)
	}
	by := map[string]int{}
	var got []string
	for _, f := range files {
		for _, line := range f.Added {
			class, session := mark(line.Text)
			if want := recordOwner(attribution.Owner{Class: class, Session: session}); line.Owner.Class != "unknown" && (line.Owner.Class != want.Class || line.Owner.SessionID != want.SessionID) {
				l.t.Errorf("%q is given to %+v", line.Text, line.Origin)
			}
			by[line.Owner.Class]++
		}
		for _, line := range f.Removed {
			by["-"+line.Owner.Class]++
		}
		if f.Skipped {
			got = append(got, "-\t-\t"+f.Path)
		} else {
			got = append(got, fmt.Sprintf("%d\t%d\t%s", len(f.Added), len(f.Removed), f.Path))
		}
	}
	want := l.Git("diff-tree", "-r", "--root", "--no-commit-id", "--numstat", "--minimal", "--no-renames", rev, "--", ".", ":(exclude).entire")
	if len(c.Parents) < 2 && strings.Join(got, "\n") != want {
		l.t.Errorf("%s: got\n%s\ngit says\n%s", rev, strings.Join(got, "\n"), want)
	}
	return fmt.Sprintf("agent %d human %d unknown %d, removed by agent %d human %d unknown %d",
		by["agent"], by["human"], by["unknown"], by["-agent"], by["-human"], by["-unknown"])
}

func TestReportOfACommit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write("f", l.text("old old"))
	l.Write("bin", "a\x00b")
	l.plain("before")
	if got := l.report("HEAD"); got != "agent 0 human 0 unknown 2, removed by agent 0 human 0 unknown 0" {
		t.Error(got)
	}
	l.enable()
	old := strings.SplitAfter(l.Read("f"), "\n")
	l.Write("f", old[0]+l.text("a1 a1 h"))
	l.Write("new", l.text("a1 a1"))
	l.Write("bin", "b\x00c")
	l.linked("first")
	if got := l.report("HEAD"); !strings.HasPrefix(got, "agent 4 human 1 unknown 0, removed by") {
		t.Error(got)
	}
	l.Write("f", l.Read("f")+l.text("h h"))
	l.Git("rm", "-q", "-f", "new")
	l.plain("by hand")
	if got := l.report("HEAD"); got != "agent 0 human 2 unknown 0, removed by agent 0 human 2 unknown 0" {
		t.Error(got)
	}
	l.Git("reset", "-q", "--soft", "HEAD~2")
	l.plain("squashed")
	if got := l.report("HEAD"); got != "agent 2 human 3 unknown 0, removed by agent 0 human 0 unknown 1" {
		t.Error(got)
	}
	l.Git("switch", "-q", "-c", "side", "HEAD~1")
	l.Write("side", l.text("h"))
	l.plain("side")
	l.Git("switch", "-q", "main")
	l.tick()
	l.Git("merge", "-q", "--no-edit", "side")
	if got := l.report("HEAD"); got != "agent 0 human 0 unknown 0, removed by agent 0 human 0 unknown 0" {
		t.Error(got)
	}
}
