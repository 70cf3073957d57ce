//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/testrepo"
)

// answering returns a plug-in whose every answer is text.
func answering(t *testing.T, text string) *Plugin {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "answer"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Prefix+"test")
	testrepo.WriteScript(t, path, "#!/bin/sh\ncat >/dev/null\ncat '"+dir+"/answer'\n")
	return &Plugin{Name: "test", Path: path, Dir: dir, Environ: []string{"PATH=/usr/bin:/bin"}}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"version":1,"agent":"Mine","verbs":["stop"],"hook_files":[".mine/hooks"],"unknown":{}}`: "",
		`{"version":1,"verbs":["stop"]}`:                                    "",
		`{"version":2,"verbs":["stop"]}`:                                    "version 2",
		`{"verbs":["stop"]}`:                                                "version 0",
		`{"version":1}`:                                                     "no verbs",
		`{"version":1,"verbs":"stop"}`:                                      "cannot be read",
		`{"version":1,"verbs":["stop"],"agent":"a:b"}`:                      "no colon",
		`{"version":1,"verbs":["st op"]}`:                                   "one word",
		`{"version":1,"verbs":["stop"],"hook_files":["/etc/passwd"]}`:       "must be a path below",
		`{"version":1,"verbs":["stop"],"hook_files":["../x"]}`:              "must be a path below",
		`{"version":1,"verbs":["stop"],"hook_files":["a/../../x"]}`:         "must be a path below",
		`{"version":1,"verbs":["stop"],"hook_files":[".git/hooks/pre"]}`:    "must be a path below",
		`{"version":1,"verbs":["stop"],"programs":["../../bin/something"]}`: "one word",
		"":     "no JSON object",
		"[1]":  "no JSON object",
		"{\"a": "cannot be read",
	} {
		a, err := answering(t, answer).Adapter(t.Context())
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", answer, err)
		case want == "" && (a.Name() != "test" || a.Type() == "" || len(a.Verbs()) != 1):
			t.Errorf("%s: %q, %q, %q", answer, a.Name(), a.Type(), a.Verbs())
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", answer, err, want)
		}
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]agent.EventType{
		`{"event":"turn-end","session_id":"s1","response":"Done"}`: agent.TurnEnd,
		`{"event":"turn-start","session_id":"s1","prompt":5}`:      agent.TurnStart,
		`{}`:             "",
		`{"event":""}`:   "",
		`{"event":null}`: "",
	} {
		ev, err := answering(t, answer).Event(t.Context(), "stop", []byte("no JSON"), "/", time.Time{})
		if err != nil || ev.Type != want || want != "" && (ev.Agent != "test" || ev.AgentType != "test") {
			t.Errorf("%s: %+v, %v", answer, ev, err)
		}
	}
	for _, answer := range []string{`{"event":"no-such-event","session_id":"s1"}`, `{"event":"turn-end"}`, `{"event":"turn-end","session_id":"../x"}`, "null", "5"} {
		if ev, err := answering(t, answer).Event(t.Context(), "stop", nil, "/", time.Time{}); err == nil {
			t.Errorf("%s: %+v", answer, ev)
		}
	}
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	sid, err := id.ParseSessionID("s1")
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		"":   "",
		"\n": "",
		`{"role":"user","parts":[{"text":"Hi"}],"unknown":1}` + "\n\n" + `{"role":"assistant","model":"m"}`: `{"role":"user","parts":[{"text":"Hi"}]}` + "\n" + `{"role":"assistant","model":"m","parts":[]}` + "\n",
	} {
		if got, err := answering(t, answer).Transcript(t.Context(), agent.Event{SessionID: sid}); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", answer, got, err)
		}
	}
	for _, answer := range []string{"Hello", `{"role":"user"`, `{"parts":"x"}`, "{}\n[1]"} {
		if got, err := answering(t, answer).Transcript(t.Context(), agent.Event{SessionID: sid}); err == nil || got != nil {
			t.Errorf("%s: %q, %v", answer, got, err)
		}
	}
}

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"mine": true, "my-agent-2": true, "": false, "-x": false, "a/b": false, "..": false, "A": false, "a b": false, strings.Repeat("a", 41): false} {
		if ValidName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// FuzzRecordLine proves that a line of a transcript is a record that is written again alike, or refused.
func FuzzRecordLine(f *testing.F) {
	for _, seed := range []string{`{"role":"user","parts":[{"text":"Hi"}]}`, `{"parts":[{"kind":"call","call":{"id":"1","name":"x","input":{"a":1}}}]}`, "{}", "x", `{"usage":{"output_tokens":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		once, err := recordLine(line)
		if err != nil {
			return
		}
		if strings.Count(string(once), "\n") != 1 {
			t.Fatalf("%q is not one line", once)
		}
		twice, err := recordLine(once)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%q, then %q, %v", once, twice, err)
		}
	})
}
