package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/agent"
)

// At is the time of the events that DecodeAll compares.
var At = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// DecodeAll decodes golden payloads, one a line of the form {"verb":…,"payload":…}, and compares each
// event with the one of the same number, without what every event of the file shares: common sets that.
func DecodeAll(t *testing.T, ag agent.Agent, golden []byte, want []agent.Event, common func(*agent.Event)) {
	t.Helper()
	seen := map[string]bool{}
	n := 0
	agent.EachFinalLine(golden, func(line []byte) {
		var call struct {
			Verb    string
			Payload json.RawMessage
		}
		if err := json.Unmarshal(line, &call); err != nil {
			t.Fatalf("golden payload %d: %v", n, err)
		}
		seen[call.Verb] = true
		got, err := ag.Decode(call.Verb, call.Payload, At)
		if err != nil {
			t.Fatalf("payload %d, %s: %v", n, call.Verb, err)
		}
		if n >= len(want) {
			t.Fatalf("payload %d, %s: no event is expected; it is %+v", n, call.Verb, got)
		}
		if exp := want[n]; exp.Type != "" {
			common(&exp)
			exp.Agent, exp.Time = ag.Name(), At
			if !reflect.DeepEqual(got, exp) {
				t.Errorf("payload %d, %s:\n got %+v\nwant %+v", n, call.Verb, got, exp)
			}
		} else if got.Type != "" {
			t.Errorf("payload %d, %s: it is no event, but %+v came", n, call.Verb, got)
		}
		n++
	})
	if n != len(want) {
		t.Errorf("%d payloads, %d events expected", n, len(want))
	}
	for _, verb := range ag.Verbs() {
		if !seen[verb] {
			t.Errorf("no golden payload for %s", verb)
		}
		for _, bad := range []string{"", "[]", "{", "null", `"x"`, `{"cwd":"/w"}`, `{"session_id":"../up"}`} {
			if ev, err := ag.Decode(verb, []byte(bad), At); err == nil && ev.Type != "" {
				t.Errorf("%s with payload %q is %+v, no error", verb, bad, ev)
			}
		}
		wrong := `{"session_id":"s1","cwd":7,"transcript_path":[],"prompt":{},"tool_name":1,"tool_input":"x","tool_use_id":2,"agent_id":[],"background_tasks":3,"source":{},"reason":[]}`
		if _, err := ag.Decode(verb, []byte(wrong), At); err != nil {
			t.Errorf("%s with fields of the wrong type: %v", verb, err)
		}
	}
	if _, err := ag.Decode("no-such-verb", []byte(`{}`), At); !errors.Is(err, agent.ErrUnknownVerb) {
		t.Errorf("an unknown verb: %v", err)
	}
}

// RoundTrips checks that the hooks are added once and leave every file as it was.
func RoundTrips(t *testing.T, ag agent.Agent) {
	t.Helper()
	path := ag.Profile().HookFile()
	for name, src := range map[string][]byte{
		"no file":          nil,
		"an empty file":    []byte("{}\n"),
		"white space":      []byte("\n"),
		"foreign settings": []byte("{\n    \"theme\": \"dark\",\n    \"list\": [1, 2]\n}\n"),
		"foreign hooks":    []byte("{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./lint.sh\"}]}],\n\t\"Other\": []}, \"z\": null}"),
		"a byte order":     []byte("\ufeff{\r\n  \"a\": true\r\n}\r\n"),
	} {
		out, added, err := ag.Install(path, src, agent.InstallOptions{})
		if err != nil || added == 0 || !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) {
			t.Fatalf("%s: install: added %d, %v\n%s", name, added, err, out)
		}
		if !ag.Installed(out) || ag.Installed(src) {
			t.Errorf("%s: Installed is wrong", name)
		}
		again, more, err := ag.Install(path, out, agent.InstallOptions{})
		if err != nil || more != 0 || !bytes.Equal(again, out) {
			t.Errorf("%s: a second install added %d, %v", name, more, err)
		}
		for _, verb := range ag.Verbs() {
			if strings.Contains(string(out), verb+`"`) && !strings.Contains(string(out), "entire hooks "+string(ag.Name())+" "+verb+`"`) {
				t.Errorf("%s: the hook of %s has another command", name, verb)
			}
		}
		back, removed, err := ag.Uninstall(path, out)
		if err != nil || removed != added || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
			t.Errorf("%s: uninstall removed %d of %d, %v\n%q\nwant\n%q", name, removed, added, err, back, src)
		}
	}
	if _, _, err := ag.Install(path, []byte("{ // no\n}"), agent.InstallOptions{}); err == nil {
		t.Error("settings with comments were accepted")
	}
}

// RecordsOf returns the records of a transcript's lines and fails on a line that cannot be read.
func RecordsOf(t testing.TB, r agent.RecordReader, transcript []byte) []agent.Record {
	t.Helper()
	var out []agent.Record
	agent.EachFinalLine(transcript, func(line []byte) {
		records, ok := r.Records(line)
		if !ok {
			t.Errorf("cannot read %.200s", line)
		}
		out = append(out, records...)
	})
	return out
}

// FuzzReader fuzzes a reader of records with the lines of a transcript: it must not panic, must give the same
// records twice, and must not keep the line.
func FuzzReader(f *testing.F, r agent.RecordReader, transcript []byte) {
	agent.EachFinalLine(transcript, func(line []byte) {
		f.Add(bytes.Clone(line))
		f.Add(bytes.Clone(line[:len(line)/2]))
	})
	f.Add([]byte(`{"type":7,"message":[],"payload":"x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		own := bytes.Clone(line)
		got, ok := r.Records(own)
		clear(own)
		again, okAgain := r.Records(line)
		if ok != okAgain || !reflect.DeepEqual(got, again) {
			t.Errorf("two readings differ:\n%+v\n%+v", got, again)
		}
		if o, has := r.(agent.Outliner); has {
			short, okShort := o.Outline(line)
			if ok != okShort || outlines(short) != outlines(got) {
				t.Errorf("the outline differs:\n%s\n%s", outlines(short), outlines(got))
			}
		}
		for _, one := range got {
			if _, err := json.Marshal(one); err != nil {
				t.Errorf("a record has no JSON form: %v", err)
			}
		}
	})
}

// outlines writes what agent.Outliner promises of records.
func outlines(records []agent.Record) string {
	var out strings.Builder
	for _, r := range records {
		fmt.Fprintf(&out, "%q", []any{r.Role, r.ID, r.Parent, r.NoParent, r.Continues, r.Summary, r.Time, r.Subagent, r.Injected, r.Answer})
		for _, p := range r.Parts {
			fmt.Fprintf(&out, " %q", []string{string(p.Kind), p.Call.ID, p.CallID})
		}
		out.WriteByte('\n')
	}
	return out.String()
}
