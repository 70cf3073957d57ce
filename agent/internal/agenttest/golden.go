package agenttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/id"
)

// A DecodeRow is a payload of a verb, and what Decode makes of it. The fields that all rows share
// (Agent, AgentType and, if zero, Time) are filled in.
type DecodeRow struct {
	Verb, Payload string
	Want          agent.Event // AgentType is the adapter's own if it is ""
}

// Decode tests an adapter with payloads: at least one for every verb.
func Decode(t *testing.T, a agent.Agent, rows map[string]DecodeRow) {
	t.Helper()
	tested := map[string]bool{}
	for name, row := range rows {
		tested[row.Verb] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := a.Decode(row.Verb, []byte(row.Payload), HookTime)
			if err != nil {
				t.Fatal(err)
			}
			want := row.Want
			if want.Type != "" {
				if want.Agent = a.Name(); want.Time.IsZero() {
					want.Time = HookTime
				}
				if want.AgentType == "" {
					want.AgentType = a.Type()
				}
			}
			same := cmp.Comparer(func(a, b id.SessionID) bool { return a == b })
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, v := range a.Verbs() {
		if !tested[v] {
			t.Errorf("no payload for %s", v)
		}
	}
}

// Refuses tests that an adapter gives one error for input that it cannot use, and never panics.
func Refuses(t *testing.T, a agent.Agent) {
	t.Helper()
	for _, v := range a.Verbs() {
		for _, bad := range []string{"", "{", "[]", "null", `"x"`, `{"session_id":"../../x"}`, `{"sessionId":"a/b"}`, `{"conversation_id":".."}`, strings.Repeat("[", 10_000)} {
			if ev, err := a.Decode(v, []byte(bad), HookTime); err == nil && ev.Type != "" {
				t.Errorf("%s: %.40q is taken as %+v", v, bad, ev)
			}
		}
	}
	if _, err := a.Decode("no-such-verb", []byte(`{}`), HookTime); err == nil {
		t.Error("an unknown verb is accepted")
	}
}

// Records returns a transcript's records as text, one line for each, for a comparison.
func Records(t testing.TB, r agent.RecordReader, transcript []byte) string {
	t.Helper()
	var b strings.Builder
	agent.EachFinalLine(transcript, func(line []byte) {
		records, ok := r.Records(line)
		if !ok {
			b.WriteString("unreadable\n")
		}
		for i := range records {
			writeRecord(&b, &records[i])
		}
	})
	return b.String()
}

func writeRecord(b *strings.Builder, r *agent.Record) {
	fmt.Fprintf(b, "%s %s", r.Role, r.ID)
	for _, f := range []struct{ name, value string }{{"parent", r.Parent}, {"sub", r.Subagent}, {"model", r.Model}, {"version", r.Version}, {"answer", r.Answer}} {
		if f.value != "" {
			fmt.Fprintf(b, " %s:%s", f.name, f.value)
		}
	}
	if r.Usage != nil {
		u := *r.Usage
		if s := u.SubagentTokens; s != nil {
			fmt.Fprintf(b, " sub-used:[%d,%d,%d,%d,%d]", s.InputTokens, s.CacheReadTokens, s.CacheCreationTokens, s.OutputTokens, s.APICallCount)
		} else {
			fmt.Fprintf(b, " used:[%d,%d,%d,%d,%d]", u.InputTokens, u.CacheReadTokens, u.CacheCreationTokens, u.OutputTokens, u.APICallCount)
		}
	}
	if r.Injected {
		b.WriteString(" injected")
	}
	if r.Stopped {
		b.WriteString(" stopped")
	}
	b.WriteByte('\n')
	for i := range r.Parts {
		writePart(b, &r.Parts[i])
	}
}

func writePart(b *strings.Builder, p *agent.Part) {
	switch p.Kind {
	case agent.TextPart:
		fmt.Fprintf(b, "\ttext %q\n", p.Text)
	case agent.ThoughtPart:
		fmt.Fprintf(b, "\tthought %q\n", p.Text)
	case agent.CallPart:
		fmt.Fprintf(b, "\tcall %s %s", p.Call.ID, p.Call.Name)
		if p.Call.Command != "" {
			fmt.Fprintf(b, " $ %s", p.Call.Command)
		}
		for _, flag := range []struct {
			is   bool
			name string
		}{{p.Call.Background, "background"}, {p.Call.Starts, "starts"}, {p.Call.Reads, "reads"}} {
			if flag.is {
				b.WriteString(" " + flag.name)
			}
		}
		writeEdits(b, p.Call.Edits)
		if len(p.Call.Files) > 0 {
			fmt.Fprintf(b, " may write %q", p.Call.Files)
		}
		b.WriteByte('\n')
	case agent.ResultPart:
		fmt.Fprintf(b, "\tresult %s %q", p.CallID, p.Text)
		if p.Failed {
			b.WriteString(" failed")
		}
		if len(p.AgentIDs) > 0 {
			fmt.Fprintf(b, " agents %q", p.AgentIDs)
		}
		writeEdits(b, p.Edits)
		b.WriteByte('\n')
	case agent.FilesPart:
		fmt.Fprintf(b, "\tfiles %q\n", p.Files)
	}
}

func writeEdits(b *strings.Builder, edits []agent.Edit) {
	for _, e := range edits {
		fmt.Fprintf(b, " edits %s %q for %q", e.Path, e.Texts, e.Replaced)
	}
}

// GoldenRecords compares the records of testdata/NAME with testdata/NAME.records; with the variable
// UPDATE set, it writes that file.
func GoldenRecords(t *testing.T, r agent.RecordReader, name string) []byte {
	t.Helper()
	transcript, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	golden, got := filepath.Join("testdata", name+".records"), Records(t, r, transcript)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	return transcript
}
