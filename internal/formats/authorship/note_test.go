package authorship

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawn returns a valid note and the lengths of its files.
func drawn(t *rapid.T) (*Note, map[string]int) {
	word := rapid.StringMatching(`[a-zé<&\\/ ]{1,12}`)
	n := &Note{Metadata: Metadata{Schema: Version, Base: strings.Repeat("7", 40), Prompts: map[string]Prompt{}, Program: rapid.SampledFrom([]string{"", "1.4.5"}).Draw(t, "program")}}
	person := "Ada <ada@example.com>"
	var keys []string
	for i := range rapid.IntRange(0, 3).Draw(t, "sessions") {
		who := AgentID{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tool"), word.Draw(t, "conversation") + fmt.Sprint(i), "model"}
		key := SessionKey(who.Tool, who.ID)
		s := Session{Agent: who}
		if rapid.Bool().Draw(t, "author") {
			s.Human, s.Attributes = &person, map[string]string{"k": word.Draw(t, "attribute")}
		}
		if n.Metadata.Sessions == nil {
			n.Metadata.Sessions = map[string]Session{}
		}
		n.Metadata.Sessions[key] = s
		keys = append(keys, CallKey(key, "1"), CallKey(key, "2"))
	}
	if rapid.Bool().Draw(t, "older") {
		n.Metadata.Prompts["0123456789abcdef"] = Prompt{Agent: AgentID{"a", "b", "c"}, Additions: 3, Accepted: 2}
		keys = append(keys, "0123456789abcdef")
	}
	if rapid.Bool().Draw(t, "human") {
		n.Metadata.Humans = map[string]Human{"h_cb2a9fd343ae0b": {person}}
		keys = append(keys, "h_cb2a9fd343ae0b")
	}
	lengths := map[string]int{}
	paths := rapid.SliceOfNDistinct(word, 0, 4, rapid.ID[string]).Draw(t, "paths")
	slices.Sort(paths)
	for _, path := range paths {
		f, line := File{Path: path}, 0
		for range rapid.IntRange(1, 8).Draw(t, "ranges") {
			if len(keys) == 0 || !Representable(path) || strings.HasPrefix(path, "  ") || strings.TrimSpace(path) == "" {
				break
			}
			start := line + rapid.IntRange(1, 3).Draw(t, "gap")
			line = start + rapid.IntRange(0, 50).Draw(t, "more lines")
			key := rapid.SampledFrom(keys).Draw(t, "key")
			at := slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Key == key })
			if at < 0 {
				at, f.Entries = len(f.Entries), append(f.Entries, Entry{Key: key})
			}
			f.Entries[at].Ranges = append(f.Entries[at].Ranges, Range{start, line})
		}
		if len(f.Entries) > 0 {
			n.Files = append(n.Files, f)
			lengths[path] = line + rapid.IntRange(0, 2).Draw(t, "rest")
		}
	}
	return n, lengths
}

func of(lengths map[string]int) Length {
	return func(path string) (int, bool) { n, there := lengths[path]; return n, there }
}

// TestRoundTrip: what Encode writes, Decode and Read return.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, lengths := drawn(t)
		data, err := n.Encode(of(lengths))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(data, of(lengths))
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if diff := cmp.Diff(n, back); diff != "" {
			t.Fatal(diff)
		}
		again, err := back.Encode(nil)
		if err != nil || string(again) != string(data) {
			t.Fatalf("%v:\n%s\nis not\n%s", err, again, data)
		}
		read, problems, err := Read(data, of(lengths))
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if diff := cmp.Diff(n, read); diff != "" {
			t.Fatal(diff)
		}
	})
}

const sample = `poem.txt
  s_3fa0f26e95a363::t_0a1b2c3d4e5f60 1-2,7
  h_cb2a9fd343ae0b 3
"docs/my notes.md"
  s_3fa0f26e95a363::t_5f4e3d2c1b0a99 1-12
---
{
  "schema_version": "authorship/3.0.0",
  "git_ai_version": "1.4.5",
  "base_commit_sha": "77ab0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7b",
  "prompts": {},
  "humans": {
    "h_cb2a9fd343ae0b": { "author": "Ada Example <ada@example.com>" }
  },
  "sessions": {
    "s_3fa0f26e95a363": {
      "agent_id": { "tool": "claude", "id": "5e55104f-0000-4000-8000-000000000001", "model": "m" },
      "human_author": "Ada Example <ada@example.com>"
    }
  }
}
`

// TestKeys: keys are made as git-ai makes them.
func TestKeys(t *testing.T) {
	t.Parallel()
	if got := SessionKey("claude", "5e55104f-0000-4000-8000-000000000001"); got != "s_3fa0f26e95a363" {
		t.Error(got)
	}
	if got := "h_" + short("Ada Example <ada@example.com>"); got != "h_cb2a9fd343ae0b" {
		t.Error(got)
	}
}

func TestReadsAnothersNote(t *testing.T) {
	t.Parallel()
	n, problems, err := Read([]byte(sample), of(map[string]int{"poem.txt": 7, "docs/my notes.md": 12}))
	if err != nil || len(problems) > 0 || len(n.Files) != 2 || n.Files[1].Path != "poem.txt" {
		t.Fatal(err, problems, n)
	}
	if who, _, known := n.Record("s_3fa0f26e95a363::t_0a1b2c3d4e5f60"); !known || who.Tool != "claude" {
		t.Error(who, known)
	}
	if _, author, known := n.Record("h_cb2a9fd343ae0b"); !known || author != "Ada Example <ada@example.com>" {
		t.Error(author, known)
	}
}

// TestReadsWhatItCan: a note that breaks the standard loses only what cannot be true.
func TestReadsWhatItCan(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(sample, "poem.txt\n", "  s_3fa0f26e95a363::t_0a1b2c3d4e5f60 1\npoem.txt\n  aaaaaaaaaaaaaaaa 1-3\n  s_3fa0f26e95a363::t_5f4e3d2c1b0a99 x,2-4,90-99\n", 1)
	n, problems, err := Read([]byte(broken), of(map[string]int{"poem.txt": 7}))
	if err != nil || len(problems) != 5 {
		t.Fatal(err, strings.Join(problems, "\n"))
	}
	// The later entries have lines 1, 2, 3 and 7; the earlier one keeps what they do not have.
	want := []File{{"poem.txt", []Entry{{"s_3fa0f26e95a363::t_5f4e3d2c1b0a99", []Range{{4, 4}}}, {"s_3fa0f26e95a363::t_0a1b2c3d4e5f60", []Range{{1, 2}, {7, 7}}}, {"h_cb2a9fd343ae0b", []Range{{3, 3}}}}}}
	if diff := cmp.Diff(want, n.Files); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "---\n", "a\n  b 1\n", strings.Replace(sample, "3.0.0", "4.0.0", 1)} {
		if n, _, err := Read([]byte(bad), nil); err == nil {
			t.Errorf("%.20q is read as %v", bad, n)
		}
	}
}

// TestOddMembers: a member of another type does not hide the others.
func TestOddMembers(t *testing.T) {
	t.Parallel()
	odd := strings.Replace(sample, `"humans": {`, `"git_ai_version": 14, "humans": {`, 1)
	n, problems, err := Read([]byte(odd), nil)
	if err != nil || len(problems) != 1 || len(n.Files) != 2 || len(n.Metadata.Sessions) != 1 {
		t.Error(err, problems, n)
	}
	if n, err := Decode([]byte(odd), nil); err == nil {
		t.Errorf("decoded as %v", n)
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	length := of(map[string]int{"poem.txt": 7, "docs/my notes.md": 12})
	for want, spoil := range map[string]func(*Note){
		"is not authorship":   func(n *Note) { n.Metadata.Schema = "x" },
		"is no commit":        func(n *Note) { n.Metadata.Base = "HEAD" },
		"prompts: missing":    func(n *Note) { n.Metadata.Prompts = nil },
		"cannot name":         func(n *Note) { n.Files[0].Path = "a\"b" },
		"is there twice":      func(n *Note) { n.Files[1] = n.Files[0] },
		"no entries":          func(n *Note) { n.Files[0].Entries = nil },
		"no such file":        func(n *Note) { n.Files[0].Path = "a" },
		"no record":           func(n *Note) { n.Metadata.Humans = nil },
		"is no key":           func(n *Note) { n.Files[0].Entries[0].Key = "s_1" },
		"has no lines":        func(n *Note) { n.Files[0].Entries[0].Ranges = nil },
		"are no lines":        func(n *Note) { n.Files[0].Entries[0].Ranges[0].Start = 0 },
		"past the file's end": func(n *Note) { n.Files[0].Entries[0].Ranges[0].End = 13 },
		"is in two ranges":    func(n *Note) { n.Files[1].Entries[1].Ranges[0].Start = 2 },
	} {
		n, _, err := Read([]byte(sample), length)
		if err != nil {
			t.Fatal(err)
		}
		spoil(n)
		if err := n.Check(length); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := n.Encode(length); err == nil {
			t.Errorf("%s: encoded", want)
		}
	}
}

// TestOrder: git-ai writes files in any order; such a note is right, and is never written here.
func TestOrder(t *testing.T) {
	t.Parallel()
	n, _, err := Read([]byte(sample), nil)
	if err != nil || len(n.Files) != 2 {
		t.Fatal(err, n)
	}
	n.Files[0], n.Files[1] = n.Files[1], n.Files[0]
	if err := n.Check(nil); err != nil {
		t.Error(err)
	}
	if _, err := n.Encode(nil); err == nil || !strings.Contains(err.Error(), "does not come after") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("a\n  0123456 1-9,3\n  0123456 5\n---\n{\"schema_version\":\"authorship/3.0.0\",\"prompts\":{\"0123456\":{}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, _, err := Read(data, nil)
		if err != nil {
			return
		}
		for _, f := range n.Files {
			if _, left := n.readable(f, -1); len(left) > 0 {
				t.Errorf("what was read has still %v", left)
			}
			for i, e := range f.Entries {
				for _, other := range f.Entries[i+1:] {
					for _, a := range e.Ranges {
						for _, b := range other.Ranges {
							if a.Start <= b.End && b.Start <= a.End {
								t.Errorf("%s and %s overlap", a, b)
							}
						}
					}
				}
			}
		}
	})
}
