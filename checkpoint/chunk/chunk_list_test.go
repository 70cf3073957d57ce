package chunk

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const (
	chunkA = "1111111111111111111111111111111111111111"
	chunkB = "2222222222222222222222222222222222222222"
)

func TestChunksAsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", chunkA + " 7", chunkA + " 131072 " + chunkB + " 9"} {
		var c Chunks
		if err := c.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := c.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
	for _, text := range []string{chunkA, chunkA + " 0", chunkA + " -1", chunkA + " x", "12 7", chunkA + " 7 " + chunkB} {
		if err := new(Chunks).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func FuzzChunks(f *testing.F) {
	f.Add(chunkA + " 7 " + chunkB + " 9")
	f.Fuzz(func(t *testing.T, text string) {
		var c Chunks
		if c.UnmarshalText([]byte(text)) != nil {
			return
		}
		data, err := json.Marshal(Log{Closed: c})
		if err != nil {
			t.Fatal(err)
		}
		var l Log
		if err := json.Unmarshal(data, &l); err != nil {
			t.Fatal(err)
		}
		if len(c) > 0 && !reflect.DeepEqual(c, l.Closed) {
			t.Errorf("%v became %v", c, l.Closed)
		}
	})
}

// The state of a 100 MB transcript, as every hook reads and writes it.
func BenchmarkLogState(b *testing.B) {
	var l Log
	if err := l.Closed.UnmarshalText([]byte(strings.Repeat(chunkA+" 131072 ", 850))); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		data, err := json.MarshalIndent(l, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		if err := json.Unmarshal(data, new(Log)); err != nil {
			b.Fatal(err)
		}
	}
}
