package metadata

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
		folder := &Folder{ID: folderID}
		for _, name := range strings.Fields(names) {
			e := git.TreeEntry{Mode: git.ModeTree, Name: name}
			n, ok := SlotNumber(e)
			if ok && !slices.ContainsFunc(folder.Slots, func(s Slot) bool { return s.Number == n }) {
				folder.Slots = append(folder.Slots, Slot{Number: n, Files: []git.TreeEntry{{Mode: git.ModeFile, Name: FileName}}})
				folder.Entries = append(folder.Entries, e)
			}
		}
		present := len(folder.Slots)
		folder.arrange(doc)
		if len(folder.Slots) < present {
			t.Fatalf("%d slots of %d", len(folder.Slots), present)
		}
		seen := map[int]bool{}
		for i := range folder.Slots {
			s := &folder.Slots[i]
			if seen[s.Number] || folder.NextSlot() <= s.Number {
				t.Fatalf("slot %d twice, or the next is %d", s.Number, folder.NextSlot())
			}
			seen[s.Number] = true
			if p := folder.Paths(s); !strings.HasPrefix(p.Metadata, "/"+folderID.Path()+"/") {
				t.Fatalf("path %q", p.Metadata)
			}
		}
		if sum := folder.FullSummary(); len(sum.Sessions) != len(folder.Slots) || sum.CheckpointID != folderID {
			t.Fatalf("summary %+v", sum)
		}
	})
}

// TestManySessions would not end if a list were searched for each of its items.
func TestManySessions(t *testing.T) {
	t.Parallel()
	f := &Folder{ID: folderID}
	f.arrange([]byte(`{"sessions":[` + strings.Repeat("{},", 400000) + `{}]}`))
	if f.Err == nil || len(f.Slots) != 0 {
		t.Errorf("%d slots, %v", len(f.Slots), f.Err)
	}
}

func FuzzMessagesFiles(f *testing.F) {
	f.Add("messages-0.jsonl.001", []byte(`{"session_id":"s","message_count":1,"chunks":2,"size":1}`))
	f.Add("messages-00.json", []byte(`{"session_id":"s","message_count":1,"chunks":65536,"size":1}`))
	f.Fuzz(func(t *testing.T, name string, index []byte) {
		if n, chunk, ok := parseMessagesName(name); ok {
			if back := MessagesChunk(n, max(chunk, 0)); chunk >= 0 && back != name || chunk < 0 && messagesIndex(n) != name {
				t.Errorf("%q is %d, %d", name, n, chunk)
			}
		}
		oid := git.MustOID(strings.Repeat("ab", 20))
		fo := &Folder{ID: folderID, Entries: []git.TreeEntry{{Mode: git.ModeFile, Name: name, OID: oid}, {Mode: git.ModeFile, Name: "messages-0.json", OID: oid}}}
		set := &MessageSet{Index: fo.Entries[1]}
		fo.Sets = []*MessageSet{set}
		set.read(fo, git.Object{OID: oid, Type: "blob", Data: index})
		if set.Err == nil && len(set.Missing()) == 0 && len(set.Chunks) != set.Info.Chunks {
			t.Errorf("%d chunks of %d, none missing", len(set.Chunks), set.Info.Chunks)
		}
		for i, e := range set.Chunks {
			if e.Mode != 0 && e.Name != MessagesChunk(0, i) {
				t.Errorf("chunk %d is %s", i, e.Name)
			}
		}
		fo.messageFiles()
	})
}
