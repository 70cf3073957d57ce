package evidence_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/effects"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

func added(path string, n int) git.Change {
	return git.Change{Path: path, NewMode: git.ModeFile, New: enginetest.Blob(n)}
}

func edited(path string, from, to int) git.Change {
	return git.Change{Path: path, OldMode: git.ModeFile, Old: enginetest.Blob(from), NewMode: git.ModeFile, New: enginetest.Blob(to)}
}

func removed(path string, n int) git.Change {
	return git.Change{Path: path, OldMode: git.ModeFile, Old: enginetest.Blob(n)}
}

func left(files ...sessionstate.PathVersion) map[string]sessionstate.PathVersion {
	m := map[string]sessionstate.PathVersion{}
	for _, f := range files {
		m[f.Path] = f
	}
	return m
}

// told answers as a row says.
type told struct {
	same, shows func(a, b git.OID) bool
	elsewhere   bool
	overtaken   bool
	steps       map[string][]githead.FileChange // by session and path
}

func (v told) Related(_ string, session, committed git.OID) bool { return v.same(session, committed) }

func (v told) IsMoved(transcript.SessionWork, git.Change) bool { return false }

func (v told) Waits(githead.FileChange, git.OID) bool { return v.elsewhere }

func (v told) Holds(s githead.FileChange, base, now git.OID) bool {
	return now != base && v.shows != nil && v.shows(s.To.OID, now)
}

func (v told) Own(w transcript.SessionWork, path string) ([]githead.FileChange, bool) {
	return v.steps[w.Session+" "+path], v.overtaken
}

func TestChooseSessions(t *testing.T) {
	never := func(a, b git.OID) bool { return false }
	always := func(a, b git.OID) bool { return true }
	by := func(name string, files ...sessionstate.PathVersion) transcript.SessionWork {
		w := transcript.SessionWork{Session: name, AtLastStep: left(files...), Touched: map[string]bool{}}
		for _, f := range files {
			w.Touched[f.Path] = true
		}
		return w
	}
	idle := func(files ...sessionstate.PathVersion) transcript.SessionWork { return by("a", files...) }
	steps := func(key string, spells ...githead.FileChange) map[string][]githead.FileChange {
		return map[string][]githead.FileChange{key: spells}
	}
	none := sessionstate.PathVersion{Path: "a"}
	shows := func(to, now int) func(a, b git.OID) bool {
		return func(a, b git.OID) bool { return a == enginetest.Blob(to) && b == enginetest.Blob(now) }
	}
	strict := func(w transcript.SessionWork) transcript.SessionWork { w.Matching = githead.MatchReplay; return w }
	open := func(w transcript.SessionWork) transcript.SessionWork { w.Session, w.Active = "b", true; return w }
	for _, tc := range []struct {
		name     string
		staged   []git.Change
		sessions []transcript.SessionWork
		by       evidence.Committer
		same     func(a, b git.OID) bool
		shows    func(a, b git.OID) bool
		want     string

		elsewhere, overtaken bool
		steps                map[string][]githead.FileChange
	}{
		{name: "nothing is committed", sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 1))}},
		{name: "the agent's new file as it left it", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 1))}, want: "a"},
		{name: "its new file, edited since", staged: []git.Change{added("a", 2)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 1))}, same: always, want: "a"},
		{name: "its new file replaced by other content", staged: []git.Change{added("a", 2)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 1))}},
		{name: "its new file, executable now", staged: []git.Change{{Path: "a", NewMode: git.ModeExec, New: enginetest.Blob(1)}}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 1))}, want: "a"},
		{name: "a tracked file it edited, committed as a person left it", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))}, want: "a"},
		{name: "a tracked file it edited, thrown away, edited by another on another commit", staged: []git.Change{edited("a", 1, 3)},
			sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2)), {Session: "b", Base: enginetest.Blob(9), LastSeen: 1, Touched: map[string]bool{"a": true}, AtLastStep: left(enginetest.Holds("a", 3))}},
			steps:    steps("b a", githead.FileChange{From: enginetest.Holds("a", 1), To: enginetest.Holds("a", 3)}), want: "b"},
		{name: "a person's part of a file it edited, its own part left out", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))}, elsewhere: true},
		{name: "its part of a file, the rest left out", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))}, elsewhere: true, shows: always, want: "a"},
		{name: "another version in a merge", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{strict(idle(enginetest.Holds("a", 2)))}},
		{name: "something of its version in a merge", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{strict(idle(enginetest.Holds("a", 2)))}, shows: always, want: "a"},
		{name: "what it did once, in HEAD's state since", staged: []git.Change{edited("a", 1, 2)}, sessions: []transcript.SessionWork{{Session: "a", Touched: map[string]bool{"a": true}}},
			steps: steps("a a", githead.FileChange{From: enginetest.Holds("a", 1), To: enginetest.Holds("a", 2)}), want: "a"},
		{name: "another version of what lies in a stash", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{{Session: "a", Touched: map[string]bool{"a": true}}},
			steps: steps("a a", githead.FileChange{From: enginetest.Holds("a", 1), To: enginetest.Holds("a", 2)}), elsewhere: true},
		{name: "only what stood there before it", staged: []git.Change{edited("a", 1, 4)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))},
			steps: steps("a a", githead.FileChange{From: enginetest.Holds("a", 4), To: enginetest.Holds("a", 2)})},
		{name: "HEAD has its change already, another version", staged: []git.Change{edited("a", 2, 4)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 3))}, steps: steps("a a", githead.FileChange{From: enginetest.Holds("a", 1), To: enginetest.Holds("a", 5)}),
			shows: shows(5, 2)},
		{name: "a rewind has taken its change back", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{by("a", enginetest.Holds("a", 1)), by("b", enginetest.Holds("a", 1))},
			steps: map[string][]githead.FileChange{"a a": {{From: none, To: enginetest.Holds("a", 1)}}, "b a": {{From: enginetest.Holds("a", 1), To: enginetest.Holds("a", 2)}}}, overtaken: true, want: "a"},
		{name: "it changed the mode, another removed the file", staged: []git.Change{removed("a", 1)}, sessions: []transcript.SessionWork{by("a", none), by("b", none)},
			steps: map[string][]githead.FileChange{"a a": {{From: enginetest.Holds("a", 1), To: sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(1)}}}, "b a": {{From: sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(1)}, To: none}}}, want: "b"},
		{name: "it changed the mode alone, the commit the text", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{idle(sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(1)})}},
		{name: "it changed the mode alone, which HEAD has already", staged: []git.Change{{Path: "a", OldMode: git.ModeExec, Old: enginetest.Blob(1), NewMode: git.ModeExec, New: enginetest.Blob(3)}},
			sessions: []transcript.SessionWork{by("a", sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(3)}), by("b", sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(3)})}, steps: steps("a a", githead.FileChange{From: enginetest.Holds("a", 3), To: sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(3)}}), want: "b"},
		{name: "a rebase while its shell is open", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{strict(open(transcript.SessionWork{CallMayCommit: true}))}},
		{name: "a merge's conflict solved while its shell is open", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{CallMayCommit: true, Matching: githead.MatchUnlessMerged})}, by: evidence.Committer{Person: true}, want: "b"},
		{name: "a rebase while nobody is there", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{strict(open(transcript.SessionWork{}))}},
		{name: "a conflict it solved in a rebase", staged: []git.Change{edited("a", 1, 3)}, sessions: []transcript.SessionWork{strict(open(transcript.SessionWork{Edited: map[string]bool{"a": true}}))}, want: "b"},
		{name: "a tracked file it edited is not in the commit", staged: []git.Change{edited("b", 1, 2)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))}},
		{name: "it removed the file and so does the commit", staged: []git.Change{removed("a", 1)}, sessions: []transcript.SessionWork{idle(sessionstate.PathVersion{Path: "a"})}, want: "a"},
		{name: "it removed the file, the commit edits it", staged: []git.Change{edited("a", 1, 2)}, sessions: []transcript.SessionWork{idle(sessionstate.PathVersion{Path: "a"})}},
		{name: "it edited the file, the commit removes it", staged: []git.Change{removed("a", 1)}, sessions: []transcript.SessionWork{idle(enginetest.Holds("a", 2))}},
		{name: "mode alone", staged: []git.Change{{Path: "a", OldMode: git.ModeFile, Old: enginetest.Blob(1), NewMode: git.ModeExec, New: enginetest.Blob(1)}},
			sessions: []transcript.SessionWork{idle(sessionstate.PathVersion{Path: "a", Mode: git.ModeExec, OID: enginetest.Blob(1)})}, want: "a"},
		{name: "two sessions, one path each", staged: []git.Change{added("a", 1), added("b", 2)},
			sessions: []transcript.SessionWork{by("y", enginetest.Holds("b", 2)), by("x", enginetest.Holds("a", 1))}, want: "x y"},
		{name: "mid-turn, nobody there: the newest session", staged: []git.Change{added("a", 1)},
			sessions: []transcript.SessionWork{{Session: "old", Active: true, LastSeen: 1}, {Session: "new", Active: true, LastSeen: 2}}, want: "new"},
		{name: "mid-turn, a person at a terminal", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{})}, by: evidence.Committer{Person: true}},
		{name: "mid-turn, a person, but a shell of the agent's is open", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{CallMayCommit: true})}, by: evidence.Committer{Person: true}, want: "b"},
		{name: "mid-turn, a person commits what the agent edited", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{Edited: map[string]bool{"a": true}})}, by: evidence.Committer{Person: true}, want: "b"},
		{name: "mid-turn, what was staged before the turn", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{AtTurnStart: sessionstate.PathVersions{enginetest.Holds("a", 1)}})}},
		{name: "mid-turn, staged before, the agent's shell open", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{AtTurnStart: sessionstate.PathVersions{enginetest.Holds("a", 1)}, CallMayCommit: true})}},
		{name: "mid-turn, the transcript shows edits elsewhere", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{HasToolCalls: true, Edited: map[string]bool{"z": true}})}},
		{name: "mid-turn, nobody there, and its transcript tells of nothing yet", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{TranscriptReadable: true})}},
		{name: "mid-turn, its transcript tells of nothing yet, and an agent commits", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{TranscriptReadable: true})}, by: evidence.Committer{Agent: true}, want: "b"},
		{name: "mid-turn, a file that a command may have written", staged: []git.Change{added("a", 1)}, by: evidence.Committer{Person: true},
			sessions: []transcript.SessionWork{open(transcript.SessionWork{TranscriptReadable: true, HasToolCalls: true, Reach: transcript.CallEffects{Files: effects.OfShell("touch a").Files}})}, want: "b"},
		{name: "mid-turn, a file that no command has written", staged: []git.Change{added("a", 1)},
			sessions: []transcript.SessionWork{open(transcript.SessionWork{TranscriptReadable: true, HasToolCalls: true, Reach: transcript.CallEffects{Files: effects.OfShell("touch b").Files}})}},
		{name: "an owner is chosen before a candidate", staged: []git.Change{added("a", 1)}, sessions: []transcript.SessionWork{open(transcript.SessionWork{}), idle(enginetest.Holds("a", 1))}, want: "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			same := tc.same
			if same == nil {
				same = never
			}
			got := evidence.ChooseSessions(tc.staged, tc.sessions, tc.by, told{same, tc.shows, tc.elsewhere, tc.overtaken, tc.steps})
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
		return func(string) (uint32, git.OID) { return mode, enginetest.Blob(n) }
	}
	none := func(string) (uint32, git.OID) { return 0, git.OID{} }
	for _, tc := range []struct {
		name      string
		step      git.Change
		committed func(string) (uint32, git.OID)
		onDisk    func(string) bool
		want      sessionstate.PathVersions
	}{
		{"committed as it was", added("a", 1), at(git.ModeFile, 1), no, nil},
		{"a part of it committed", edited("a", 1, 2), at(git.ModeFile, 3), no, sessionstate.PathVersions{enginetest.Holds("a", 2)}},
		{"not committed", added("a", 1), none, no, sessionstate.PathVersions{enginetest.Holds("a", 1)}},
		{"the worktree is as committed: nothing is left of it", edited("a", 1, 2), at(git.ModeFile, 3), yes, nil},
		{"a removal not committed", removed("a", 1), at(git.ModeFile, 1), no, sessionstate.PathVersions{{Path: "a"}}},
		{"a removal committed", removed("a", 1), none, no, nil},
		{"only the mode differs", added("a", 1), at(git.ModeExec, 1), no, sessionstate.PathVersions{enginetest.Holds("a", 1)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := evidence.CarriedFiles([]git.Change{tc.step}, tc.committed, tc.onDisk); !worktree.Equal(sessionstate.PathVersions(got), tc.want) {
				t.Errorf("carried %v, want %v", got, tc.want)
			}
		})
	}
}

func drawStates(t *rapid.T, label string) sessionstate.PathVersions {
	m := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c/d", "c/e", "\xff", "z z"}), rapid.IntRange(0, 3)).Draw(t, label)
	var out sessionstate.PathVersions
	for p, n := range m {
		if n == 0 {
			out = append(out, sessionstate.PathVersion{Path: p})
		} else {
			out = append(out, enginetest.Holds(p, n))
		}
	}
	return worktree.SortVersions(out)
}

// TestDeltaLeadsFromOneStateToTheOther applies what delta says to old.
func TestDeltaLeadsFromOneStateToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, now := drawStates(t, "old"), drawStates(t, "now")
		edits, back := worktree.EditsFrom(now, old)
		got := left(old...)
		for _, e := range edits {
			got[e.Path] = sessionstate.PathVersion{Path: e.Path, Mode: e.Mode, OID: e.OID}
		}
		for _, p := range back {
			delete(got, p)
		}
		var list sessionstate.PathVersions
		for _, f := range got {
			list = append(list, f)
		}
		if worktree.SortVersions(list); !worktree.Equal(list, now) {
			t.Fatalf("got %v, want %v", list, now)
		}
		if (worktree.Digest(old) == worktree.Digest(now)) != worktree.Equal(old, now) {
			t.Fatalf("digests of %v and %v", old, now)
		}
		for _, f := range now {
			if got, ok := worktree.Find(now, f.Path); !ok || got != f {
				t.Fatalf("find %q: %v, %v", f.Path, got, ok)
			}
		}
		if _, ok := worktree.Find(now, "no such path"); ok {
			t.Fatal("found what is not there")
		}
	})
}

func TestPathTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := string(rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "path"))
		text := sessionstate.EncodePath(path)
		if sessionstate.DecodePath(text) != path {
			t.Fatalf("%q became %q", path, sessionstate.DecodePath(text))
		}
		if slices.Contains([]rune(text), '\uFFFD') && !strings.Contains(path, "\uFFFD") {
			t.Fatalf("JSON cannot hold %q", text)
		}
	})
	for path, want := range map[string]string{"plain": "plain", "ünïcode": "ünïcode", "line\nbreak": "line\nbreak", "bad\xff": `"bad\xff"`, `"q`: `"\"q"`} {
		if got := sessionstate.EncodePath(path); got != want {
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
		{"a short line, and one more", "x1\r\n", "x1\r\ny2\r\n", true},
		{"two short lines, and one more", "x1\ny2\n", "x1\ny2\nz3\n", true},
		{"one empty", "", "something\n", false},
		{"white space only", "  \n", "\n", true},
		{"package main and little else", "package main\n\nfunc a() {}\nfunc b() {}\n", "package main\n\nfunc c() {}\nfunc d() {}\n", false},
	} {
		a, b := []byte(tc.a), []byte(tc.b)
		if got := evidence.Similar(a, b); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
		if string(a) != tc.a || string(b) != tc.b {
			t.Errorf("%s: the texts are %q and %q now", tc.name, a, b)
		}
		if got := evidence.Similar([]byte(tc.b), []byte(tc.a)); got != tc.want {
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
		if got := evidence.ShareDistinctiveLine([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestCacheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &sessionstate.WorktreeCache{Head: enginetest.Blob(1), Ref: "refs/heads/entire/0000000-e3b0c4", Tip: enginetest.Blob(2), Files: drawStates(t, "files"), Stats: map[string]sessionstate.CachedStat{}}
		for _, f := range c.Files {
			if f.Mode != 0 && rapid.Bool().Draw(t, "stat") {
				c.Stats[f.Path] = sessionstate.CachedStat{Key: sessionstate.StatKey{
					Size: rapid.Int64().Draw(t, "size"), Mtime: rapid.Int64().Draw(t, "mtime"), Ctime: rapid.Int64().Draw(t, "ctime"),
					Ino: rapid.Uint64().Draw(t, "ino"), Mode: rapid.Uint32Min(1).Draw(t, "mode")}, OID: f.OID}
			}
		}
		got, err := worktree.ParseCache(worktree.Encode(c))
		if err != nil {
			t.Fatal(err)
		}
		if got.Head != c.Head || got.Ref != c.Ref || got.Tip != c.Tip || !worktree.Equal(got.Files, c.Files) || len(got.Stats) != len(c.Stats) {
			t.Fatalf("got %+v, want %+v", got, c)
		}
		for p, st := range c.Stats {
			if got.Stats[p] != st {
				t.Fatalf("%q: %+v, want %+v", p, got.Stats[p], st)
			}
		}
	})
}

func TestDamagedCacheIsRefused(t *testing.T) {
	whole := worktree.Encode((&sessionstate.WorktreeCache{Head: enginetest.Blob(1), Ref: "r", Tip: enginetest.Blob(2), Files: sessionstate.PathVersions{enginetest.Holds("a", 1)}}))
	for n := range whole {
		if _, err := worktree.ParseCache(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(whole))
		}
	}
}
