package checkpoint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
)

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
	got, err := encodeDocument(CommittedMetadata{CheckpointID: cpA, SessionID: "<s>&", CreatedAt: noon})
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
	if decodeDocument(data, doc) != nil {
		return
	}
	first, err := encodeDocument(doc)
	if err != nil {
		return // a time that RFC 3339 cannot write
	}
	if err := decodeDocument(first, again); err != nil {
		t.Fatalf("%v: %s", err, first)
	}
	second, err := encodeDocument(again)
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

// FuzzFolder arranges a checkpoint of any documents and folder names.
func FuzzFolder(f *testing.F) {
	f.Add([]byte(`{"sessions":[{"metadata":"/a3/b2c4d5e6f7/2/metadata.json"},{"metadata":"../../x"}]}`), "0 2 7 x -1 01")
	f.Add([]byte(`{"session_id":"legacy"}`), "1 2")
	f.Fuzz(func(t *testing.T, doc []byte, names string) {
		folder := &folder{id: cpA}
		for _, name := range strings.Fields(names) {
			e := git.TreeEntry{Mode: git.ModeTree, Name: name}
			n, ok := slotNumber(e)
			if ok && !slices.ContainsFunc(folder.slots, func(s slot) bool { return s.number == n }) {
				folder.slots = append(folder.slots, slot{number: n, files: []git.TreeEntry{{Mode: git.ModeFile, Name: metadataName}}})
				folder.entries = append(folder.entries, e)
			}
		}
		present := len(folder.slots)
		folder.arrange(doc)
		if len(folder.slots) < present {
			t.Fatalf("%d slots of %d", len(folder.slots), present)
		}
		seen := map[int]bool{}
		for i := range folder.slots {
			s := &folder.slots[i]
			if seen[s.number] || folder.nextSlot() <= s.number {
				t.Fatalf("slot %d twice, or the next is %d", s.number, folder.nextSlot())
			}
			seen[s.number] = true
			if p := folder.paths(s); !strings.HasPrefix(p.Metadata, "/"+cpA.Path()+"/") {
				t.Fatalf("path %q", p.Metadata)
			}
		}
		if sum := folder.fullSummary(); len(sum.Sessions) != len(folder.slots) || sum.CheckpointID != cpA {
			t.Fatalf("summary %+v", sum)
		}
	})
}
