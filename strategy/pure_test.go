package strategy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/effects"
	"entire/internal/git"
)

// blob is an object ID that stands for content n.
func blob(n int) git.OID {
	oid, err := git.ParseOID(strings.Repeat("0", 36) + string([]byte{"0123456789abcdef"[n>>12&15], "0123456789abcdef"[n>>8&15], "0123456789abcdef"[n>>4&15], "0123456789abcdef"[n&15]}))
	if err != nil {
		panic(err)
	}
	return oid
}

func added(path string, n int) git.Change {
	return git.Change{Path: path, NewMode: git.ModeFile, New: blob(n)}
}

func edited(path string, from, to int) git.Change {
	return git.Change{Path: path, OldMode: git.ModeFile, Old: blob(from), NewMode: git.ModeFile, New: blob(to)}
}

func removed(path string, n int) git.Change {
	return git.Change{Path: path, OldMode: git.ModeFile, Old: blob(n)}
}

func holds(path string, n int) fileState {
	return fileState{path: path, mode: git.ModeFile, oid: blob(n)}
}

func left(files ...fileState) map[string]fileState {
	m := map[string]fileState{}
	for _, f := range files {
		m[f.path] = f
	}
	return m
}

// told answers as a row says.
type told struct {
	same, shows func(a, b git.OID) bool
	elsewhere   bool
	overtaken   bool
	steps       map[string][]spell // by session and path
}

func (v told) related(_ string, session, committed git.OID) bool { return v.same(session, committed) }
func (v told) renamed(work, git.Change) bool                     { return false }
func (v told) waits(spell, git.OID) bool                         { return v.elsewhere }
func (v told) holds(s spell, base, now git.OID) bool {
	return now != base && v.shows != nil && v.shows(s.to.oid, now)
}
func (v told) own(w work, path string) ([]spell, bool) {
	return v.steps[w.session+" "+path], v.overtaken
}

func TestChooseSessions(t *testing.T) {
	never := func(a, b git.OID) bool { return false }
	always := func(a, b git.OID) bool { return true }
	by := func(name string, files ...fileState) work {
		w := work{session: name, left: left(files...), touched: map[string]bool{}}
		for _, f := range files {
			w.touched[f.path] = true
		}
		return w
	}
	idle := func(files ...fileState) work { return by("a", files...) }
	steps := func(key string, spells ...spell) map[string][]spell { return map[string][]spell{key: spells} }
	none := fileState{path: "a"}
	shows := func(to, now int) func(a, b git.OID) bool {
		return func(a, b git.OID) bool { return a == blob(to) && b == blob(now) }
	}
	strict := func(w work) work { w.strict = passing; return w }
	open := func(w work) work { w.session, w.active = "b", true; return w }
	for _, tc := range []struct {
		name     string
		staged   []git.Change
		sessions []work
		by       committer
		same     func(a, b git.OID) bool
		shows    func(a, b git.OID) bool
		want     string

		elsewhere, overtaken bool
		steps                map[string][]spell
	}{
		{name: "nothing is committed", sessions: []work{idle(holds("a", 1))}},
		{name: "the agent's new file as it left it", staged: []git.Change{added("a", 1)}, sessions: []work{idle(holds("a", 1))}, want: "a"},
		{name: "its new file, edited since", staged: []git.Change{added("a", 2)}, sessions: []work{idle(holds("a", 1))}, same: always, want: "a"},
		{name: "its new file replaced by other content", staged: []git.Change{added("a", 2)}, sessions: []work{idle(holds("a", 1))}},
		{name: "its new file, executable now", staged: []git.Change{{Path: "a", NewMode: git.ModeExec, New: blob(1)}}, sessions: []work{idle(holds("a", 1))}, want: "a"},
		{name: "a tracked file it edited, committed as a person left it", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{idle(holds("a", 2))}, want: "a"},
		{name: "a tracked file it edited, thrown away, edited by another on another commit", staged: []git.Change{edited("a", 1, 3)},
			sessions: []work{idle(holds("a", 2)), {session: "b", base: blob(9), lastSeen: 1, touched: map[string]bool{"a": true}, left: left(holds("a", 3))}},
			steps:    steps("b a", spell{holds("a", 1), holds("a", 3)}), want: "b"},
		{name: "a person's part of a file it edited, its own part left out", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{idle(holds("a", 2))}, elsewhere: true},
		{name: "its part of a file, the rest left out", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{idle(holds("a", 2))}, elsewhere: true, shows: always, want: "a"},
		{name: "another version in a merge", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{strict(idle(holds("a", 2)))}},
		{name: "something of its version in a merge", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{strict(idle(holds("a", 2)))}, shows: always, want: "a"},
		{name: "what it did once, in HEAD's state since", staged: []git.Change{edited("a", 1, 2)}, sessions: []work{{session: "a", touched: map[string]bool{"a": true}}},
			steps: steps("a a", spell{holds("a", 1), holds("a", 2)}), want: "a"},
		{name: "another version of what lies in a stash", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{{session: "a", touched: map[string]bool{"a": true}}},
			steps: steps("a a", spell{holds("a", 1), holds("a", 2)}), elsewhere: true},
		{name: "only what stood there before it", staged: []git.Change{edited("a", 1, 4)}, sessions: []work{idle(holds("a", 2))},
			steps: steps("a a", spell{holds("a", 4), holds("a", 2)})},
		{name: "HEAD has its change already, another version", staged: []git.Change{edited("a", 2, 4)}, sessions: []work{idle(holds("a", 3))}, steps: steps("a a", spell{holds("a", 1), holds("a", 5)}),
			shows: shows(5, 2)},
		{name: "a rewind has taken its change back", staged: []git.Change{added("a", 1)}, sessions: []work{by("a", holds("a", 1)), by("b", holds("a", 1))},
			steps: map[string][]spell{"a a": {{none, holds("a", 1)}}, "b a": {{holds("a", 1), holds("a", 2)}}}, overtaken: true, want: "a"},
		{name: "it changed the mode, another removed the file", staged: []git.Change{removed("a", 1)}, sessions: []work{by("a", none), by("b", none)},
			steps: map[string][]spell{"a a": {{holds("a", 1), fileState{"a", git.ModeExec, blob(1)}}}, "b a": {{fileState{"a", git.ModeExec, blob(1)}, none}}}, want: "b"},
		{name: "it changed the mode alone, the commit the text", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{idle(fileState{"a", git.ModeExec, blob(1)})}},
		{name: "it changed the mode alone, which HEAD has already", staged: []git.Change{{Path: "a", OldMode: git.ModeExec, Old: blob(1), NewMode: git.ModeExec, New: blob(3)}},
			sessions: []work{by("a", fileState{"a", git.ModeExec, blob(3)}), by("b", fileState{"a", git.ModeExec, blob(3)})}, steps: steps("a a", spell{holds("a", 3), fileState{"a", git.ModeExec, blob(3)}}), want: "b"},
		{name: "a rebase while its shell is open", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{strict(open(work{commits: true}))}},
		{name: "a merge's conflict solved while its shell is open", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{open(work{commits: true, strict: merging})}, by: committer{person: true}, want: "b"},
		{name: "a rebase while nobody is there", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{strict(open(work{}))}},
		{name: "a conflict it solved in a rebase", staged: []git.Change{edited("a", 1, 3)}, sessions: []work{strict(open(work{edited: map[string]bool{"a": true}}))}, want: "b"},
		{name: "a tracked file it edited is not in the commit", staged: []git.Change{edited("b", 1, 2)}, sessions: []work{idle(holds("a", 2))}},
		{name: "it removed the file and so does the commit", staged: []git.Change{removed("a", 1)}, sessions: []work{idle(fileState{path: "a"})}, want: "a"},
		{name: "it removed the file, the commit edits it", staged: []git.Change{edited("a", 1, 2)}, sessions: []work{idle(fileState{path: "a"})}},
		{name: "it edited the file, the commit removes it", staged: []git.Change{removed("a", 1)}, sessions: []work{idle(holds("a", 2))}},
		{name: "mode alone", staged: []git.Change{{Path: "a", OldMode: git.ModeFile, Old: blob(1), NewMode: git.ModeExec, New: blob(1)}},
			sessions: []work{idle(fileState{"a", git.ModeExec, blob(1)})}, want: "a"},
		{name: "two sessions, one path each", staged: []git.Change{added("a", 1), added("b", 2)},
			sessions: []work{by("y", holds("b", 2)), by("x", holds("a", 1))}, want: "x y"},
		{name: "mid-turn, nobody there: the newest session", staged: []git.Change{added("a", 1)},
			sessions: []work{{session: "old", active: true, lastSeen: 1}, {session: "new", active: true, lastSeen: 2}}, want: "new"},
		{name: "mid-turn, a person at a terminal", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{})}, by: committer{person: true}},
		{name: "mid-turn, a person, but a shell of the agent's is open", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{commits: true})}, by: committer{person: true}, want: "b"},
		{name: "mid-turn, a person commits what the agent edited", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{edited: map[string]bool{"a": true}})}, by: committer{person: true}, want: "b"},
		{name: "mid-turn, what was staged before the turn", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{began: fileStates{holds("a", 1)}})}},
		{name: "mid-turn, staged before, the agent's shell open", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{began: fileStates{holds("a", 1)}, commits: true})}},
		{name: "mid-turn, the transcript shows edits elsewhere", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{evidence: true, edited: map[string]bool{"z": true}})}},
		{name: "mid-turn, nobody there, and its transcript tells of nothing yet", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{heard: true})}},
		{name: "mid-turn, its transcript tells of nothing yet, and an agent commits", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{heard: true})}, by: committer{agent: true}, want: "b"},
		{name: "mid-turn, a file that a command may have written", staged: []git.Change{added("a", 1)}, by: committer{person: true},
			sessions: []work{open(work{heard: true, evidence: true, reach: reach{files: effects.OfShell("touch a").Files}})}, want: "b"},
		{name: "mid-turn, a file that no command has written", staged: []git.Change{added("a", 1)},
			sessions: []work{open(work{heard: true, evidence: true, reach: reach{files: effects.OfShell("touch b").Files}})}},
		{name: "an owner is chosen before a candidate", staged: []git.Change{added("a", 1)}, sessions: []work{open(work{}), idle(holds("a", 1))}, want: "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			same := tc.same
			if same == nil {
				same = never
			}
			got := chooseSessions(tc.staged, tc.sessions, tc.by, told{same, tc.shows, tc.elsewhere, tc.overtaken, tc.steps})
			if strings.Join(got, " ") != tc.want {
				t.Errorf("chosen %v, want %q", got, tc.want)
			}
		})
	}
}

func TestCarried(t *testing.T) {
	no := func(string) bool { return false }
	yes := func(string) bool { return true }
	at := func(mode uint32, n int) func(string) (uint32, git.OID) {
		return func(string) (uint32, git.OID) { return mode, blob(n) }
	}
	none := func(string) (uint32, git.OID) { return 0, git.OID{} }
	for _, tc := range []struct {
		name      string
		step      git.Change
		committed func(string) (uint32, git.OID)
		onDisk    func(string) bool
		want      fileStates
	}{
		{"committed as it was", added("a", 1), at(git.ModeFile, 1), no, nil},
		{"a part of it committed", edited("a", 1, 2), at(git.ModeFile, 3), no, fileStates{holds("a", 2)}},
		{"not committed", added("a", 1), none, no, fileStates{holds("a", 1)}},
		{"the worktree is as committed: nothing is left of it", edited("a", 1, 2), at(git.ModeFile, 3), yes, nil},
		{"a removal not committed", removed("a", 1), at(git.ModeFile, 1), no, fileStates{{path: "a"}}},
		{"a removal committed", removed("a", 1), none, no, nil},
		{"only the mode differs", added("a", 1), at(git.ModeExec, 1), no, fileStates{holds("a", 1)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := carried([]git.Change{tc.step}, tc.committed, tc.onDisk); !fileStates(got).equal(tc.want) {
				t.Errorf("carried %v, want %v", got, tc.want)
			}
		})
	}
}

func drawStates(t *rapid.T, label string) fileStates {
	m := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c/d", "c/e", "\xff", "z z"}), rapid.IntRange(0, 3)).Draw(t, label)
	var out fileStates
	for p, n := range m {
		if n == 0 {
			out = append(out, fileState{path: p})
		} else {
			out = append(out, holds(p, n))
		}
	}
	return sortStates(out)
}

// TestDeltaLeadsFromOneStateToTheOther applies what delta says to old.
func TestDeltaLeadsFromOneStateToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, now := drawStates(t, "old"), drawStates(t, "now")
		edits, back := now.delta(old)
		got := left(old...)
		for _, e := range edits {
			got[e.Path] = fileState{e.Path, e.Mode, e.OID}
		}
		for _, p := range back {
			delete(got, p)
		}
		var list fileStates
		for _, f := range got {
			list = append(list, f)
		}
		if sortStates(list); !list.equal(now) {
			t.Fatalf("got %v, want %v", list, now)
		}
		if (old.digest() == now.digest()) != old.equal(now) {
			t.Fatalf("digests of %v and %v", old, now)
		}
		for _, f := range now {
			if got, ok := now.find(f.path); !ok || got != f {
				t.Fatalf("find %q: %v, %v", f.path, got, ok)
			}
		}
		if _, ok := now.find("no such path"); ok {
			t.Fatal("found what is not there")
		}
	})
}

func TestPathTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := string(rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "path"))
		text := pathText(path)
		if textPath(text) != path {
			t.Fatalf("%q became %q", path, textPath(text))
		}
		if slices.Contains([]rune(text), '\uFFFD') && !strings.Contains(path, "\uFFFD") {
			t.Fatalf("JSON cannot hold %q", text)
		}
	})
	for path, want := range map[string]string{"plain": "plain", "ünïcode": "ünïcode", "line\nbreak": "line\nbreak", "bad\xff": `"bad\xff"`, `"q`: `"\"q"`} {
		if got := pathText(path); got != want {
			t.Errorf("pathText(%q) is %q, want %q", path, got, want)
		}
	}
}

func TestSimilar(t *testing.T) {
	long := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("line number " + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + "\n")
		}
		return b.String()
	}
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"equal", "package a\n", "package a\n", true},
		{"one line of ten changed", long(10), strings.Replace(long(10), "number a", "number A", 1), true},
		{"grown", long(10), long(30), true},
		{"nothing in common", "alpha beta\n", "gamma delta\n", false},
		{"braces alone are nothing", "}\n{\n", "{\n}\n", false},
		{"both empty", "", "", true},
		{"one empty", "", "something\n", false},
		{"white space only", "  \n", "\n", true},
		{"package main and little else", "package main\n\nfunc a() {}\nfunc b() {}\n", "package main\n\nfunc c() {}\nfunc d() {}\n", false},
	} {
		if got := similar([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
		if got := similar([]byte(tc.b), []byte(tc.a)); got != tc.want {
			t.Errorf("%s, the other way: %v", tc.name, got)
		}
	}
}

func TestKnownAgain(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"one line of many", "the first line of five lines\nalpha\nbeta\n", "other\n\tthe first line of five lines\nanother\nmore\n", true},
		{"a line anybody writes", "return nil\nfirst of its kind here\n", "return nil\nsecond of another kind\n", false},
		{"what stands in every file", "if err != nil {\nfirst of its kind, and only here\n", "package other\nif err != nil {\n", false},
		{"an interpreter", "#!/usr/bin/env bash\nfirst of its kind, and only here\n", "#!/usr/bin/env bash\nexit 1\n", false},
		{"an import", "import React from 'react';\nfirst of its kind, and only here\n", "import React from 'react';\n", false},
		{"nothing in common", "alpha beta gamma\n", "gamma delta epsilon\n", false},
		{"binary", "the first line of five lines\n\x00", "the first line of five lines\n", false},
	} {
		if got := knownAgain([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestCacheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &worktreeCache{head: blob(1), ref: "refs/heads/entire/0000000-e3b0c4", tip: blob(2), files: drawStates(t, "files"), stats: map[string]cachedStat{}}
		for _, f := range c.files {
			if f.mode != 0 && rapid.Bool().Draw(t, "stat") {
				c.stats[f.path] = cachedStat{statKey{
					rapid.Int64().Draw(t, "size"), rapid.Int64().Draw(t, "mtime"), rapid.Int64().Draw(t, "ctime"),
					rapid.Uint64().Draw(t, "ino"), rapid.Uint32Min(1).Draw(t, "mode")}, f.oid}
			}
		}
		got, err := parseCache(c.encode())
		if err != nil {
			t.Fatal(err)
		}
		if got.head != c.head || got.ref != c.ref || got.tip != c.tip || !got.files.equal(c.files) || len(got.stats) != len(c.stats) {
			t.Fatalf("got %+v, want %+v", got, c)
		}
		for p, st := range c.stats {
			if got.stats[p] != st {
				t.Fatalf("%q: %+v, want %+v", p, got.stats[p], st)
			}
		}
	})
}

func TestDamagedCacheIsRefused(t *testing.T) {
	whole := (&worktreeCache{head: blob(1), ref: "r", tip: blob(2), files: fileStates{holds("a", 1)}}).encode()
	for n := range whole {
		if _, err := parseCache(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(whole))
		}
	}
}
