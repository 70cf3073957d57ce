package agents_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/internal/testrepo"
)

// transcriptOf returns a transcript of an agent in lines, from the golden files of its own tests.
func transcriptOf(t *testing.T, ag agent.Agent) []byte {
	t.Helper()
	path, known := map[agent.AgentName]string{
		"claude-code": "../../testdata/transcripts/claude-code.jsonl", "gemini": "../../testdata/agents/gemini/session-new.jsonl",
		"codex": "../codex/testdata/rollout.jsonl", "opencode": "../opencode/testdata/turn-end.json", "kilo": "../opencode/testdata/turn-end.json",
		"qwen": "../qwen/testdata/transcript.jsonl", "copilot": "../copilot/testdata/events.jsonl", "pi": "../pi/testdata/session.jsonl",
		"cline": "../cline/testdata/s1.messages.json", "droid": "../droid/testdata/session.jsonl", "cursor": "../cursor/testdata/session.jsonl",
		"generic": "../../testdata/agents/generic/transcript.jsonl",
	}[ag.Name()]
	if !known {
		t.Fatalf("no transcript of %s is named here", ag.Name())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if keeper, is := ag.(agent.DocumentKeeper); is {
		text, _ = keeper.Lines(agenttest.Session(t, "s1"), map[string][]byte{filepath.Base(path): text})
	}
	if filepath.Base(path) == "turn-end.json" {
		ev, err := ag.Decode("turn-end", text, agenttest.HookTime)
		if err != nil {
			t.Fatal(err)
		}
		text = ev.Lines
	}
	if c := conversation.Read(ag.Type(), text); len(c.Prompts) == 0 || c.LastAssistant == "" {
		t.Fatalf("the transcript of %s says nothing: %+v", ag.Name(), c)
	}
	return text
}

// read reads a line with everything that reads lines.
func read(t *testing.T, ag agent.Agent, line []byte) {
	t.Helper()
	if r, is := ag.(agent.RecordReader); is {
		records, _ := r.Records(line)
		for _, record := range records {
			if _, err := json.Marshal(record); err != nil {
				t.Errorf("a record of %.200q has no JSON form: %v", line, err)
			}
		}
	}
	c := conversation.Read(ag.Type(), line)
	for _, text := range append(slices.Clone(c.Prompts), c.LastAssistant) {
		if !utf8.ValidString(text) {
			t.Errorf("%.200q: %.50q is no text", line, text)
		}
	}
	for _, m := range conversation.NewNormalizer(ag.Type()).AddLine(nil, line) {
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("a message of %.200q has no JSON form: %v", line, err)
		}
	}
	conversation.ReadLine(ag.Type(), line).Patched()
}

// TestBadLines gives the readers of every adapter lines that are torn, of the wrong types or with bytes that are no
// text. What they cannot read costs no other line.
func TestBadLines(t *testing.T) {
	t.Parallel()
	for _, ag := range agents.All() {
		t.Run(string(ag.Name()), func(t *testing.T) {
			t.Parallel()
			text := transcriptOf(t, ag)
			want := conversation.Read(ag.Type(), text)
			for line := range bytes.Lines(text) {
				line = bytes.TrimSpace(line)
				for at := 0; at < len(line); at += max(1, len(line)/60) {
					read(t, ag, line[:at])
				}
				for _, with := range []string{"\x00", "\xff", `\u0000`, `\ud800`, "\u2028"} {
					read(t, ag, bytes.ReplaceAll(line, []byte(" "), []byte(with)))
				}
				eachValue(gjson.ParseBytes(line), func(v gjson.Result) {
					for _, wrong := range []string{"null", "true", "-7", "1e300", `""`, "[]", "{}", `[[{"a":null}]]`, `{"text":{}}`} {
						read(t, ag, slices.Concat(line[:v.Index], []byte(wrong), line[v.Index+len(v.Raw):]))
					}
				})
			}
			bad := []byte("\x00\n{\n\xff\xfe\n[]\n7\nnull\n" + strings.Repeat("[", 10_000) + "\n\n{\"torn\":\"\n")
			got := conversation.Read(ag.Type(), slices.Concat(bad, text, bad))
			if !slices.Equal(got.Prompts, want.Prompts) || got.LastAssistant != want.LastAssistant || !reflect.DeepEqual(got.Usage(), want.Usage()) {
				t.Errorf("between bad lines:\n got %q, %q, %+v\nwant %q, %q, %+v", got.Prompts, got.LastAssistant, got.Usage(), want.Prompts, want.LastAssistant, want.Usage())
			}
		})
	}
}

// eachValue calls fn with every member and item of v, whose Index is its place in the line.
func eachValue(v gjson.Result, fn func(gjson.Result)) {
	if !v.IsObject() && !v.IsArray() {
		return
	}
	v.ForEach(func(_, inner gjson.Result) bool {
		fn(inner)
		eachValue(inner, fn)
		return true
	})
}

// TestLongTranscripts reads a file of 8 MB and a line of 3 MB with every adapter (in `make full`, of 100 MB and 10 MB): all of
// it, and of the file at most half is kept in memory.
func TestLongTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 11 MB or more for every adapter")
	}
	for _, ag := range agents.All() {
		t.Run(string(ag.Name()), func(t *testing.T) {
			text := transcriptOf(t, ag)
			want := conversation.Read(ag.Type(), text)
			path := filepath.Join(t.TempDir(), "long.jsonl")
			size := repeated(t, path, text, int64(testrepo.Amount(8, 100))<<20)
			c, read, peak := readFile(t, ag.Type(), path)
			if read != size || c.LastAssistant != want.LastAssistant || len(c.Prompts) == 0 {
				t.Errorf("%d of %d bytes, the last answer %q, want %q", read, size, c.LastAssistant, want.LastAssistant)
			}
			if peak > uint64(size)/2 {
				t.Errorf("reading %d MB took %d MB", size>>20, peak>>20)
			}

			long := longLine(t, ag, text)
			size = repeated(t, path, slices.Concat(long, text), 1)
			if c, read, peak = readFile(t, ag.Type(), path); read != size || c.LastAssistant != want.LastAssistant || len(c.Prompts) < len(want.Prompts) {
				t.Errorf("after a line of %d MB: %d of %d bytes, %d prompts, the last answer %q", len(long)>>20, read, size, len(c.Prompts), c.LastAssistant)
			}
			if peak > 20*uint64(len(long)) {
				t.Errorf("a line of %d MB took %d MB", len(long)>>20, peak>>20)
			}
		})
	}
}

// repeated writes text to a file until it has at least size bytes, and returns how many it has.
func repeated(t *testing.T, path string, text []byte, size int64) (written int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for written < size {
		n, _ := w.Write(append(bytes.TrimSpace(text), '\n'))
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return written
}

// readFile reads a transcript line by line, as hooks do, and returns the most memory that was in use for it.
func readFile(t *testing.T, kind agent.AgentType, path string) (c *conversation.Conversation, read int64, peak uint64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, unseen := m.HeapAlloc, 0
	c = conversation.NewConversation(kind)
	read, err = agent.Lines(bufio.NewReaderSize(f, 256<<10), func(line []byte) error {
		c.AddLine(line)
		if unseen += len(line); unseen > 2<<20 || len(line) > 1<<20 {
			if len(line) <= 1<<20 {
				runtime.GC() // what is kept counts, and of a long line what it takes for a moment
			}
			unseen = 0
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc-min(before, m.HeapAlloc))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, read, peak
}

// longLine returns a line of the transcript with one text of 3 MB, or of 10.
func longLine(t *testing.T, ag agent.Agent, text []byte) []byte {
	t.Helper()
	long := []byte(strings.Repeat(`0123456789abcde\n`, testrepo.Amount(3, 10)<<20/17))
	for line := range bytes.Lines(text) {
		for _, key := range []string{`"text":"`, `"content":"`} {
			at := bytes.Index(line, []byte(key))
			if at < 0 {
				continue
			}
			if wrong := slices.Concat(line[:at+len(key)], long, line[at+len(key):]); json.Valid(wrong) {
				return wrong
			}
		}
	}
	t.Fatalf("no line of %s has a text", ag.Name())
	return nil
}
