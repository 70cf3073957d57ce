package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/mcp"
)

// talks is a Source made of messages: by the session's name.
type talks map[string][]agent.Message

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (s talks) Lines(_ context.Context, e Entry, from int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		end := int64(0)
		for _, m := range s[e.Name] {
			data, err := json.Marshal(m)
			if end += int64(len(data)); end <= from {
				continue
			}
			if !yield(Line{Data: data, End: end}, err) {
				return
			}
		}
	}
}

// entries are those of the sessions, as new as their messages.
func (s talks) entries(more ...Entry) []Entry {
	var out []Entry
	for name, list := range s {
		size := int64(0)
		for _, m := range list {
			data, _ := json.Marshal(m)
			size += int64(len(data))
		}
		out = append(out, Entry{Kind: Conversation, Name: name, Mark: fmt.Sprint(len(list)), Log: "log", Size: size,
			Card: Card{Title: "Title of " + name, Started: day, Updated: day.AddDate(0, 0, 9)}})
	}
	return append(out, more...)
}

func said(role, text string) agent.Message {
	return agent.Message{UUID: "u" + text[:min(4, len(text))], Role: role, Content: text, Timestamp: day}
}

func called(tool string, input any) agent.Message {
	data, _ := json.Marshal(input)
	return agent.Message{UUID: "call", Role: agent.RoleAssistant, Timestamp: day, ToolCalls: []agent.ToolUse{{ID: "t", Name: tool, Input: data}}}
}

func newIndex(t testing.TB) *Index {
	t.Helper()
	x, err := Open(context.Background(), filepath.Join(t.TempDir(), "search", "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func mustUpdate(t testing.TB, x *Index, s talks, entries ...Entry) Updated {
	t.Helper()
	if entries == nil {
		entries = s.entries()
	}
	u, err := x.Update(context.Background(), entries, s, map[string]string{"f": "v"}, nil)
	if err != nil || len(u.Failed) > 0 {
		t.Fatal(err, u.Failed)
	}
	return u
}

// found are the places of the hits, as name#number, the best first.
func found(t testing.TB, x *Index, query string, f Filter) []string {
	t.Helper()
	a := answer(t, x, query, f)
	var out []string
	for _, h := range a.Hits[:a.Whole] {
		out = append(out, fmt.Sprintf("%s#%d", h.Name, h.Number))
	}
	return out
}

func answer(t testing.TB, x *Index, query string, f Filter) Answer {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	a, err := x.Find(context.Background(), Request{Query: q, Filter: f})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return a
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := talks{
		"s1": {
			said(agent.RoleUser, "Please make the retry timeout configurable"),
			said(agent.RoleAssistant, "I will look at parseRetryConfig first."),
			called("Edit", map[string]any{"file_path": "/work/app/internal/net/retry_policy.go", "old_string": "backoff = 2", "new_string": "backoff = cfg.Backoff"}),
			said(agent.RoleTool, "connection refused by the database after 30 seconds"),
		},
		"s2": {
			said(agent.RoleUser, "Why was the connection to the database refused?"),
			said(agent.RoleAssistant, "The port was 5433. Das Café ist zu; 数据库 too."),
			{UUID: "sys", Role: agent.RoleSystem, Content: "compacted", Timestamp: day},
		},
	}
	x := newIndex(t)
	mustUpdate(t, x, s)
	for _, tt := range []struct{ name, query, want string }{
		{"both words, in other forms", "retries timeouts", "s1#1"},
		{"a phrase", `"connection refused"`, "s1#4"},
		{"words in any order", "refused connection", "s2#1 s1#4"},
		{"without", "refused -seconds", "s2#1"},
		{"one of them", "configurable OR 5433", "s1#1 s2#2"},
		{"camelCase by a part", "config", "s1#2"},
		{"camelCase whole", "parseRetryConfig", "s1#2"},
		{"camelCase in small letters", "parseretryconfig", "s1#2"},
		{"camelCase as snake_case", "parse_retry_config", "s1#2"},
		{"the beginning of a name", "parseRet*", "s1#2"},
		{"snake_case by a part", "policy", "s1#3"},
		{"a path", "net/retry_policy.go", "s1#3"},
		{"what was written", "backoff", "s1#3"},
		{"accents", "cafe", "s2#2"},
		{"no space between words", "数据", "s2#2"},
		{"the title", "title s2", "s2#0"},
		{"nothing", "zebra", ""},
		{"by a filter", "role:tool refused", "s1#4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, _ := Parse(tt.query)
			var f Filter
			for _, field := range q.Fields {
				f.Role = append(f.Role, field.Value)
			}
			if got := found(t, x, tt.query, f); strings.Join(got, " ") != tt.want {
				t.Errorf("%s: got %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestFindSomeOfTheWords(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	mustUpdate(t, x, talks{"s": {
		said(agent.RoleAssistant, "The migration broke the annotations table."),
		said(agent.RoleAssistant, "Something else entirely about what was done and how."),
		said(agent.RoleAssistant, "A migration."),
	}})
	a := answer(t, x, "why did the migration break annotations on sqlite", Filter{})
	if a.Whole != 0 || len(a.Hits) == 0 || a.Hits[0].Number != 1 {
		t.Errorf("got %d whole of %+v", a.Whole, a.Hits)
	}
	for _, h := range a.Hits {
		if h.Number == 2 {
			t.Error("a message with nothing but common words was found")
		}
	}
	if a = answer(t, x, "migration AND sqlite", Filter{}); len(a.Hits) > 0 {
		t.Errorf("AND is to be taken at its word: %+v", a.Hits)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	text := strings.Repeat("nothing here to see. ", 100) + "Then\n\n the retryPolicy, über\tall, failed badly" + strings.Repeat(" and so on", 100)
	mustUpdate(t, x, talks{"s": {said(agent.RoleAssistant, text)}})
	for query, want := range map[string][]string{
		"failing": {"failed"}, "retrypolicy": {"retryPolicy"}, "retry_policy": {"retryPolicy"}, "pol*": {"Policy"},
		`"failed badly"`: {"failed badly"}, "uber failed": {"über", "failed"}, "failed -absent": {"failed"},
	} {
		h := answer(t, x, query, Filter{}).Hits[0]
		var marked []string
		for _, m := range h.Marks {
			marked = append(marked, h.Snippet[m.Start:m.End])
		}
		if !slices.Equal(marked, want) || !strings.Contains(h.Snippet, "retryPolicy, über all, failed badly") {
			t.Errorf("%s: %q marked in %q", query, marked, h.Snippet)
		}
		if n := len([]rune(h.Snippet)); n > snippetRunes+10 || strings.Contains(h.Snippet, "\n") {
			t.Errorf("%s: a snippet of %d characters: %q", query, n, h.Snippet)
		}
	}
}

func TestSameAndNear(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	mustUpdate(t, x, talks{
		"a": {said(agent.RoleUser, "the zebra crossed"), said(agent.RoleAssistant, "which zebra?")},
		"b": {said(agent.RoleUser, "the zebra crossed"), said(agent.RoleAssistant, "nothing"), said(agent.RoleAssistant, "zebra again, of another kind")},
	})
	if got := found(t, x, "zebra", Filter{}); !slices.Equal(got, []string{"b#1", "a#2", "b#3"}) {
		t.Errorf("got %q", got)
	}
	if h := answer(t, x, "zebra", Filter{}).Hits[0]; !slices.Equal(h.Same, []Place{{"a", 1}}) || h.Near != nil {
		t.Errorf("the same text: %+v", h)
	}
	h := answer(t, x, "zebra", Filter{Session: []string{"a"}}).Hits
	if len(h) != 1 || h[0].Number != 1 || !slices.Equal(h[0].Near, []int{2}) {
		t.Errorf("right beside it: %+v", h)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := talks{"s1": {said(agent.RoleUser, "zebra one")}, "s2": {said(agent.RoleUser, "zebra two")}, "s3": {said(agent.RoleUser, "zebra three")}}
	s["s3"][0].Timestamp = day.AddDate(0, 0, 7)
	entries := []Entry{
		{Kind: Conversation, Name: "s1", Mark: "1", Card: Card{Agent: "Claude Code", Model: "claude-opus-4", Branches: []string{"main"}, Tags: []string{"Bug"}, Started: day, Updated: day}},
		{Kind: Conversation, Name: "s2", Mark: "1", Card: Card{Agent: "Gemini CLI", Model: "gemini-3", Branches: []string{"feature/x"}, Started: day, Updated: day}},
		{Kind: Conversation, Name: "s3", Mark: "1", Card: Card{Agent: "Claude Code", Started: day, Updated: day.AddDate(0, 0, 7), Files: []string{"cmd/main.go"}}},
		{Kind: Checkpoint, Name: "c1", Mark: "1", Card: Card{Title: "Zebra commit", Sessions: []string{"s2"}, Branches: []string{"release"}, Files: []string{"internal/git/status.go"}, Started: day, Updated: day}},
	}
	x := newIndex(t)
	mustUpdate(t, x, s, entries...)
	for _, tt := range []struct {
		name string
		f    Filter
		want string
	}{
		{"nothing", Filter{}, "c1#0 s1#1 s2#1 s3#1"},
		{"agent", Filter{Agent: []string{"claude-code"}}, "s1#1 s3#1"},
		{"agent, its beginning", Filter{Agent: []string{"gem"}}, "s2#1"},
		{"one of two agents", Filter{Agent: []string{"gemini", "claude"}}, "s1#1 s2#1 s3#1"},
		{"model", Filter{Model: []string{"opus"}}, "s1#1"},
		{"branch", Filter{Branch: []string{"main"}}, "s1#1"},
		{"branches", Filter{Branch: []string{"feature/*"}}, "s2#1"},
		{"branch of a checkpoint", Filter{Branch: []string{"release"}}, "c1#0 s2#1"},
		{"tag", Filter{Tag: []string{"bug"}}, "s1#1"},
		{"session", Filter{Session: []string{"s2"}}, "c1#0 s2#1"},
		{"file", Filter{File: []string{"status.go"}}, "c1#0 s2#1"},
		{"file's folder", Filter{File: []string{"cmd/"}}, "s3#1"},
		{"files", Filter{File: []string{"*.go"}}, "c1#0 s2#1 s3#1"},
		{"part of a name is no file", Filter{File: []string{"tatus.go"}}, ""},
		{"since", Filter{Since: day.AddDate(0, 0, 1)}, "s3#1"},
		{"until", Filter{Until: day.AddDate(0, 0, 1)}, "c1#0 s1#1 s2#1"},
		{"role", Filter{Role: []string{"assistant"}}, ""},
		{"all of several", Filter{Agent: []string{"claude"}, Branch: []string{"main"}}, "s1#1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, x, "zebra", tt.f)
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	a := answer(t, x, "", Filter{Agent: []string{"claude"}})
	if len(a.Hits) != 2 || a.Hits[0].Name != "s3" || a.Hits[0].Number != 0 {
		t.Errorf("without words the latest sessions: %+v", a.Hits)
	}
}

func TestIncremental(t *testing.T) {
	t.Parallel()
	s := talks{"a": {said(agent.RoleUser, "first zebra")}, "b": {said(agent.RoleUser, "second zebra")}}
	x := newIndex(t)
	if u := mustUpdate(t, x, s); u.Read != 2 {
		t.Errorf("read %d of 2", u.Read)
	}
	if p, _, gone, err := x.Pending(context.Background(), s.entries()); len(p) != 0 || gone != 0 || err != nil {
		t.Errorf("nothing is new, but %v, %d, %v", p, gone, err)
	}
	before := len(s["a"][0].Content)
	s["a"] = append(s["a"], said(agent.RoleAssistant, "an answer about giraffes"))
	if u := mustUpdate(t, x, s); u.Read != 1 || u.Bytes < int64(before) {
		t.Errorf("read %d entries, %d bytes", u.Read, u.Bytes)
	}
	if got := found(t, x, "giraffe", Filter{}); !slices.Equal(got, []string{"a#2"}) {
		t.Errorf("what was added: %q", got)
	}
	if got := found(t, x, "title", Filter{}); len(got) != 2 {
		t.Errorf("the sessions themselves, each once: %q", got)
	}
	// Another log under the same name is read anew.
	s["b"] = []agent.Message{said(agent.RoleUser, "no animal")}
	entries := s.entries()
	for i := range entries {
		if entries[i].Name == "b" {
			entries[i].Log = "another"
		}
	}
	mustUpdate(t, x, s, entries...)
	if got := found(t, x, "zebra", Filter{}); !slices.Equal(got, []string{"a#1"}) {
		t.Errorf("after the log was replaced: %q", got)
	}
	delete(s, "b")
	if u := mustUpdate(t, x, s); len(u.Removed) != 1 {
		t.Errorf("removed %d", len(u.Removed))
	}
	if got := found(t, x, "animal", Filter{}); len(got) != 0 {
		t.Errorf("after the session was removed: %q", got)
	}
	if v, err := x.Fact(context.Background(), "f"); v != "v" || err != nil {
		t.Errorf("the fact is %q, %v", v, err)
	}
}

func TestTorn(t *testing.T) {
	t.Parallel()
	s := talks{}
	for i := range 200 {
		s[fmt.Sprint("s", i)] = []agent.Message{said(agent.RoleUser, fmt.Sprint("zebra ", i, strings.Repeat(" words", 50)))}
	}
	for name, tear := range map[string]func(path string, data []byte) error{
		"no database":     func(path string, _ []byte) error { return os.WriteFile(path, []byte("hello"), 0o600) },
		"empty":           func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"cut off":         func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o600) },
		"gone":            func(path string, _ []byte) error { return os.Remove(path) },
		"zeroes":          func(path string, data []byte) error { clear(data[4096:]); return os.WriteFile(path, data, 0o600) },
		"another version": func(path string, data []byte) error { data[63] = 99; return os.WriteFile(path, data, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "p.db")
			x, err := Open(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			mustUpdate(t, x, s)
			if _, err := x.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err == nil {
				err = tear(path, data)
			}
			if err != nil {
				t.Fatal(err)
			}
			if x, err = Open(context.Background(), path); err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			use := func() error {
				if _, err := x.Update(context.Background(), s.entries(), s, nil, nil); err != nil {
					return err
				}
				q, _ := Parse("zebra")
				a, err := x.Find(context.Background(), Request{Query: q, Limit: 500})
				if err == nil && len(a.Hits) != 200 {
					err = fmt.Errorf("%d hits", len(a.Hits))
				}
				return err
			}
			err = use()
			if Damaged(err) {
				if err = x.Recreate(context.Background()); err == nil {
					err = use()
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Several processes: whoever reads does not wait for who writes, and sees what was
// there before.
// TestLockedIndexStays: an index that another process has locked is not replaced by an empty one.
func TestLockedIndexStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "search.db")
	x, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.db.Exec("PRAGMA journal_mode=delete; PRAGMA locking_mode=exclusive; UPDATE fact SET value = value"); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Open(t.Context(), path); err == nil {
		other.Close()
		t.Error("a locked index was opened")
	} else if Damaged(err) {
		t.Errorf("a locked index counts as damaged: %v", err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the locked index was replaced, error %v", err)
	}
}

func TestSeveral(t *testing.T) {
	t.Parallel()
	s := talks{"a": {said(agent.RoleUser, "first zebra")}}
	x := newIndex(t)
	mustUpdate(t, x, s)
	y, err := Open(context.Background(), x.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	s["b"] = []agent.Message{said(agent.RoleUser, "second zebra")}
	reading, goOn := make(chan bool), make(chan bool)
	slow := slowSource{s, reading, goOn}
	ended := make(chan error)
	go func() {
		_, err := x.Update(context.Background(), s.entries(), slow, nil, nil)
		ended <- err
	}()
	<-reading
	if got := found(t, y, "zebra", Filter{}); !slices.Equal(got, []string{"a#1"}) {
		t.Errorf("while it is written: %q", got)
	}
	if _, err := y.Update(context.Background(), s.entries(), s, nil, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("two writers: %v", err)
	}
	close(goOn) // only now: what waited for the writer would wait for ever
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := found(t, y, "zebra", Filter{}); len(got) != 2 {
		t.Errorf("after it was written: %q", got)
	}
}

type slowSource struct {
	talks
	reading, goOn chan bool
}

func (s slowSource) Lines(ctx context.Context, e Entry, from int64) iter.Seq2[Line, error] {
	s.reading <- true
	<-s.goOn
	return s.talks.Lines(ctx, e, from)
}

// What was read when somebody broke it off is there, and the rest is read the next
// time.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	s := talks{}
	for i := range 20 {
		for j := range 300 {
			s[fmt.Sprint("s", i)] = append(s[fmt.Sprint("s", i)], said(agent.RoleUser, fmt.Sprint("zebra ", i, " ", j)))
		}
	}
	x := newIndex(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := x.Update(ctx, s.entries(), s, map[string]string{"f": "v"}, func(p Progress) {
		if p.Sessions == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	pending, _, _, err := x.Pending(context.Background(), s.entries())
	if err != nil || len(pending) == 0 || len(pending) > 17 {
		t.Fatalf("%d of 20 are left to read, %v", len(pending), err)
	}
	mustUpdate(t, x, s)
	var said, docs int
	if err := x.db.QueryRow("SELECT (SELECT count(*) FROM said WHERE id & 0xffffff > 0), (SELECT sum(docs) FROM part)").Scan(&said, &docs); err != nil || said != 6000 || docs < 6000 {
		t.Errorf("%d of 6000 messages, %d documents, %v", said, docs, err)
	}
	if a := answer(t, x, "zebra AND 17 AND 299", Filter{Session: []string{"s17"}}); a.Matches != 1 {
		t.Errorf("%d messages found instead of one", a.Matches)
	}
}

// An entry that cannot be read does not keep the others out, and is tried again.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	s := talks{"a": {said(agent.RoleUser, "first zebra")}, "b": {said(agent.RoleUser, "second zebra")}}
	x := newIndex(t)
	u, err := x.Update(context.Background(), s.entries(), failing{s}, nil, nil)
	if err != nil || len(u.Failed) != 1 || u.Failed["a"] == nil {
		t.Fatalf("got %v, %v", u.Failed, err)
	}
	if got := found(t, x, "zebra", Filter{}); !slices.Equal(got, []string{"b#1"}) {
		t.Errorf("got %q", got)
	}
	mustUpdate(t, x, s)
	if got := found(t, x, "zebra", Filter{}); len(got) != 2 {
		t.Errorf("the next time: %q", got)
	}
}

type failing struct{ talks }

func (s failing) Lines(ctx context.Context, e Entry, from int64) iter.Seq2[Line, error] {
	if e.Name != "a" {
		return s.talks.Lines(ctx, e, from)
	}
	return func(yield func(Line, error) bool) { yield(Line{}, errors.New("the disk is broken")) }
}

// What is long is searched at its beginning and, a tool's answer, at its end.
func TestBounds(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	long := strings.Repeat("x ", 100_000)
	mustUpdate(t, x, talks{"s": {
		said(agent.RoleTool, "beginning "+long+" middle "+long+" ending"),
		called("Write", map[string]any{"file_path": "/a/b.go", "content": "opening " + long + " closing"}),
	}})
	for query, want := range map[string]bool{"beginning": true, "ending": true, "middle": false, "opening": true, "closing": false} {
		if got := found(t, x, query, Filter{}); (len(got) > 0) != want {
			t.Errorf("%s: %q", query, got)
		}
	}
}

// What our own server answered in an earlier session is not found again, nor what it was asked.
func TestOwnAnswersAreNotFound(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	named := said(agent.RoleTool, "Nothing about zebras was found.")
	named.ToolName = "mcp__entire__recall"
	mustUpdate(t, x, talks{"s1": {said(agent.RoleUser, "Stripe the zebra")}, "s2": {
		said(agent.RoleUser, "How did we stripe it?"),
		called("mcp__entire__recall", map[string]any{"query": "stripe zebra"}),
		said(agent.RoleTool, "Wall time: 1 s\nOutput:\n"+mcp.DataNote+"s1#1  user\n> Stripe the zebra\n"),
		named,
		called("recall", map[string]any{"query": "zebra"}),
		said(agent.RoleTool, "cat zebra.txt"),
		{UUID: "both", Role: agent.RoleAssistant, Content: "I ask.", Timestamp: day, ToolCalls: []agent.ToolUse{
			{ID: "1", Name: "entire_why", Input: json.RawMessage(`{"file": "giraffe.go"}`)}, {ID: "2", Name: "Read", Input: json.RawMessage(`{"file": "gnu.go"}`)}}},
	}})
	for query, want := range map[string]string{"zebra": "s1#1 s2#6", "giraffe": "", "gnu": "s2#7"} {
		got := found(t, x, query, Filter{})
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %s", query, got, want)
		}
	}
}

// FuzzMessage: any bytes may stand in a log.
func FuzzMessage(f *testing.F) {
	good, _ := json.Marshal(called("Bash", map[string]any{"command": "ls", "list": []any{1, "two"}}))
	f.Add(good)
	f.Add([]byte(`{"role":1,"content":{},"tool_calls":[1,{"input":"x"}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		d, ok := message(bytes.Clone(line))
		if ok && d.text == "" && d.more == "" {
			t.Error("a message without text")
		}
		newVocabulary().appendNumbers(nil, d.text+d.more+d.files)
	})
}

// What was removed is in no page of the files, whether free or still in use.
func TestScrubLeavesNoWordOfWhatWasRemoved(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	s := talks{"kept": {said(agent.RoleUser, "bogotanium")}}
	for i := range 40 {
		s[fmt.Sprintf("s%d", i)] = []agent.Message{said(agent.RoleUser, "zanzibarium "+strings.Repeat(fmt.Sprintf("word%d ", i), 2000))}
		mustUpdate(t, x, s)
	}
	if !inFiles(t, x.Path(), "zanzibarium") {
		t.Fatal("the word is not in the index")
	}
	s = talks{"kept": s["kept"]}
	if u := mustUpdate(t, x, s); len(u.Removed) != 40 {
		t.Fatalf("removed %d", len(u.Removed))
	}
	if err := x.Scrub(context.Background()); err != nil {
		t.Fatal(err)
	}
	if inFiles(t, x.Path(), "zanzibarium") || !inFiles(t, x.Path(), "bogotanium") {
		t.Error("the files hold what was removed, or not what was kept")
	}
	if got := found(t, x, "bogotanium", Filter{}); !slices.Equal(got, []string{"kept#1"}) {
		t.Errorf("found %q", got)
	}
	if was, err := Drop(x.Path()); !was || err != nil || inFiles(t, x.Path(), "bogotanium") {
		t.Errorf("dropped %v, %v", was, err)
	}
}

// inFiles reports whether a word stands in the index's file or in one beside it.
func inFiles(t *testing.T, path, word string) bool {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && bytes.Contains(data, []byte(word))
	})
}
