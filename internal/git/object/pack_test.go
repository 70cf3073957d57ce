package object

import (
	"testing"
)

func FuzzDelta(f *testing.F) {
	f.Add([]byte("a base of some length"), []byte("\x15\x06\x90\x04\x02xy"))
	f.Add([]byte{}, []byte("\x00\x02\x02ab"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		_, size, _, known := deltaSizes(delta)
		out, ok := applyDelta(nil, base, delta)
		if ok && (!known || int64(len(out)) != size) {
			t.Errorf("%d bytes, want %d", len(out), size)
		}
	})
}

func FuzzPackEntry(f *testing.F) {
	f.Add([]byte("\xb5\x0a"))
	f.Add([]byte("\x65\x81\x00"))
	f.Add(append([]byte{0x75}, make([]byte, 20)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, ok := parseEntry(data)
		if ok && (e.n < 1 || e.n > len(data) || e.size < 0 || e.kind == deltaByOffset && e.back <= 0) {
			t.Errorf("%+v of %d bytes", e, len(data))
		}
	})
}
