package restore_test

import (
	"encoding/json"
	"testing"

	"entire/strategy/githead"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

func FuzzParseCache(f *testing.F) {
	f.Add(worktree.Encode((&sessionstate.WorktreeCache{Head: enginetest.Blob(1), Ref: "refs/heads/entire/x", Tip: enginetest.Blob(2), Files: sessionstate.PathVersions{enginetest.Holds("a", 1), {Path: "b"}},
		Stats: map[string]sessionstate.CachedStat{"a": {Key: sessionstate.StatKey{Size: 1, Mtime: 2, Ctime: 3, Ino: 4, Mode: 5}, OID: enginetest.Blob(1)}}})))
	f.Add([]byte(worktree.CacheMagic + "\x00\x00\x00\x00end"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := worktree.ParseCache(data)
		if err != nil {
			return
		}
		again, err := worktree.ParseCache(worktree.Encode(c))
		if err != nil || again.Head != c.Head || again.Ref != c.Ref || again.Tip != c.Tip || !worktree.Equal(again.Files, c.Files) {
			t.Fatalf("read %+v, wrote and read %+v, %v", c, again, err)
		}
	})
}

func FuzzParsePrepared(f *testing.F) {
	f.Add([]byte(`{"checkpoint_id":"0123456789ab","sessions":["s1","s2"]}`))
	f.Add([]byte(`{"checkpoint_id":"","sessions":null}`))
	f.Add([]byte(`{"checkpoint_id":"0123456789ab","sessions":["s1",""]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := githead.ParseChoices(data)
		if !ok {
			return
		}
		if p.Checkpoint.IsZero() || len(p.Sessions) == 0 {
			t.Fatalf("accepted %+v", p)
		}
		for _, sid := range p.Sessions {
			if sid.IsZero() {
				t.Fatalf("a session without an ID in %+v", p)
			}
		}
	})
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"version":1,"session":"s1","point":"` + enginetest.Blob(1).String() + `","changes":[{"path":"a","new_mode":33188}]}`))
	f.Add([]byte(`{"version":1,"changes":[{"path":"\"\\xff\""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j restore.RewindJournal
		if json.Unmarshal(data, &j) != nil {
			return
		}
		out, err := json.Marshal(&j)
		if err != nil {
			t.Fatal(err)
		}
		var again restore.RewindJournal
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if len(again.Changes) != len(j.Changes) || again.Point != j.Point || again.Session != j.Session {
			t.Fatalf("read %+v, then %+v", j, again)
		}
		for i := range j.Changes {
			if again.Changes[i].Text() != j.Changes[i].Text() {
				t.Fatalf("path %q became %q", j.Changes[i].Text(), again.Changes[i].Text())
			}
		}
	})
}
