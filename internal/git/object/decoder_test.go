package object

import (
	"bytes"
	"compress/zlib"
	"testing"
)

func TestDecoder(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("git's objects are compressed\n"), 2000)
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(text)
	w.Close()
	stream := packed.Bytes()
	var d decoder // one for all: no stream changes what is read of the next
	for _, tt := range []struct {
		name     string
		src      []byte
		room     int
		want     int
		readable bool
	}{
		{"whole", stream, len(text), len(text), true},
		{"beginning", stream, 64, 64, true},
		{"stream ends first", stream, len(text) + 10, len(text), true},
		{"more after it", append(bytes.Clone(stream), "the next object"...), len(text), len(text), true},
		{"cut", stream[:len(stream)/2], len(text), 0, false},
		{"checksum lacks", stream[:len(stream)-4], len(text), len(text), true},
		{"no stream", []byte("blob 3\x00abc"), 64, 0, false},
		{"nothing", nil, 64, 0, false},
		{"whole again", stream, len(text), len(text), true},
	} {
		dst := make([]byte, tt.room)
		n, err := d.into(dst, tt.src)
		if (err == nil) != tt.readable || tt.readable && (n != tt.want || !bytes.Equal(dst[:n], text[:n])) {
			t.Errorf("%s: %d bytes, error %v", tt.name, n, err)
		}
	}
}
