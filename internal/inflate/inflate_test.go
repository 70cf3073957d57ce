package inflate_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"testing"

	fast "github.com/klauspost/compress/zlib"
	"pgregory.net/rapid"

	"entire/internal/inflate"
)

// texts are contents of every kind: nothing, runs, words, noise, and mixtures.
func texts(t *rapid.T) []byte {
	var out []byte
	for range rapid.IntRange(0, 5).Draw(t, "parts") {
		n := rapid.IntRange(0, 9000).Draw(t, "length")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		for range n {
			switch kind {
			case 0:
				out = append(out, 'a')
			case 1:
				out = append(out, byte(r.IntN(256)))
			case 2:
				out = append(out, "etaoin shrdlu\n"[min(r.IntN(14), r.IntN(14))])
			default: // few are frequent, many are rare: codes of every length
				out = append(out, byte(r.ExpFloat64()*12))
			}
		}
	}
	return out
}

func deflate(t interface{ Fatal(...any) }, text []byte, level int) []byte {
	var buf bytes.Buffer
	w, err := zlib.NewWriterLevel(&buf, level)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Whatever was deflated is there again, whole and in part.
func TestInto(t *testing.T) {
	var d inflate.Decoder
	rapid.Check(t, func(t *rapid.T) {
		text := texts(t)
		stream := deflate(t, text, rapid.IntRange(-2, 9).Draw(t, "level"))
		stream = append(stream, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "after")...)
		dst := make([]byte, len(text)+rapid.IntRange(0, 3).Draw(t, "room"))
		if n, err := d.Into(dst, stream); err != nil || !bytes.Equal(dst[:n], text) {
			t.Fatalf("%d of %d bytes, %v", n, len(text), err)
		}
		part := make([]byte, rapid.IntRange(0, len(text)).Draw(t, "part"))
		if n, err := d.Into(part, stream); err != nil || n != len(part) || !bytes.Equal(part, text[:n]) {
			t.Fatalf("%d of the first %d bytes, %v", n, len(part), err)
		}
	})
}

// What is damaged gives what the standard library gives: the same bytes, or an error.
func TestDamaged(t *testing.T) {
	var d inflate.Decoder
	rapid.Check(t, func(t *rapid.T) {
		stream := deflate(t, texts(t), rapid.IntRange(-2, 9).Draw(t, "level"))
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			i := rapid.IntRange(0, len(stream)-1).Draw(t, "at")
			stream[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		stream = stream[:rapid.IntRange(0, len(stream)).Draw(t, "cut")]
		compare(t, &d, stream)
	})
}

func FuzzInto(f *testing.F) {
	f.Add([]byte("x\x9c\x03\x00\x00\x00\x00\x01"))
	for level := -2; level <= 9; level++ {
		f.Add(deflate(f, []byte("the quick brown fox jumps over the lazy dog, the quick brown dog"), level))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var d inflate.Decoder
		compare(t, &d, stream)
	})
}

const bound = 1 << 18

// compare decodes a stream with both. Neither may say more than there is; where ours
// sees no error the other sees none but of the checksum.
func compare(t interface{ Fatalf(string, ...any) }, d *inflate.Decoder, stream []byte) {
	dst := make([]byte, bound)
	n, err := d.Into(dst, stream)
	var want []byte
	r, errWant := zlib.NewReader(bytes.NewReader(stream))
	if errWant == nil {
		want, errWant = io.ReadAll(io.LimitReader(r, bound))
	}
	switch {
	case err == nil && (errWant == nil || errWant == zlib.ErrChecksum || errWant == io.ErrUnexpectedEOF && bytes.Equal(dst[:n], want)):
		if !bytes.Equal(dst[:n], want) {
			t.Fatalf("%d bytes, not the %d that there are", n, len(want))
		}
	case err == nil:
		t.Fatalf("no error where there is %v", errWant)
	case errWant == nil:
		t.Fatalf("%v where there is none", err)
	}
}

func benchmarkText() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 800)
	for i := range words {
		b := make([]byte, 3+r.IntN(8))
		for k := range b {
			b[k] = byte('a' + r.IntN(26))
		}
		words[i] = string(b)
	}
	var text []byte
	for len(text) < 5000 {
		text = append(append(text, words[r.IntN(len(words))]...), ' ')
	}
	return text
}

func BenchmarkInto(b *testing.B) {
	text := benchmarkText()
	stream := deflate(b, text, -1)
	b.Run("ours", func(b *testing.B) {
		var d inflate.Decoder
		dst := make([]byte, len(text))
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := d.Into(dst, stream); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("klauspost", func(b *testing.B) {
		in := bytes.NewReader(stream)
		r, err := fast.NewReader(in)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]byte, len(text))
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			in.Reset(stream)
			if err := r.(fast.Resetter).Reset(in, nil); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(r, dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}
