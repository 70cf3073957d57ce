package resume

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
)

// FuzzDecodeIndex reads indexes with a right checksum and any content; what can be read is written as it was.
func FuzzDecodeIndex(f *testing.F) {
	tree, err := git.ParseOID("5c4dc0572060bc26479e58f39bec561d03981a46")
	if err != nil {
		f.Fatal(err)
	}
	cp := id.MustCheckpointID("0123456789ab")
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 7200))
	f.Add(encodeIndex(nil))
	f.Add(encodeIndex([]*entry{{Version: records.Version{ID: cp, Tree: tree}, complete: true,
		parts: []Part{{Checkpoint: cp, SessionID: "s", Strategy: "manual-commit", CreatedAt: at, Files: []string{"a"}, first: "p", last: "q", named: cp.String(),
			Summary: &metadata.Summary{Intent: "i"}}, {Checkpoint: cp, IsTask: true, ToolUseID: "t", Files: []string{}}},
		listed: []listedConversation{{session: "s", agent: "Claude Code", written: at, stored: true, messages: 3, title: "t", info: []byte(`{"model":"m"}`)}, {session: "o"}}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= len(indexHead)+4 {
			binary.BigEndian.PutUint32(data[len(indexHead):], crc32.ChecksumIEEE(data[len(indexHead)+4:]))
		}
		list, err := decodeIndex(data)
		if err != nil {
			return
		}
		again := encodeIndex(list)
		if same, err := decodeIndex(again); err != nil || !bytes.Equal(encodeIndex(same), again) {
			t.Errorf("%q is read in another way when it is written again: %v", data, err)
		}
	})
}

// TestIndexOfOddNumbers: whatever a checkpoint of somebody else's says of its messages, the index can be read again.
func TestIndexOfOddNumbers(t *testing.T) {
	tree, err := git.ParseOID("5c4dc0572060bc26479e58f39bec561d03981a46")
	if err != nil {
		t.Fatal(err)
	}
	for _, messages := range []int{-1, 0, math.MaxInt, math.MinInt} {
		data := encodeIndex([]*entry{{Version: records.Version{ID: id.MustCheckpointID("0123456789ab"), Tree: tree}, listed: []listedConversation{{messages: messages}}}})
		list, err := decodeIndex(data)
		if err != nil || list[0].listed[0].messages != messages {
			t.Errorf("%d messages: %v", messages, err)
		}
	}
}
