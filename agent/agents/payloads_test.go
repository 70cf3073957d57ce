package agents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/internal/agenttest"
)

// payloads has a payload for each verb of every adapter: those that the programs sent, with other content, and, where
// no program could be run or none sent it, those of its documentation. UPDATE=1 writes the events beside them anew.
const payloads = "../../testdata/agents/payloads"

// TestPayloads decodes every payload and compares the event with the one beside it.
func TestPayloads(t *testing.T) {
	t.Parallel()
	for _, ag := range agents.All() {
		t.Run(string(ag.Name()), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(payloads, string(ag.Name()))
			calls, err := os.ReadFile(name + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			var events strings.Builder
			left := ag.Verbs()
			agent.EachFinalLine(calls, func(line []byte) {
				var call struct {
					Verb    string
					Payload json.RawMessage
				}
				if err := json.Unmarshal(line, &call); err != nil {
					t.Fatalf("%.100s: %v", line, err)
				}
				left = slices.DeleteFunc(left, func(verb string) bool { return verb == call.Verb })
				ev, err := ag.Decode(call.Verb, call.Payload, agenttest.HookTime)
				if err != nil {
					t.Errorf("%s: %v", call.Verb, err)
				}
				fmt.Fprintf(&events, "%s:%s\n", call.Verb, described(ev))
			})
			if len(left) > 0 {
				t.Errorf("no payload for %q", left)
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(name+".events", []byte(events.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".events")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), events.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// described returns the fields of an event that are set, but not the time of the hook.
func described(ev agent.Event) string {
	var out strings.Builder
	if ev.Time.Equal(agenttest.HookTime) {
		ev.Time = time.Time{}
	}
	v := reflect.ValueOf(ev)
	for i := range v.NumField() {
		if field := v.Field(i); !field.IsZero() {
			switch value := field.Interface().(type) {
			case json.RawMessage:
				fmt.Fprintf(&out, " %s=%s", v.Type().Field(i).Name, value)
			case time.Time:
				fmt.Fprintf(&out, " %s=%s", v.Type().Field(i).Name, value.UTC().Format(time.RFC3339Nano))
			case agent.TokenUsage:
				fmt.Fprintf(&out, " %s=%+v", v.Type().Field(i).Name, value)
			case bool:
				fmt.Fprintf(&out, " %s", v.Type().Field(i).Name)
			case []byte, string, fmt.Stringer:
				fmt.Fprintf(&out, " %s=%q", v.Type().Field(i).Name, value)
			default:
				fmt.Fprintf(&out, " %s=%+q", v.Type().Field(i).Name, value)
			}
		}
	}
	if out.Len() == 0 {
		return " nothing"
	}
	return out.String()
}
