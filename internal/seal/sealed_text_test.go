package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newKey(t testing.TB) *DataKey {
	t.Helper()
	k, err := NewDataKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sealed(t testing.TB, k *DataKey, stream, text string) []byte {
	t.Helper()
	data, err := k.Seal(stream, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOpenReturnsWhatWasSealed checks every text, whatever its size and bytes.
func TestOpenReturnsWhatWasSealed(t *testing.T) {
	k := newKey(t)
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(t, "text"), rapid.IntRange(0, 50).Draw(t, "times"))
		data, err := k.Seal(rapid.String().Draw(t, "stream"), text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.Open(data)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("Open = %q, %v; want %q", got, err, text)
		}
	})
}

// TestEqualTexts checks that only texts of one stream under one key can be told equal.
func TestEqualTexts(t *testing.T) {
	k, other := newKey(t), newKey(t)
	text := strings.Repeat("the same line of a transcript\n", 100)
	first := sealed(t, k, "s1", text)
	if !bytes.Equal(first, sealed(t, k, "s1", text)) {
		t.Error("equal texts of one stream differ, so versions of a session share nothing")
	}
	for name, again := range map[string][]byte{"another stream": sealed(t, k, "s2", text), "another key": sealed(t, other, "s1", text)} {
		for i := len(magic) + idSize; i+8 <= len(first); i++ {
			if bytes.Contains(again, first[i:i+8]) {
				t.Errorf("%s gives the same bytes at %d", name, i)
				break
			}
		}
	}
	if bytes.Contains(first, []byte("s1")) || bytes.Contains(first, []byte("transcript")) {
		t.Error("sealed data shows the stream or the text")
	}
}

// TestTamperedIsRefused flips every bit and cuts at every place.
func TestTamperedIsRefused(t *testing.T) {
	k := newKey(t)
	data := sealed(t, k, "s1", "what was said, and what was answered")
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if text, err := k.Open(bad); !errors.Is(err, ErrTampered) && !errors.Is(err, ErrOtherKey) {
				t.Fatalf("bit %d of byte %d changed: Open = %q, %v", bit, i, text, err)
			}
		}
		if text, err := k.Open(data[:i]); !errors.Is(err, ErrTampered) {
			t.Fatalf("cut to %d bytes: Open = %q, %v", i, text, err)
		}
	}
	if _, err := k.Open(append(bytes.Clone(data), 0)); !errors.Is(err, ErrTampered) {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := newKey(t).Open(data); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
}

// TestBomb checks that a holder of the key cannot make a reader use all memory.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 256 MiB")
	}
	inner, err := newKey(t).packed(make([]byte, maxText+1))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := unpacked(inner); !errors.Is(err, ErrTampered) {
		t.Errorf("unpacked %d bytes, %v", len(text), err)
	}
}

// FuzzOpen opens hostile data.
func FuzzOpen(f *testing.F) {
	secret := secretPrefix + strings.Repeat("0a", 32)
	k, err := ParseSecret(secret)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil))
	f.Add([]byte(magic))
	f.Add(sealed(f, k, "s", ""))
	f.Add(sealed(f, k, "s", strings.Repeat("said ", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := k.Open(data)
		if err != nil {
			if !errors.Is(err, ErrTampered) && !errors.Is(err, ErrOtherKey) {
				t.Fatalf("Open: an error without a name: %v", err)
			}
			return
		}
		again, err := k.Open(data)
		if err != nil || !bytes.Equal(again, text) {
			t.Fatal("Open is not the same twice")
		}
	})
}
