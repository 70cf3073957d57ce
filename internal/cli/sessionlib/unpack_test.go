package sessionlib

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"entire/agent"
)

func TestUnpacked(t *testing.T) {
	const session = "01a20edc-f218-72a0-8650-fb0e34414f8d"
	t.Setenv("TMPDIR", t.TempDir())
	text := []byte(`{"type":"session_meta","payload":{"id":"` + session + `","cwd":"/home/dana/shop"}}` + "\n")
	text = append(text, bytes.Repeat([]byte("{\"type\":\"event_msg\",\"payload\":{}}\n"), 10000)...)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := enc.EncodeAll(text, nil)
	write := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("rollout-2026-11-24T18-41-30-"+session+".jsonl.zst", packed)
	plain, done, err := Unpacked(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(plain); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	about, err := ReadAbout(plain, "")
	if err != nil || about.Agent != agent.AgentTypeCodex || about.ID.String() != session || about.folder != "/home/dana/shop" {
		t.Errorf("ReadAbout = %+v, %v", about, err)
	}
	done()
	if _, err := os.Lstat(plain); !os.IsNotExist(err) {
		t.Errorf("the copy is still there: %v", err)
	}
	for name, data := range map[string][]byte{"half.jsonl.zst": packed[:len(packed)/2], "noise.jsonl.zst": []byte("no zstd at all"), "empty.json.zst": nil} {
		plain, done, err := Unpacked(write(name, data))
		if name == "empty.json.zst" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				done()
			}
			continue
		}
		if err == nil {
			t.Errorf("%s was unpacked to %s", name, plain)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("left behind are %v, %v", left, err)
	}
	if plain, done, err := Unpacked("/x/y.jsonl"); plain != "/x/y.jsonl" || err != nil {
		t.Errorf("a plain transcript gives %s, %v", plain, err)
	} else {
		done()
	}
}
