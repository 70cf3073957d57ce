package strategy

import (
	"encoding/json"
	"testing"
)

func FuzzParseCache(f *testing.F) {
	f.Add((&worktreeCache{head: blob(1), ref: "refs/heads/entire/x", tip: blob(2), files: fileStates{holds("a", 1), {path: "b"}},
		stats: map[string]cachedStat{"a": {statKey{1, 2, 3, 4, 5}, blob(1)}}}).encode())
	f.Add([]byte(cacheMagic + "\x00\x00\x00\x00end"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCache(data)
		if err != nil {
			return
		}
		again, err := parseCache(c.encode())
		if err != nil || again.head != c.head || again.ref != c.ref || again.tip != c.tip || !again.files.equal(c.files) {
			t.Fatalf("read %+v, wrote and read %+v, %v", c, again, err)
		}
	})
}

func FuzzParsePrepared(f *testing.F) {
	f.Add([]byte(`{"checkpoint_id":"0123456789ab","sessions":["s1","s2"]}`))
	f.Add([]byte(`{"checkpoint_id":"","sessions":null}`))
	f.Add([]byte(`{"checkpoint_id":"0123456789ab","sessions":["s1",""]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := parsePrepared(data)
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
	f.Add([]byte(`{"version":1,"session":"s1","point":"` + blob(1).String() + `","changes":[{"path":"a","new_mode":33188}]}`))
	f.Add([]byte(`{"version":1,"changes":[{"path":"\"\\xff\""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j journal
		if json.Unmarshal(data, &j) != nil {
			return
		}
		out, err := json.Marshal(&j)
		if err != nil {
			t.Fatal(err)
		}
		var again journal
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if len(again.Changes) != len(j.Changes) || again.Point != j.Point || again.Session != j.Session {
			t.Fatalf("read %+v, then %+v", j, again)
		}
		for i := range j.Changes {
			if again.Changes[i].path() != j.Changes[i].path() {
				t.Fatalf("path %q became %q", j.Changes[i].path(), again.Changes[i].path())
			}
		}
	})
}
