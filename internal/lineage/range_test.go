package lineage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage"
)

// between is what a range comes to, with the owners that the marks of its lines
// name: "a.go +3 h ~4 -2 a1 …" where ~ is a line that is older.
func (l *lab) between(base, head string) string {
	l.t.Helper()
	repo := l.open()
	oid := func(name string) git.OID {
		c, ok, err := repo.Reader(l.ctx).CommitOf(name)
		if err != nil || !ok {
			l.t.Fatalf("%s: %v, %v", name, ok, err)
		}
		return c.OID
	}
	net, err := lineage.New(repo, lineage.Options{}).Between(l.ctx, oid(base), oid(head), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	l.compareNumstat(net, oid(head).String())
	name := func(o lineage.Origin) string {
		if o.Owner.Class == attribution.ClassAgent {
			return o.Owner.SessionID
		}
		return o.Owner.Class
	}
	var out []string
	for _, f := range net.Files {
		line := f.Path
		if f.OldPath != "" {
			line = f.OldPath + "=>" + f.Path
		}
		if f.Skipped {
			line += " skipped"
		}
		for _, a := range f.Added {
			if a.MovedOnly {
				line += fmt.Sprintf(" ~%d", a.Number)
			} else {
				line += fmt.Sprintf(" +%d:%s", a.Number, name(a.Origin))
			}
		}
		for _, g := range f.Removed {
			if g.MovedOnly {
				line += fmt.Sprintf(" ~-%d", g.Number)
			} else {
				line += fmt.Sprintf(" -%d:%s", g.Number, name(g.Origin))
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// compareNumstat holds the sums against git's own.
func (l *lab) compareNumstat(net *lineage.Net, head string) {
	l.t.Helper()
	from := net.From.String()
	if net.From.IsZero() {
		from = l.open().EmptyTree().String()
	}
	counts := l.Git("diff", "--numstat", "--minimal", "-M", from, head, "--", ":/", ":(top,exclude).entire")
	i := 0
	for line := range strings.Lines(counts) {
		if i >= len(net.Files) {
			l.t.Fatalf("%d files; git counts\n%s", len(net.Files), counts)
		}
		f := net.Files[i]
		i++
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if f.Skipped {
			continue
		}
		if fields[0] != strconv.Itoa(len(f.Added)) || fields[1] != strconv.Itoa(len(f.Removed)) {
			l.t.Errorf("%s: +%d -%d, git counts %s", f.Path, len(f.Added), len(f.Removed), line)
		}
		if f.Lines-len(f.Added) != f.OldLines-len(f.Removed) {
			l.t.Errorf("%s: %d lines of which %d were added, %d of which %d were removed", f.Path, f.Lines, len(f.Added), f.OldLines, len(f.Removed))
		}
	}
	if i != len(net.Files) {
		l.t.Errorf("%d files, git counts %d", len(net.Files), i)
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(l *lab)
		base string // main, where nothing else is said
		want string
	}{
		{"what came and went is not there", func(l *lab) {
			l.Write("f", "old one\nold two\na1 writes the third line\n")
			l.linked("adds")
			l.Write("f", "old one\nold two\n")
			l.linked("removes again")
			l.Write("g", "h wrote this new file\na1 and this line of it\n")
			l.linked("another")
		}, "", "g +1:human +2:a1"},
		{"lines that were there keep out of it", func(l *lab) {
			l.Write("f", "    old one\n    old two\na1 writes the third line\n")
			l.linked("re-indents and adds")
		}, "", "f ~1 ~2 +3:a1 ~-1 ~-2"},
		{"a removed line is that of the one who removed it", func(l *lab) {
			l.Write("g", "h something else of a person\n")
			l.plain("nothing of f")
			l.Write("f", "old two\n")
			l.plain("a person removes it")
		}, "", "f -1:human\ng +1:human"},
		{"what the base did meanwhile is not the range's", func(l *lab) {
			l.Write("g", "a1 has written this on a branch\n")
			l.linked("on the branch")
			l.Git("checkout", "-q", "main")
			l.Write("elsewhere", "h on main, later than the branch\n")
			l.plain("on main")
			l.Git("checkout", "-q", "topic")
		}, "", "g +1:a1"},
		{"nor when it was merged", func(l *lab) {
			l.Write("g", "a1 has written this on a branch\n")
			l.linked("on the branch")
			l.Git("checkout", "-q", "main")
			l.Write("elsewhere", "h on main, later than the branch\n")
			l.plain("on main")
			l.Git("checkout", "-q", "topic")
			l.tick()
			l.Git("merge", "-q", "--no-edit", "main")
		}, "", "g +1:a1"},
		{"renamed and changed", func(l *lab) {
			l.Write("long", "old 1\nold 2\nold 3\nold 4\nold 5\nold 6\n")
			l.plain("long")
			l.Git("branch", "-f", "main")
			l.Git("mv", "long", "longer")
			l.Write("longer", "old 1\nold 2\nold 3\nold 4\nold 5\nold 6\na1 adds a seventh line\n")
			l.linked("renames")
		}, "", "long=>longer +7:a1"},
		{"a file that is gone", func(l *lab) {
			l.Remove("f")
			l.plain("a person removes it")
		}, "", "f -1:human -2:human"},
		{"gone, in several commits", func(l *lab) {
			l.Write("g", "h something else of a person\n")
			l.plain("nothing of f")
			l.Remove("f")
			l.plain("a person removes it")
			l.Remove("g")
			l.plain("and this")
		}, "", "f -1:human -2:human"},
		{"a name that is not text", func(l *lab) {
			l.Write("odd\n\"\xff\u00e9", "a1 wrote it under this name\n")
			l.linked("odd")
		}, "", "odd\n\"\xff\u00e9 +1:a1"},
		{"binary", func(l *lab) {
			l.Write("f", "old one\x00")
			l.plain("binary")
		}, "", "f skipped"},
		{"nothing", func(*lab) {}, "", ""},
		{"of no common history", func(l *lab) {
			l.Git("checkout", "-q", "--orphan", "other")
			l.Git("rm", "-rfq", ".")
			l.enable()
			l.Write("f", "a1 wrote it all anew\n")
			l.linked("new")
		}, "", "f +1:a1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Write("f", "old one\nold two\n")
			l.enable()
			l.Git("checkout", "-q", "-b", "topic")
			l.n = 100
			tc.do(l)
			if got := l.between("main", "HEAD"); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// betweenRandomly compares a range of the history so far with git's sums and with
// the marks of its lines.
func (r *random) betweenRandomly(seed uint64) (added, unknown, older int) {
	r.t.Helper()
	all := strings.Fields(r.Git("rev-list", "HEAD"))
	base := all[r.IntN(min(len(all), 12))]
	repo := r.open()
	from, err := git.ParseOID(base)
	if err != nil {
		r.t.Fatal(err)
	}
	head, _, err := repo.Reader(r.ctx).CommitOf("HEAD")
	if err != nil {
		r.t.Fatal(err)
	}
	net, err := lineage.New(repo, lineage.Options{}).Between(r.ctx, from, head.OID, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.compareNumstat(net, head.OID.String())
	for _, f := range net.Files {
		for _, l := range f.Added {
			added++
			class, session := mark(l.Text)
			want := recordOwner(attribution.Owner{Class: class, Session: session})
			text := strings.TrimSpace(l.Text)
			switch {
			case l.MovedOnly:
				older++
			case text == "" || text == "}":
			case l.Owner.Class == attribution.ClassUnknown:
				unknown++
			case l.Owner.Class != want.Class || l.Owner.SessionID != want.SessionID:
				r.t.Fatalf("seed %d, since %s: %s:%d %q is %+v\n%s", seed, base[:7], f.Path, l.Number, l.Text, l.Origin, strings.Join(r.log, "\n"))
			}
		}
	}
	return added, unknown, older
}

// TestBetweenOfRandomHistories: a range has git's sums, and no line of it is given
// to somebody who did not write it.
func TestBetweenOfRandomHistories(t *testing.T) {
	t.Parallel()
	seeds := 2
	if n, err := strconv.Atoi(os.Getenv("LINEAGE_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range uint64(seeds) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := &random{lab: newLab(t), Rand: rand.New(rand.NewPCG(seed, 2))}
			r.Write("f.txt", r.text("old old old"))
			r.plain("before the tool")
			r.enable()
			sum, lost, old := 0, 0, 0
			for range 15 {
				for range 1 + r.IntN(3) {
					r.edit([]string{"h", "a1", "a1", "a2"}[r.IntN(4)])
				}
				if r.TryGitClean() {
					continue
				}
				r.linked("work")
				if r.IntN(2) == 0 {
					r.rewrite()
				}
				a, u, o := r.betweenRandomly(seed)
				sum, lost, old = sum+a, lost+u, old+o
			}
			t.Logf("%d lines, %d unknown, %d older", sum, lost, old)
		})
	}
}
