package attribsuite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/histories"
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
	setup               string                     // the entries that `entire enable` adds to a tree, as ls-tree prints them
	made                map[string]string          // the rebuilt commit of each of the main line
	main                string                     // the rebuilt main line
	wrote               map[string]map[string]bool // the sessions that wrote a line, by its text without white space
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
	s := &site{h: h, clock: time.Now().Add(-60 * 24 * time.Hour), made: map[string]string{}, wrote: map[string]map[string]bool{}}
	s.at(w.Repo)
	w.enable()
	w.commit("use entire")
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
	w := worldOf(t, origin.Clone())
	w.results = true
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
			k.Prompt("")
			for _, f := range changes {
				s.noteLines(who, k, f)
				switch {
				case f.agentCanWrite() && who.Exists(f.path):
					who.edit(k, f.path, string(f.text))
				case f.agentCanWrite():
					who.put(k, f.path, string(f.text))
				default:
					k.Shell("change "+f.path, func() { s.write(who, f) })
				}
				s.mode(who, f)
			}
			k.Stop()
			writer = owner{who: k.ID, turn: k.Turn}
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
	k.End()
	who.Git("push", "-q", "origin", name)
	s.merge(&m, who, p, commit, name)
	return m
}

// noteLines notes the lines that a session is about to add to a file.
func (s *site) noteLines(who *world, k *histories.Session, f fileChange) {
	there := map[string]int{}
	for line := range strings.Lines(who.was(f.path)) {
		there[unspaced(line)]++
	}
	for line := range strings.Lines(string(f.text)) {
		line = unspaced(line)
		if there[line]--; there[line] < 0 {
			if s.wrote[line] == nil {
				s.wrote[line] = map[string]bool{}
			}
			s.wrote[line][k.ID] = true
		}
	}
}

// unspaced returns a line without its white space, which blame does not compare.
func unspaced(line string) string { return strings.Join(strings.Fields(line), "") }

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

// TestPullRequests plays PULLREQUESTS merged pull requests of public repositories, merged as forges do, and
// asks a clone without hooks, after one fetch, who wrote the lines.
func TestPullRequests(t *testing.T) {
	wanted := histories.Number("PULLREQUESTS", 0)
	if wanted == 0 {
		t.Skip("PULLREQUESTS says how many; it gets public histories from the Go module proxy")
	}
	total, byWay := counts{}, map[string]*counts{}
	started := time.Now()
	for _, h := range publicHistories(t) {
		if total.pulls >= wanted {
			break
		}
		if only := os.Getenv("PULLREQUESTS_OF"); only != "" && !strings.Contains(only, h.name) {
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
			t.Logf("%s: %+v", way, *byWay[way])
		}
	}
	fmt.Println(total.row("all"))
	fmt.Printf("lines with an equal one before: %s\nlines copied from another file, which the session wrote that blame names: %d\n", total.equal, total.copied)
	if total.wrong > 0 {
		t.Errorf("%d lines have a wrong owner", total.wrong)
	}
}

// directPlayed says which commits that were pushed without a pull request are played as one of a single commit: each
// of this many.
const directPlayed = 7

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
	r := worldOf(t, s.hub.Clone())
	r.Git("remote", "add", "fork", s.fork.Dir)
	r.Git("fetch", "-q", "fork")
	return r
}
