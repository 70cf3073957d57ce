package lineage_test

import (
	"slices"
	"strings"
	"testing"

	"entire/checkpoint/metadata"
	"entire/id"
)

// TestSurviving: what people do to history, and whose the lines are afterwards. No
// line may ever be given to the wrong owner.
func TestSurviving(t *testing.T) {
	t.Parallel()
	const f = "f.txt"
	indent := func(s string) string {
		return "\t" + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n\t") + "\n"
	}
	lines := func(s string) []string { return strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n") }
	for _, tc := range []struct {
		name string
		do   func(l *lab)
		want string
	}{
		{"as committed", func(l *lab) {}, "? h a1 a1 h a2"},
		{"older than the tool, later by hand", func(l *lab) {
			l.Write(f, l.Read(f)+l.text("h h"))
			l.plain("by hand")
		}, "? h a1 a1 h a2 h h"},
		{"amended message", func(l *lab) { l.tick(); l.Git("commit", "-q", "--amend", "-m", "no trailer") }, "? h a1 a1 h a2"},
		{"amended by a person, trailer kept", func(l *lab) {
			l.Write(f, l.Read(f)+l.text("h"))
			l.tick()
			l.Git("commit", "-q", "-a", "--amend", "--no-edit")
		}, "? h a1 a1 h a2 h"},
		{"rebased onto other work", func(l *lab) {
			l.Git("branch", "work")
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.Write(f, l.text("h h h")+l.Read(f))
			l.plain("main goes on")
			l.tick()
			l.Git("rebase", "-q", "main", "work")
		}, "h h h ? h a1 a1 h a2"},
		{"squashed with the messages", func(l *lab) {
			msg := l.Git("log", "--reverse", "--format=* %B", "HEAD~2..")
			l.Git("reset", "-q", "--soft", "HEAD~2")
			l.tick()
			l.Git("commit", "-q", "-m", "Feature (#1)\n\n"+msg)
		}, "? h a1 a1 h a2"},
		{"squashed, the title only", func(l *lab) {
			l.Git("reset", "-q", "--soft", "HEAD~2")
			l.tick()
			l.Git("commit", "-q", "-m", "Feature (#1)")
		}, "? h a1 a1 h a2"},
		{"squashed onto a main that went on", func(l *lab) {
			l.Git("branch", "work")
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.Write(f, l.text("h")+l.Read(f))
			l.plain("main goes on")
			l.tick()
			l.Git("merge", "-q", "--squash", "work")
			l.Git("commit", "-q", "-m", "Feature (#1)")
		}, "h ? h a1 a1 h a2"},
		{"merged", func(l *lab) {
			l.Git("branch", "work")
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.Write(f, l.text("h")+l.Read(f))
			l.plain("main goes on")
			l.tick()
			l.Git("merge", "-q", "--no-edit", "work")
		}, "h ? h a1 a1 h a2"},
		{"cherry-picked without the trailer", func(l *lab) {
			l.Git("branch", "work")
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.plain("elsewhere")
			l.tick()
			l.Git("cherry-pick", "-n", "work~1")
			l.Git("commit", "-q", "-m", "picked")
		}, "? h a1 a1"},
		{"cherry-picked", func(l *lab) {
			l.Git("branch", "work")
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.plain("elsewhere")
			l.tick()
			l.Git("cherry-pick", "work~1")
		}, "? h a1 a1"},
		{"reverted, and that reverted", func(l *lab) {
			l.tick()
			l.Git("revert", "--no-edit", "HEAD~1..HEAD")
			l.tick()
			l.Git("revert", "--no-edit", "HEAD")
		}, "? h a1 a1 h a2"},
		{"deleted by a person, and brought back", func(l *lab) {
			was := l.Read(f)
			l.Write(f, lines(was)[0])
			l.plain("too much")
			l.Write(f, was)
			l.plain("back")
		}, "? h a1 a1 h a2"},
		{"reset and done again", func(l *lab) {
			was := l.Read(f)
			l.Git("reset", "-q", "--hard", "HEAD~2")
			l.Write(f, was)
			l.plain("again")
		}, "? h a1 a1 h a2"},
		{"renamed", func(l *lab) { l.Git("mv", f, "g.txt"); l.plain("rename"); l.Git("mv", "g.txt", f); l.plain("back") }, "? h a1 a1 h a2"},
		{"re-indented by a person", func(l *lab) { l.Write(f, indent(l.Read(f))); l.plain("format") }, "? h a1 a1 h a2"},
		{"CRLF", func(l *lab) { l.Write(f, strings.ReplaceAll(l.Read(f), "\n", "\r\n")); l.plain("crlf") }, "? h a1 a1 h a2"},
		{"moved by a person", func(l *lab) {
			s := lines(l.Read(f))
			l.Write(f, strings.Join([]string{s[2], s[3], s[0], s[1], s[4], s[5]}, "")+"\n")
			l.plain("move")
		}, "a1 a1 ? h h a2"},
		{"copied by a person", func(l *lab) {
			l.Write(f, l.Read(f)+strings.ReplaceAll(lines(l.Read(f))[2], "a1", "a1"))
			l.plain("copy")
		}, "? h a1 a1 h a2 !h(no-agent-work)"}, // the mark is copied with it
		{"moved by a person in a linked commit", func(l *lab) {
			s := lines(l.Read(f))
			l.Write(f, s[4]+s[2]+s[3]+s[0]+s[1]+s[5]+"\n"+l.text("a3"))
			l.linked("moved")
		}, "h a1 a1 ? h a2 a3"},
		{"reworded by a person", func(l *lab) {
			s := lines(l.Read(f))
			l.Write(f, s[0]+s[1]+"h rewords what was there before\n"+strings.Join(s[3:], "")+"\n")
			l.plain("reword")
		}, "? h h a1 h a2"},
		{"file split by a person", func(l *lab) {
			s := lines(l.Read(f))
			l.Write("other.txt", s[0]+s[1])
			l.Write(f, l.text("h")+strings.Join(s[2:], "")+"\n")
			l.Git("mv", f, "rest.txt")
			l.plain("split")
			l.Git("mv", "rest.txt", f)
			l.plain("back")
		}, "h a1 a1 h a2"},
		{"the tool taken out", func(l *lab) {
			l.Git("rm", "-q", ".entire/settings.json")
			l.plain("out")
			l.Write(f, l.Read(f)+l.text("h"))
			l.plain("unseen")
		}, "? h a1 a1 h a2 ?"},
		{"the tool switched off", func(l *lab) {
			l.Write(".entire/settings.json", `{"enabled":false}`)
			l.plain("off")
			l.Write(f, l.Read(f)+l.text("h"))
			l.plain("unseen")
		}, "? h a1 a1 h a2 ?"},
		{"what came with the settings", func(l *lab) {
			l.Git("checkout", "-q", "--orphan", "fresh")
			l.Write(f, l.text("h old"))
			l.plain("all at once")
			l.Write(f, l.Read(f)+l.text("h"))
			l.plain("by hand")
		}, "? ? h"},
		{"no checkpoints here", func(l *lab) { l.Git("update-ref", "-d", "refs/heads/entire/checkpoints/v1") }, "? ? ? ? ? ?"},
		{"a shallow clone, which does not have the beginning", func(l *lab) {
			l.Write(f, l.text("h")+l.Read(f))
			l.plain("by hand")
			l.Git("clone", "-q", "--depth", "2", "file://"+l.Dir, "shallow")
			l.Git("-C", "shallow", "fetch", "-q", "origin", "entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1")
			l.Dir = l.Path("shallow")
		}, "h ? ? ? ? h a2"},
		{"history rewritten, messages and all", func(l *lab) {
			l.Git("-c", "core.hooksPath=/dev/null", "filter-branch", "-f", "--msg-filter", "sed /Entire-/d", "--", "main")
		}, "? h a1 a1 h a2"},
		{"history rewritten, paths", func(l *lab) {
			l.Git("filter-branch", "-f", "--tree-filter", "mkdir -p sub && cp f.txt sub/f.txt 2>/dev/null || true", "--", "main")
			l.Git("reset", "-q", "--hard")
		}, "? h a1 a1 h a2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Write(f, l.text("old"))
			l.plain("before the tool")
			l.enable()
			l.Write(f, l.Read(f)+l.text("h a1 a1"))
			l.linked("first")
			l.Write(f, l.Read(f)+l.text("h a2"))
			l.linked("second")
			tc.do(l)
			if got := l.blame(f); got != tc.want {
				t.Errorf("blame %s\nwant  %s\n%s\n%s", got, tc.want, l.Read(f), l.Git("log", "--stat", "--format=%h %s"))
			}
		})
	}
}

// A checkpoint of an older version knows no lines: it is believed where it leaves no
// choice.
func TestSummaries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		attr  *metadata.InitialAttribution
		files []string
		want  string
	}{
		{"all of it the agent's", &metadata.InitialAttribution{AgentLines: 2, TotalCommitted: 2, AgentPercentage: 100}, []string{"f.txt"}, "a1 a1"},
		{"some of it", &metadata.InitialAttribution{AgentLines: 1, HumanAdded: 1, TotalCommitted: 2, AgentPercentage: 50}, []string{"f.txt"}, "? ?"},
		{"of other files", &metadata.InitialAttribution{AgentLines: 2, TotalCommitted: 2, AgentPercentage: 100}, []string{"g.txt"}, "? ?"},
		{"of both files", &metadata.InitialAttribution{AgentLines: 4, TotalCommitted: 4, AgentPercentage: 100}, []string{"f.txt", "g.txt"}, "a1 a1"},
		{"of fewer lines than both have, as before an amend", &metadata.InitialAttribution{AgentLines: 3, TotalCommitted: 3, AgentPercentage: 100}, []string{"f.txt", "g.txt"}, "? ?"},
		{"of all but what was renamed", &metadata.InitialAttribution{AgentLines: 2, TotalCommitted: 2, AgentPercentage: 100}, []string{"f.txt", "old.txt", "new.txt"}, "a1 a1"},
		{"nothing said", nil, []string{"f.txt"}, "? ?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Write("old.txt", l.text("h h h"))
			l.enable()
			cp := id.MustCheckpointID("aaaaaaaaaaaa")
			err := metadata.WriteRecord(l.ctx, l.open(), metadata.Record{ID: cp, Strategy: "manual-commit",
				Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "a1", CreatedAt: l.now, FilesTouched: tc.files, InitialAttribution: tc.attr}}}})
			if err != nil {
				t.Fatal(err)
			}
			l.Write("f.txt", l.text("a1 a1"))
			switch {
			case slices.Contains(tc.files, "new.txt"):
				l.Git("mv", "old.txt", "new.txt")
			case len(tc.files) > 1:
				l.Write("g.txt", l.text("a1 h"))
			}
			l.plain("work\n\nEntire-Checkpoint: " + cp.String())
			if got := l.blame("f.txt"); got != tc.want {
				t.Errorf("blame %s, want %s", got, tc.want)
			}
		})
	}
}
