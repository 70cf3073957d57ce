package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestNext(t *testing.T) {
	t.Parallel()
	const limit = 3 * bufferSize
	full, big := strings.Repeat("f", limit), strings.Repeat("b", limit+1)
	for name, row := range map[string]struct {
		in   string
		want []string // "!" for a line that is too long, "…" behind one that is torn
	}{
		"nothing":                    {"", nil},
		"whole":                      {"a\n\nb\r\n", []string{"a", "", "b\r"}},
		"torn":                       {"a\nbc", []string{"a", "bc…"}},
		"as long as the limit":       {full + "\na\n", []string{full, "a"}},
		"torn, as long as the limit": {full, []string{full + "…"}},
		"too long":                   {"a\n" + big + "\nb\n", []string{"a", "!", "b"}},
		"two that are too long":      {big + big + "\n" + big + "\nb\n", []string{"!", "!", "b"}},
		"too long and torn":          {"a\n" + big, []string{"a", "!"}},
		"the buffer's size":          {full[:bufferSize] + "\n" + full[:bufferSize-1] + "\nx", []string{full[:bufferSize], full[:bufferSize-1], "x…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, in := range map[string]io.Reader{
				"whole":      strings.NewReader(row.in),
				"halves":     iotest.HalfReader(strings.NewReader(row.in)),
				"eof":        iotest.DataErrReader(strings.NewReader(row.in)),
				"own buffer": bufio.NewReaderSize(strings.NewReader(row.in), 2*bufferSize),
			} {
				r := NewReader(in, limit)
				var got []string
				for {
					line, err := r.Next()
					switch {
					case err == nil:
						got = append(got, string(line))
					case errors.Is(err, ErrTorn):
						got = append(got, string(line)+"…")
					case errors.Is(err, ErrTooLong):
						got = append(got, "!")
					}
					if err == io.EOF {
						break
					}
				}
				if strings.Join(got, "\n") != strings.Join(row.want, "\n") || len(got) != len(row.want) || r.At != int64(len(row.in)) {
					t.Errorf("%s: %d lines, %.200q, at %d", how, len(got), got, r.At)
				}
			}
		})
	}
}

// TestAtIsWhereALineBegins: At before each line is its place in the text, also behind one that is too long.
func TestAtIsWhereALineBegins(t *testing.T) {
	t.Parallel()
	text := "one\n" + strings.Repeat("x", 2*bufferSize) + "\nthree\n"
	r := NewReader(strings.NewReader(text), bufferSize)
	for _, want := range []string{"one", "", "three"} {
		line, err := r.Next()
		if string(line) != want || want == "" != errors.Is(err, ErrTooLong) {
			t.Fatalf("%.20q, %v; want %q", line, err, want)
		}
	}
	r = NewReader(strings.NewReader(text), 2*bufferSize)
	for at := r.At; ; at = r.At {
		line, err := r.Next()
		if err == io.EOF {
			return
		}
		if !strings.HasPrefix(text[at:], string(line)+"\n") {
			t.Fatalf("the line at %d is %.20q, %v", at, line, err)
		}
	}
}

func TestAnEndlessLineIsBounded(t *testing.T) {
	t.Parallel()
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	if line, err := NewReader(endless, 1<<20).Next(); len(line) > 0 || !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}

func TestAFailureIsReturned(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"in a line": "abc\n", "in a line that is too long": strings.Repeat("x", 3*bufferSize)} {
		r := NewReader(iotest.TimeoutReader(strings.NewReader(in)), bufferSize/2)
		if in[0] == 'a' {
			r = NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(in))), bufferSize)
		} else if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
		if line, err := r.Next(); len(line) > 0 || !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("%s: %q, %v", name, line, err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// FuzzNext: every byte comes back, however the text arrives.
func FuzzNext(f *testing.F) {
	f.Add([]byte("a\n\nb\r\nc"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []byte
		r := NewReader(iotest.OneByteReader(bytes.NewReader(text)), len(text))
		for {
			line, err := r.Next()
			got = append(got, line...)
			if err == nil {
				got = append(got, '\n')
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, text) || r.At != int64(len(text)) {
			t.Errorf("%q, at %d", got, r.At)
		}
	})
}
