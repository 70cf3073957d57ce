package metadata

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/checkpoint/chunk"
	"entire/id"
)

var folderID = id.MustCheckpointID("a3b2c4d5e6f7")

// TestKnownKeys keeps the tables of known fields in step with the types.
func TestKnownKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		doc  any
		keys []string
	}{{CommittedMetadata{}, metadataKeys}, {CheckpointSummary{}, summaryKeys}} {
		var tags []string
		typ := reflect.TypeOf(tt.doc)
		for i := range typ.NumField() {
			if tag, ok := typ.Field(i).Tag.Lookup("json"); ok {
				name, _, _ := strings.Cut(tag, ",")
				tags = append(tags, name)
			}
		}
		slices.Sort(tags)
		if !slices.Equal(tags, tt.keys) {
			t.Errorf("%s: keys %v, want %v", typ, tt.keys, tags)
		}
	}
}

func TestDocumentStyle(t *testing.T) {
	t.Parallel()
	got, err := chunk.EncodeDocument(CommittedMetadata{CheckpointID: folderID, SessionID: "<s>&", CreatedAt: time.Date(2026, 2, 9, 12, 0, 0, 123456789, time.UTC)})
	want := "{\n  \"checkpoint_id\": \"a3b2c4d5e6f7\",\n  \"session_id\": \"\\u003cs\\u003e\\u0026\",\n  \"strategy\": \"\",\n" +
		"  \"created_at\": \"2026-02-09T12:00:00.123456789Z\",\n  \"checkpoints_count\": 0,\n  \"files_touched\": null\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzCommittedMetadata(f *testing.F) {
	f.Add([]byte(`{"checkpoint_id":"a3b2c4d5e6f7","session_id":"s","x":1,"created_at":"2026-01-26T19:01:43.299851+01:00"}`))
	f.Add([]byte(`{"token_usage":{"subagent_tokens":{}},"Summary":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzDocument(t, data, &CommittedMetadata{}, &CommittedMetadata{}) })
}

func FuzzCheckpointSummary(f *testing.F) {
	f.Add([]byte(`{"checkpoint_id":"a3b2c4d5e6f7","sessions":[{"metadata":"/a3/b2c4d5e6f7/2/metadata.json"}],"migration_source_commit":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzDocument(t, data, &CheckpointSummary{}, &CheckpointSummary{}) })
}

// fuzzDocument checks that what can be read is written and read the same again.
func fuzzDocument(t *testing.T, data []byte, doc, again any) {
	if chunk.DecodeDocument(data, doc) != nil {
		return
	}
	first, err := chunk.EncodeDocument(doc)
	if err != nil {
		return // a time that RFC 3339 cannot write
	}
	if err := chunk.DecodeDocument(first, again); err != nil {
		t.Fatalf("%v: %s", err, first)
	}
	second, err := chunk.EncodeDocument(again)
	if err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%s\nbecame %s, %v", first, second, err)
	}
	var all, kept map[string]json.RawMessage
	if json.Unmarshal(data, &all) == nil && json.Unmarshal(second, &kept) == nil {
		for name := range all {
			if _, ok := kept[name]; !ok && !slices.Contains(metadataKeys, folded(name)) && !slices.Contains(summaryKeys, folded(name)) {
				t.Fatalf("%q is lost", name)
			}
		}
	}
}

// FuzzBriefly looks for documents that the whole decoding takes and the brief one
// does not, or that make it panic.
func FuzzBriefly(f *testing.F) {
	for _, seed := range []string{`{}`, `{"sessions":[{"metadata":"/a/0"}]}`, `{"session_id":"s","is_task":true}`, `[`, `"x"`, `{"sessions":[1,"2"]}`, "\uFEFF{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var sum, wholeSum CheckpointSummary
		if err := decodeBriefly(data, &sum); err != nil && chunk.DecodeDocument(data, &wholeSum) == nil {
			t.Errorf("summary %q: %v", data, err)
		}
		var meta, wholeMeta CommittedMetadata
		if err := decodeBriefly(data, &meta); err != nil && chunk.DecodeDocument(data, &wholeMeta) == nil {
			t.Errorf("session %q: %v", data, err)
		}
	})
}
