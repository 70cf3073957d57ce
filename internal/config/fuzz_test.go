package config

import (
	"encoding/json"
	"reflect"
	"testing"
)

var fuzzSeeds = []string{
	`{}`, "", "\n", `{"enabled":false}`, `{"enabled":false,"enabled":true}`, `{"strategy":"a\u003cb","strategy_options":{"push_sessions":false}}`,
	`{"enabled":0,"strategy":[],"local_dev":{},"telemetry":""}`, "\uFEFF{ \"enabled\" : null }", `[{}]`, `{"a":"\"}{","enabled":false}`,
	`{"strategy_options":{"summarize":{"enabled":true},"commit_linking":"prompt"}}`, `{"enabled":tru}`, `{"":{"":[]}}`,
}

// FuzzLoad compares the reader with encoding/json.
func FuzzLoad(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		object, err := decode(data)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(object), &want); err != nil {
			t.Fatalf("accepted %q: %v", data, err)
		}
		s := defaults()
		s.merge(object, Local)
		s.PushSessions()
		s.Summarize()
		s.CommitLinking()
		if got, want := s.Enabled, string(want[keyEnabled]) != "false"; got != want {
			t.Errorf("enabled %v, want %v in %q", got, want, object)
		}
		if got, want := s.LocalDev, string(want[keyLocalDev]) == "true"; got != want {
			t.Errorf("local_dev %v, want %v in %q", got, want, object)
		}
		if s.Strategy == "" {
			t.Errorf("no strategy from %q", object)
		}
	})
}

// FuzzEdit checks that an edit keeps the file JSON and the other keys as they
// are.
func FuzzEdit(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseFile(data)
		if err != nil {
			return
		}
		before := decodeMap(t, file.object)
		if len(before) != len(members(file.object)) {
			return // equal keys, or keys equal once decoded: nothing to compare with
		}
		if err := file.Set(keyEnabled, true); err != nil {
			t.Fatal(err)
		}
		before[keyEnabled] = json.RawMessage("true")
		if !json.Valid([]byte(file.object)) {
			t.Fatalf("%q became %q", data, file.bytes())
		}
		if after := decodeMap(t, file.object); !reflect.DeepEqual(after, before) {
			t.Fatalf("%q became %q", data, file.bytes())
		}
	})
}

func decodeMap(t *testing.T, object string) map[string]json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		t.Fatalf("%q: %v", object, err)
	}
	return m
}
