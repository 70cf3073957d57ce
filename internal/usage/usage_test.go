package usage

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var lines = []string{
	`{"uuid":"u1","timestamp":"2026-03-01T10:00:00Z","role":"user","content":"ask \"usage\":{"}`,
	`{"uuid":"a1","timestamp":"2026-03-01T10:00:01Z","role":"assistant","content":"","model":"m","message_id":"msg_1","usage":{"input_tokens":10,"cache_creation_tokens":5,"cache_read_tokens":100,"output_tokens":1,"api_call_count":1}}`,
	`{"uuid":"a2","timestamp":"2026-03-01T10:00:02Z","role":"assistant","content":"hi","model":"m","message_id":"msg_1","usage":{"input_tokens":0,"cache_creation_tokens":0,"cache_read_tokens":0,"output_tokens":41,"api_call_count":0}}`,
	`{"uuid":"a3","timestamp":"2026-03-01T10:00:03Z","role":"assistant","content":"sub","model":"n","message_id":"msg_2","agent_id":"x","usage":{"input_tokens":1,"cache_creation_tokens":0,"cache_read_tokens":0,"output_tokens":2,"api_call_count":1}}`,
	`not JSON`,
}

func read(t *testing.T, l *Log, from int, gone ...int) {
	t.Helper()
	for i := from; i < len(lines); i++ {
		rewound := false
		for _, n := range gone {
			rewound = rewound || n == i
		}
		if err := l.AddLine([]byte(lines[i]), int64(i+1), rewound); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStreamed counts an answer that came in two messages once, and a subagent's apart.
func TestStreamed(t *testing.T) {
	var l Log
	read(t, &l, 0)
	if len(l.Answers) != 2 || len(l.Turns) != 1 || l.End != 5 {
		t.Fatalf("read %+v", l)
	}
	if got, want := l.Answers[0].Tokens, (Tokens{Input: 10, CacheWrite: 5, CacheRead: 100, Output: 42}); got != want {
		t.Errorf("the first answer has %+v, want %+v", got, want)
	}
	if a := l.Answers[1]; !a.Sub || a.Model != "n" || l.Answers[0].Sub {
		t.Errorf("the second answer is %+v", a)
	}
	read(t, &l, 1) // everything is reported again, as after a long time
	if got, want := l.Answers[0].Tokens, (Tokens{Input: 10, CacheWrite: 5, CacheRead: 100, Output: 42}); got != want || len(l.Answers) != 2 {
		t.Errorf("read twice, it has %+v in %d answers", got, len(l.Answers))
	}
}

// TestContinues stores a log after each line, and goes on from there.
func TestContinues(t *testing.T) {
	var whole Log
	read(t, &whole, 0, 1, 2)
	for cut := range lines {
		var part Log
		for i := range cut {
			if err := part.AddLine([]byte(lines[i]), int64(i+1), i == 1 || i == 2); err != nil {
				t.Fatal(err)
			}
		}
		data, err := part.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again Log
		if err := again.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		read(t, &again, cut, 1, 2)
		if d := cmp.Diff(whole, again, cmpopts.IgnoreUnexported(Log{}, Answer{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("stored after %d lines: %s", cut, d)
		}
		rewind := `{"uuid":"r","timestamp":"2026-03-01T11:00:00Z","role":"system","content":"","rewind":{"to":"u1"}}`
		if err := again.AddLine([]byte(rewind), 9, false); err != ErrRewound {
			t.Errorf("a rewind after a stored part: %v", err)
		}
	}
}

// TestCopied counts the answers of a copied session once, and those that it adds.
func TestCopied(t *testing.T) {
	var first, second Log
	read(t, &first, 0)
	read(t, &second, 0)
	more := `{"uuid":"a4","timestamp":"2026-03-01T12:00:00Z","role":"assistant","content":"","model":"m","message_id":"msg_3","usage":{"input_tokens":7,"cache_creation_tokens":0,"cache_read_tokens":0,"output_tokens":0,"api_call_count":1}}`
	if err := second.AddLine([]byte(more), 6, false); err != nil {
		t.Fatal(err)
	}
	of := func(l Log, fate Fate) (out []Counted) {
		for _, a := range l.Answers {
			out = append(out, Counted{Answer: a, Fate: fate, Keys: []Key{{Name: "x"}, {Name: "y"}}})
		}
		return out
	}
	all, repeated := Distinct([][]Counted{of(first, Rewound), of(second, Committed)})
	if len(all) != 3 || repeated != 2 {
		t.Fatalf("%d answers, %d repeated", len(all), repeated)
	}
	r := NewReport(all, Prices{Models: map[string]Price{"m": {Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2}}}, true)
	if r.Total.Total != 10+5+100+42+3+7 || r.ThrownAway.Total != 0 || r.Total.Unpriced != 3 || r.Total.Answers != 3 {
		t.Errorf("the report is %+v", r)
	}
	if got, want := r.Total.Cost, (10+420+10+10+7)/1e6; math.Abs(got-want) > 1e-12 {
		t.Errorf("it costs %v, want %v", got, want)
	}
	if x, y := r.Rows[0], r.Rows[1]; x.Total+y.Total != r.Total.Total || x.Tokens.Add(y.Tokens) != r.Total.Tokens {
		t.Errorf("the rows do not add up: %+v", r.Rows)
	}
	if d := cmp.Diff([]string{"n"}, r.Unpriced); d != "" {
		t.Error(d)
	}
}

func TestPrices(t *testing.T) {
	p, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"claude-opus-4-6", "claude-sonnet-4-5-20250929", "anthropic/claude-opus-4-6", "claude-opus-4-6[1m]", "claude-haiku-4-5@20251001", "gpt-5.2-codex", "gpt-5-2025-08-07", "gemini-2.5-pro"} {
		if _, ok := p.Of(name); !ok {
			t.Errorf("%s has no price", name)
		}
	}
	for _, name := range []string{"", "claude", "gpt-5-unknown", "scripted-model", "gpt-5-2025"} {
		if price, ok := p.Of(name); ok {
			t.Errorf("%q costs %+v", name, price)
		}
	}
	price, _ := p.Of("claude-opus-4-6")
	if got := price.Cost(Tokens{Input: 1e6, CacheRead: 1e6, CacheWrite: 2e6, HourWrite: 1e6, Output: 1e6}); math.Abs(got-(5+0.5+6.25+10+25)) > 1e-9 {
		t.Errorf("a million of each costs %v", got)
	}
	long, _ := p.Of("claude-sonnet-4-5")
	if got, want := long.Cost(Tokens{Input: 200_001}), 200_001*6/1e6; math.Abs(got-want) > 1e-9 {
		t.Errorf("a long prompt costs %v, want %v", got, want)
	}
	at, _ := time.Parse(time.DateOnly, p.Date)
	if p.Stale(at.Add(staleAfter)) || !p.Stale(at.Add(staleAfter+time.Hour)) {
		t.Error("the age is judged wrongly")
	}
	if _, err := ParsePrices([]byte(`{"date":"2026-01-01","models":{"m":{"input":-1}}}`)); err == nil {
		t.Error("a negative price is accepted")
	}
	over := Prices{Models: map[string]Price{"mine": {Input: 1}}}.Over(p)
	if _, ok := over.Of("mine"); !ok || over.Date != p.Date || len(over.Models) != len(p.Models)+1 {
		t.Error("a table does not cover another")
	}
}

func FuzzStored(f *testing.F) {
	var l Log
	for i, line := range lines {
		l.AddLine([]byte(line), int64(i), false)
	}
	data, _ := l.MarshalBinary()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var l Log
		if l.UnmarshalBinary(data) != nil {
			return
		}
		if _, err := l.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var l Log
		l.AddLine(line, 1, false)
		for _, a := range l.Answers {
			if a.Tokens == (Tokens{}) {
				t.Fatal("an answer without tokens")
			}
		}
	})
}
