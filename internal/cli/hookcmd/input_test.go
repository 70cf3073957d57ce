package hookcmd

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"entire/internal/cli/cliui"
)

func TestReadInput(t *testing.T) {
	t.Parallel()
	stuck := func(text string) io.Reader {
		r, w := io.Pipe()
		go w.Write([]byte(text)) // and never closes
		return r
	}
	for _, test := range []struct {
		name string
		in   io.Reader
		want string
		ok   bool
	}{
		{"to the end", strings.NewReader(`{"a":1}`), `{"a":1}`, true},
		{"nothing at all", strings.NewReader(""), "", true},
		{"a pipe left open with a payload", stuck(`{"a":1}`), `{"a":1}`, true},
		{"a pipe left open with half of one", stuck(`{"a":`), `{"a":`, true},
		{"a pipe left open without one", stuck(""), "", false},
		{"as long as allowed", strings.NewReader(strings.Repeat("x", 1000)), strings.Repeat("x", 1000), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := readInput(test.in, 1000, 100*time.Millisecond)
			if string(got) != test.want || (err == nil) != test.ok {
				t.Errorf("readInput = %q, %v", got, err)
			}
		})
	}
}

// An agent that is slow to write its payload is waited for, one that is done with
// it and leaves the pipe open is not.
func TestReadInputWaitsForAPayload(t *testing.T) {
	t.Parallel()
	if inputWait < 10*time.Second || inputWait >= cliui.HookLimit {
		t.Errorf("inputWait = %s", inputWait)
	}
	r, w := io.Pipe()
	go func() {
		w.Write([]byte(`{"a":`))
		time.Sleep(300 * time.Millisecond)
		w.Write([]byte(`1}`)) // and never closes
	}()
	begin := time.Now()
	got, err := readInput(r, 1000, 10*time.Second) // it looks after the first second
	if string(got) != `{"a":1}` || err != nil {
		t.Errorf("readInput = %q, %v", got, err)
	}
	if took := time.Since(begin); took >= 10*time.Second {
		t.Errorf("readInput took %s", took)
	}
}

func TestReadInputRefusesTooMuch(t *testing.T) {
	t.Parallel()
	_, err := readInput(strings.NewReader(strings.Repeat("x", 1001)), 1000, time.Second)
	if !errors.Is(err, errTooLong) {
		t.Errorf("readInput: %v, want %v", err, errTooLong)
	}
}
