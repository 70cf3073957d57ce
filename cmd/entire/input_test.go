package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
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

func TestReadInputRefusesTooMuch(t *testing.T) {
	t.Parallel()
	_, err := readInput(strings.NewReader(strings.Repeat("x", 1001)), 1000, time.Second)
	if !errors.Is(err, errTooLong) {
		t.Errorf("readInput: %v, want %v", err, errTooLong)
	}
}
