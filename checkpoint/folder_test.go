package checkpoint

import (
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
)

// FuzzFolder arranges a checkpoint of any documents and folder names.
func FuzzFolder(f *testing.F) {
	f.Add([]byte(`{"sessions":[{"metadata":"/a3/b2c4d5e6f7/2/metadata.json"},{"metadata":"../../x"}]}`), "0 2 7 x -1 01")
	f.Add([]byte(`{"session_id":"legacy"}`), "1 2")
	f.Fuzz(func(t *testing.T, doc []byte, names string) {
		folder := &folder{id: folderID}
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
			if p := folder.paths(s); !strings.HasPrefix(p.Metadata, "/"+folderID.Path()+"/") {
				t.Fatalf("path %q", p.Metadata)
			}
		}
		if sum := folder.fullSummary(); len(sum.Sessions) != len(folder.slots) || sum.CheckpointID != folderID {
			t.Fatalf("summary %+v", sum)
		}
	})
}

// TestManySessions would not end if a list were searched for each of its items.
func TestManySessions(t *testing.T) {
	t.Parallel()
	f := &folder{id: folderID}
	f.arrange([]byte(`{"sessions":[` + strings.Repeat("{},", 400000) + `{}]}`))
	if f.err == nil || len(f.slots) != 0 {
		t.Errorf("%d slots, %v", len(f.slots), f.err)
	}
}

func FuzzMessagesFiles(f *testing.F) {
	f.Add("messages-0.jsonl.001", []byte(`{"session_id":"s","message_count":1,"chunks":2,"size":1}`))
	f.Add("messages-00.json", []byte(`{"session_id":"s","message_count":1,"chunks":65536,"size":1}`))
	f.Fuzz(func(t *testing.T, name string, index []byte) {
		if n, chunk, ok := parseMessagesName(name); ok {
			if back := messagesChunk(n, max(chunk, 0)); chunk >= 0 && back != name || chunk < 0 && messagesIndex(n) != name {
				t.Errorf("%q is %d, %d", name, n, chunk)
			}
		}
		oid := git.MustOID(strings.Repeat("ab", 20))
		fo := &folder{id: folderID, entries: []git.TreeEntry{{Mode: git.ModeFile, Name: name, OID: oid}, {Mode: git.ModeFile, Name: "messages-0.json", OID: oid}}}
		set := &messageSet{index: fo.entries[1]}
		fo.sets = []*messageSet{set}
		set.read(fo, git.Object{OID: oid, Type: "blob", Data: index})
		if set.err == nil && len(set.missing()) == 0 && len(set.chunks) != set.info.Chunks {
			t.Errorf("%d chunks of %d, none missing", len(set.chunks), set.info.Chunks)
		}
		for i, e := range set.chunks {
			if e.Mode != 0 && e.Name != messagesChunk(0, i) {
				t.Errorf("chunk %d is %s", i, e.Name)
			}
		}
		fo.messageFiles()
	})
}
