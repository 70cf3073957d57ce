package clitest

import (
	"bytes"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/testrepo"
)

// NewWorld is a world in which nobody is at a terminal.
func NewWorld(dir string, environ ...string) (env *cliui.Env, out, complaint *bytes.Buffer) {
	out, complaint = new(bytes.Buffer), new(bytes.Buffer)
	return &cliui.Env{
		In: strings.NewReader(""), Out: out, Err: complaint, Environ: environ,
		Getwd: func() (string, error) { return dir, nil },
		Now:   func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}, out, complaint
}

// WorldOf is a world inside a repository, with a program to put on PATH or not.
func WorldOf(r *testrepo.Repo) (env *cliui.Env, out, complaint *bytes.Buffer) {
	return NewWorld(r.Dir, append(r.Env, "ENTIRE_TEST_TTY=0")...)
}
