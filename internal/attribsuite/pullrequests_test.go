package attribsuite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// The ways in which a forge merges.
const (
	squash      = "squash, title only"
	rebase      = "rebase"
	mergeCommit = "merge commit"
	fromFork    = "squash, title only, from a fork"
)

var mergeWays = []string{squash, rebase, mergeCommit, fromFork}

// site is a forge with a repository and a fork, two people at work, and somebody who only fetches.
type site struct {
	h                   *publicHistory
	hub, fork           *testrepo.Repo // bare
	member, contributor *world
	forge               *testrepo.Repo
	clock               time.Time
	setup               string            // the entries that `entire enable` adds to a tree, as ls-tree prints them
	made                map[string]string // the rebuilt commit of each of the main line
	main                string            // the rebuilt main line
	number              int
}

// merged is a merged pull request, and who wrote the lines that it brought.
type merged struct {
	way           string
	before, after string // of the main line
	scratch       string // a merge commit of the branch, of which git's blame tells the branch's commits
	writers       map[string]owner
}

func newSite(t *testing.T, h *publicHistory) *site {
	w := newWorld(t)
	w.enable()
	w.commit("use entire")
	s := &site{h: h, clock: time.Now().Add(-60 * 24 * time.Hour), made: map[string]string{}}
	var entries []string
	for line := range strings.Lines(w.Git("ls-tree", "-r", "HEAD")) {
		if line = strings.TrimRight(line, "\n"); !strings.HasSuffix(line, "\tREADME") {
			entries = append(entries, line)
		}
	}
	s.setup = strings.Join(entries, "\n") + "\n"
	s.hub, s.main = w.Clone("--bare"), w.Head()
	s.fork = s.hub.Clone("--bare")
	s.member, s.contributor = s.person(t, s.hub), s.person(t, s.fork)
	s.contributor.Git("remote", "add", "upstream", s.hub.Dir)
	s.forge = s.hub.Clone()
	alternates := filepath.Join(s.forge.Dir, ".git", "objects", "info", "alternates")
	if err := os.WriteFile(alternates, []byte(filepath.Join(h.dir, "objects")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// person is somebody with a clone and hooks, who sends sessions to where the branches go.
func (s *site) person(t *testing.T, origin *testrepo.Repo) *world {
	w := &world{Repo: origin.Clone(), t: t, talks: map[string]*talk{}, untold: map[string]*bool{}, results: true}
	w.enable()
	w.Git("checkout", "-q", "--", ".")
	if r := w.run("", filepath.Join(bin, "entire"), "share", "push", "--agree", "origin"); r.code != nil {
		t.Fatalf("%s%s", r.out, r.err)
	}
	return w
}

// at lets a minute pass for a repository.
func (s *site) at(r *testrepo.Repo) {
	s.clock = s.clock.Add(time.Minute)
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		r.Setenv(name, s.clock.Format(time.RFC3339))
	}
}

// tree returns the tree of a public commit with what `entire enable` adds.
func (s *site) tree(commit string) string {
	index := filepath.Join(s.forge.Dir, ".git", "site-index")
	s.forge.Setenv("GIT_INDEX_FILE", index)
	defer s.forge.Unsetenv("GIT_INDEX_FILE")
	s.forge.Git("read-tree", commit+"^{tree}")
	s.forge.GitInput(s.setup, "update-index", "--add", "--index-info")
	return s.forge.Git("write-tree")
}

// commitTree makes a commit at the forge, where nothing runs hooks.
func (s *site) commitTree(tree, message string, parents ...string) string {
	s.at(s.forge)
	args := []string{"commit-tree", tree, "-m", message}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return s.forge.Git(args...)
}

// direct puts the state of a public commit on the main line, as a commit of people without the tool.
func (s *site) direct(commit, subject string) {
	tree := s.tree(commit)
	if s.forge.Git("rev-parse", s.main+"^{tree}") != tree {
		s.main = s.commitTree(tree, subject, s.main)
	}
}

// publish moves the main line of the hub.
func (s *site) publish() {
	s.forge.Git("push", "-q", "-f", "origin", s.main+":refs/heads/main")
}

// play plays a pull request as turns of an agent and, each fourth commit, as a person's work, and merges it.
func (s *site) play(p *pull, commit, way string) (m merged) {
	s.number++
	who, name := s.member, fmt.Sprintf("pr-%d", s.number)
	if way == fromFork {
		who = s.contributor
	}
	s.publish()
	remote := map[bool]string{true: "upstream", false: "origin"}[way == fromFork]
	who.Git("fetch", "-q", remote)
	who.Git("checkout", "-q", "-f", "--detach", s.made[p.base])
	who.Git("checkout", "-q", "-b", name)
	session := fmt.Sprintf("%s %s", s.h.name, name)
	k := who.talk(session)
	m = merged{way: way, before: s.main, writers: map[string]owner{}}
	for i, c := range p.commits {
		writer := owner{who: "p"}
		changes := s.h.changes(c)
		if (s.number+i)%4 == 3 {
			for _, f := range changes {
				s.write(who, f)
			}
		} else {
			k.prompt("")
			for _, f := range changes {
				switch {
				case f.agentCanWrite() && who.Exists(f.path):
					k.edit(f.path, string(f.text))
				case f.agentCanWrite():
					k.put(f.path, string(f.text))
				default:
					k.shell("change "+f.path, func() { s.write(who, f) })
				}
				s.mode(who, f)
			}
			k.stop()
			writer = owner{who: k.id, turn: k.turn}
		}
		s.at(who.Repo)
		for _, f := range changes {
			if f.gone {
				who.Git("rm", "-q", "--cached", "--ignore-unmatch", "--", f.path)
			} else {
				who.Git("add", "-f", "--", f.path)
			}
		}
		who.Git("commit", "-q", "--allow-empty", "-m", s.h.git("log", "-1", "--format=%s", c))
		m.writers[who.Head()] = writer
	}
	k.end()
	who.Git("push", "-q", "origin", name)
	s.merge(&m, who, p, commit, name)
	return m
}

func (s *site) write(who *world, f fileChange) {
	if f.gone {
		_ = os.Remove(who.Path(f.path))
		return
	}
	who.Write(f.path, string(f.text))
	s.mode(who, f)
}

func (s *site) mode(who *world, f fileChange) {
	if !f.gone {
		who.Chmod(f.path, map[bool]os.FileMode{true: 0o755, false: 0o644}[f.exec])
	}
}

// merge merges the branch as the forge does.
func (s *site) merge(m *merged, who *world, p *pull, commit, name string) {
	s.forge.Git("fetch", "-q", map[bool]string{true: s.fork.Dir, false: "origin"}[m.way == fromFork], name)
	tip := s.forge.Git("rev-parse", "FETCH_HEAD")
	tree := s.tree(commit)
	title := fmt.Sprintf("%s (#%d)", p.subject, s.number)
	m.scratch = s.commitTree(tree, "scratch", s.main, tip)
	switch m.way {
	case mergeCommit:
		m.after = s.commitTree(tree, fmt.Sprintf("Merge pull request #%d from %s\n\n%s", s.number, name, p.subject), s.main, tip)
	case rebase:
		s.at(s.forge)
		s.forge.Git("checkout", "-q", "-f", "--detach", tip)
		if _, err := s.forge.TryGit("rebase", "-q", s.main); err == nil && s.forge.Git("rev-parse", "HEAD^{tree}") == tree {
			m.after = s.forge.Head()
			break
		}
		_, _ = s.forge.TryGit("rebase", "--abort")
		m.way = squash // as the forge offers when it cannot rebase
		fallthrough
	default:
		m.after = s.commitTree(tree, title, s.main)
	}
	s.main = m.after
	s.publish()
}

// tally adds up what blame says of lines.
type tally struct{ lines, right, unknown, turn, wrong int }

func (c *tally) add(o tally) {
	c.lines, c.right, c.unknown, c.turn, c.wrong = c.lines+o.lines, c.right+o.right, c.unknown+o.unknown, c.turn+o.turn, c.wrong+o.wrong
}

// sort compares what blame says of a line with who wrote it, and reports whether it is right.
func (c *tally) sort(got blamed, want owner) bool {
	switch {
	case got.Class == "human" && want.who == "p", got.Class == "agent" && got.Session == want.who && got.Turn == want.turn:
		c.right++
		return true
	case got.Class == "unknown":
		c.unknown++
	case got.Class == "agent" && got.Session == want.who:
		c.turn++
	default:
		c.wrong++
	}
	return false
}

func (c tally) String() string {
	part := func(n int) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(c.lines, 1))) }
	return fmt.Sprintf("%d | %s | %s | %s | %s (%d)", c.lines, part(c.right), part(c.turn), part(c.unknown), part(c.wrong), c.wrong)
}

// counts adds up pull requests. equal are the lines of which the files that a commit, or the merge, touches had
// an equal one before, such as blank lines and braces: git and we may take another one of them for the new one, and a line that
// was moved keeps its owner.
type counts struct {
	tally
	equal        tally
	pulls, clean int
}

func (c *counts) add(o counts) {
	c.tally.add(o.tally)
	c.equal.add(o.equal)
	c.pulls, c.clean = c.pulls+o.pulls, c.clean+o.clean
}

func (c counts) row(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %d |", name, c.pulls, c.tally, c.clean)
}

// blamedCommits returns the commit of each line, as git's blame names it.
func blamedCommits(r *testrepo.Repo, rev, path string) (out []string) {
	text, err := r.TryGit("blame", "-w", "--porcelain", rev, "--", path)
	if err != nil || text == "" {
		return nil
	}
	within := false
	for line := range strings.Lines(text + "\n") {
		if !within {
			out = append(out, strings.Fields(line)[0])
			within = true
		} else if line[0] == '\t' {
			within = false
		}
	}
	return out
}

// judge compares what the reader's program says of the lines that a pull request brought with who wrote them.
func (s *site) judge(t *testing.T, reader *world, m merged) (c counts) {
	c.pulls = 1
	brought := map[string]bool{}
	for _, commit := range strings.Fields(s.forge.Git("rev-list", m.before+".."+m.after)) {
		brought[commit] = true
	}
	there, evidence := map[string]map[string]bool{"": s.linesOf(m.before, m.after)}, ""
	for commit := range m.writers {
		there[commit] = s.linesOf(commit+"^", commit)
	}
	for _, path := range strings.Split(strings.TrimRight(s.forge.Git("diff", "--name-only", "-z", "--no-renames", "--diff-filter=d", m.before, m.after), "\x00"), "\x00") {
		if path == "" {
			continue
		}
		was := c.tally
		writers, commits := blamedCommits(s.forge, m.scratch, path), blamedCommits(s.forge, m.after, path)
		if !slices.ContainsFunc(writers, func(commit string) bool { _, ours := m.writers[commit]; return ours }) {
			continue
		}
		text := s.forge.Git("show", m.after+":"+path)
		if strings.ContainsRune(text[:min(len(text), 8000)], 0) {
			continue // binary
		}
		said, texts := reader.owners(path, m.after), strings.Split(text, "\n")
		for i, writer := range writers {
			want, ours := m.writers[writer]
			if !ours || i >= len(commits) || !brought[commits[i]] || i >= len(said) || i >= len(texts) {
				continue
			}
			got := said[i].told
			if line := strings.TrimSpace(texts[i]); there[""][line] || there[writer][line] {
				c.equal.lines++
				c.equal.sort(got, want)
				continue
			}
			c.lines++
			if got.Class == "unknown" {
				evidence = got.Evidence
			}
			if c.sort(got, want) {
				continue
			}
			if got.Class != "unknown" || chatty {
				t.Logf("%s, %s at %s: %s:%d is %s#%d, and blame says %s %s#%d (%s): %q", s.h.name, m.way, m.after[:10], path, i+1, want.who, want.turn, got.Class, got.Session, got.Turn, got.Evidence, texts[i])
			}
		}
		if n := c.unknown - was.unknown; n > 0 {
			t.Logf("%s, %s at %s: %s has %d unknown lines of %d, such as %s", s.h.name, m.way, m.after[:10], path, n, c.lines-was.lines, evidence)
		}
	}
	if c.lines == c.right {
		c.clean = 1
	}
	return c
}

// linesOf returns the lines of the files that differ between two commits, as the first one has them.
func (s *site) linesOf(before, after string) map[string]bool {
	out := map[string]bool{}
	for path := range strings.SplitSeq(s.forge.Git("diff", "--name-only", "-z", "--no-renames", "--diff-filter=DM", before, after), "\x00") {
		if path == "" {
			continue
		}
		for line := range strings.Lines(s.forge.Git("show", before+":"+path)) {
			out[strings.TrimSpace(line)] = true
		}
	}
	return out
}

// TestPullRequests plays PULLREQUESTS merged pull requests of public repositories, merged as forges do, and
// asks a clone without hooks, after one fetch, who wrote the lines.
func TestPullRequests(t *testing.T) {
	wanted := number("PULLREQUESTS", 0)
	if wanted == 0 {
		t.Skip("PULLREQUESTS says how many; it gets public histories from the Go module proxy")
	}
	total, byWay := counts{}, map[string]*counts{}
	started := time.Now()
	for _, h := range publicHistories(t) {
		if total.pulls >= wanted {
			break
		}
		if only := os.Getenv("PULLREQUESTS_OF"); only != "" && only != h.name {
			continue
		}
		s := newSite(t, h)
		pulls := s.playAll(wanted - total.pulls)
		reader := s.reader(t)
		for _, m := range pulls {
			c := s.judge(t, reader, m)
			total.add(c)
			if byWay[m.way] == nil {
				byWay[m.way] = &counts{}
			}
			byWay[m.way].add(c)
		}
		t.Logf("%s after %s: %s", h.name, time.Since(started).Round(time.Second), total.row("so far"))
	}
	fmt.Println("| merged by | pull requests | lines | right | another turn | unknown | wrong | all lines right |\n|---|---|---|---|---|---|---|---|")
	for _, way := range mergeWays {
		if byWay[way] != nil {
			fmt.Println(byWay[way].row(way))
		}
	}
	fmt.Println(total.row("all"))
	fmt.Printf("lines with an equal one before: %s\n", total.equal)
	if total.wrong > 0 {
		t.Errorf("%d lines have a wrong owner", total.wrong)
	}
}

// directPlayed says which commits that were pushed without a pull request are played as one of a single commit: each
// of this many.
const directPlayed = 12

// playAll plays the main line of the history with at most n pull requests.
func (s *site) playAll(n int) (out []merged) {
	for i, commit := range s.h.line {
		subject := s.h.git("log", "-1", "--format=%s", commit)
		var p *pull
		if len(out) < n {
			p = s.h.pullAt(commit, i%directPlayed == directPlayed-1)
		}
		if p != nil && s.made[p.base] != "" {
			out = append(out, s.play(p, commit, mergeWays[len(out)%len(mergeWays)]))
		} else {
			s.direct(commit, subject)
		}
		s.made[commit] = s.main
		if len(out) >= n {
			break
		}
	}
	return out
}

// reader is somebody with a clone and without hooks, who has fetched the hub and the fork.
func (s *site) reader(t *testing.T) *world {
	s.publish()
	r := &world{Repo: s.hub.Clone(), t: t, talks: map[string]*talk{}, untold: map[string]*bool{}}
	r.Git("remote", "add", "fork", s.fork.Dir)
	r.Git("fetch", "-q", "fork")
	return r
}
