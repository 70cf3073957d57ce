package agenttrace

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawn returns a valid record and the lengths of its files.
func drawn(t *rapid.T) (*Record, map[string]int) {
	word := rapid.StringMatching(`[a-z"\\ é<&]{1,12}`)
	contributor := func(label string) *Contributor {
		if rapid.Bool().Draw(t, label+" is there") {
			return &Contributor{Type: rapid.SampledFrom([]string{Human, AI, Mixed, Unknown}).Draw(t, label),
				ModelID: rapid.SampledFrom([]string{"", "a/b", "anthropic/x-1"}).Draw(t, label+" model")}
		}
		return nil
	}
	r := &Record{Version: Version, ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(word.Draw(t, "id"))).String(), Timestamp: "2026-11-24T09:30:00Z", Files: []File{}}
	if rapid.Bool().Draw(t, "vcs") {
		r.VCS = &VCS{"git", strings.Repeat("7", 40)}
	}
	if rapid.Bool().Draw(t, "tool") {
		r.Tool = &Tool{word.Draw(t, "name"), word.Draw(t, "version")}
	}
	if rapid.Bool().Draw(t, "metadata") {
		r.Metadata = map[string]json.RawMessage{"com.example": json.RawMessage(`{"n":12345678901234567890,"x":"<é>"}`)}
	}
	lengths := map[string]int{}
	paths := rapid.SliceOfNDistinct(word, 0, 4, rapid.ID[string]).Draw(t, "paths")
	slices.Sort(paths)
	for _, path := range paths {
		f := File{Path: path, Conversations: []Conversation{}}
		for i := range rapid.IntRange(0, 3).Draw(t, "conversations") {
			c := Conversation{Contributor: contributor("contributor"), Ranges: []Range{}}
			if i == 1 {
				c.URL, c.Related = "https://example.com/c?a=1&b=2", []Related{{"session", "entire:session/x"}}
			}
			f.Conversations = append(f.Conversations, c)
		}
		line := 0
		for range rapid.IntRange(0, 6).Draw(t, "ranges") {
			if len(f.Conversations) == 0 {
				break
			}
			start := line + rapid.IntRange(1, 3).Draw(t, "gap")
			line = start + rapid.IntRange(0, 50).Draw(t, "more lines")
			at := rapid.IntRange(0, len(f.Conversations)-1).Draw(t, "of")
			g := Range{StartLine: start, EndLine: line, Contributor: contributor("override")}
			f.Conversations[at].Ranges = append(f.Conversations[at].Ranges, g)
		}
		lengths[path] = line + rapid.IntRange(0, 2).Draw(t, "rest")
		r.Files = append(r.Files, f)
	}
	return r, lengths
}

func of(lengths map[string]int) Length {
	return func(path string) (int, bool) { n, there := lengths[path]; return n, there }
}

// TestRoundTrip: what Encode writes, Decode and Read return.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, lengths := drawn(t)
		data, err := r.Encode(of(lengths))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(data, of(lengths))
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Fatal(diff)
		}
		again, err := back.Encode(nil)
		if err != nil || string(again) != string(data) {
			t.Fatalf("%v: %s is not %s", err, again, data)
		}
	})
}

// sample is a record with two files, for tests that break it.
func sample() *Record {
	ai, human := &Contributor{Type: AI, ModelID: "a/b"}, &Contributor{Type: Human}
	return &Record{Version: Version, ID: "0b6f3a52-7c1e-5d0a-9a57-3f5a0c9d2e11", Timestamp: "2026-11-24T09:30:00Z",
		VCS: &VCS{"git", strings.Repeat("a", 40)}, Tool: &Tool{"entire", "dev"},
		Files: []File{{"a.txt", []Conversation{{Contributor: ai, Ranges: []Range{{StartLine: 1, EndLine: 2}, {StartLine: 7, EndLine: 7}}}, {Contributor: human, Ranges: []Range{{StartLine: 3, EndLine: 3}}}}},
			{"b.txt", []Conversation{{Contributor: ai, Ranges: []Range{{StartLine: 1, EndLine: 1}}}}}}}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	length := of(map[string]int{"a.txt": 7, "b.txt": 1})
	if err := sample().Check(length); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Record){
		"version":             func(r *Record) { r.Version = "1.0" },
		"no UUID":             func(r *Record) { r.ID = "x" },
		"no time of RFC 3339": func(r *Record) { r.Timestamp = "2026-11-24 09:30" },
		"no revision":         func(r *Record) { r.VCS.Revision = "HEAD" },
		"tool":                func(r *Record) { r.Tool.Version = "" },
		"is there twice":      func(r *Record) { r.Files[1] = r.Files[0] },
		"has no file":         func(r *Record) { r.Files[1].Path = "c.txt" },
		"is in two ranges":    func(r *Record) { r.Files[0].Conversations[1].Ranges[0].StartLine = 2 },
		"past the file's end": func(r *Record) { r.Files[0].Conversations[0].Ranges[1].EndLine = 8 },
		"are no lines":        func(r *Record) { r.Files[0].Conversations[0].Ranges[0].StartLine = 0 },
		"none of human":       func(r *Record) { r.Files[0].Conversations[0].Contributor.Type = "robot" },
		"is no URI":           func(r *Record) { r.Files[0].Conversations[0].URL = "no" },
		"no type, or no URI":  func(r *Record) { r.Files[0].Conversations[0].Related = []Related{{"", "a:b"}} },
		"files: missing":      func(r *Record) { r.Files = nil },
	} {
		r := sample()
		spoil(r)
		if err := r.Check(length); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if data, err := r.Encode(length); err == nil {
			t.Errorf("%s: encoded as %s", want, data)
		}
	}
}

// TestForm: what the standard leaves open is right in a record of others, and is never written.
func TestForm(t *testing.T) {
	t.Parallel()
	length := of(map[string]int{"a.txt": 7, "b.txt": 1})
	for want, change := range map[string]func(*Record){
		"no time in UTC":              func(r *Record) { r.Timestamp = "2026-11-24T09:30:00+01:00" },
		"does not come after \"b.txt": func(r *Record) { r.Files[0], r.Files[1] = r.Files[1], r.Files[0] },
		"does not come after line 7":  func(r *Record) { slices.Reverse(r.Files[0].Conversations[0].Ranges) },
	} {
		r := sample()
		change(r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(data, length); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := r.Encode(length); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, _ := sample().Encode(nil)
	f.Add(data)
	f.Add([]byte(`{"version":"1.0","files":[{"path":"a","conversations":[{"ranges":[{"start_line":-1,"end_line":3}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Decode(data, nil); err == nil && r.Check(nil) != nil {
			t.Error("Decode accepts what Check does not")
		}
	})
}
