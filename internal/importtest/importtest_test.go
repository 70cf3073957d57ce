package importtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func parse(t *testing.T, path, content string) Source {
	t.Helper()
	var src any
	if content != "" {
		src = content
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", path), src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Path: filepath.ToSlash(path), File: file}
}

func TestTreeKeepsTheRules(t *testing.T) {
	t.Parallel()
	checked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if full != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(full, "go.mod")); err == nil && full != root {
				return fs.SkipDir // somebody else's module
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		checked++
		for _, broken := range Check(parse(t, rel, "")) {
			t.Error(broken)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 5 {
		t.Errorf("only %d files found: is this the module's root?", checked)
	}
}

func TestEveryFileThatMayReadDirectlyDoes(t *testing.T) {
	t.Parallel()
	for path := range directReads {
		if len(parse(t, path, "").reads()) == 0 {
			t.Errorf("%s reads nothing directly: take it off the list", path)
		}
	}
}

func TestEveryRowOfTheTableNamesRooms(t *testing.T) {
	t.Parallel()
	for name, imports := range rooms {
		for _, imported := range imports {
			if _, ok := rooms[imported]; !ok && imported != anything {
				t.Errorf("%s imports %s, which is no room", name, imported)
			}
		}
	}
	if _, err := os.Stat(filepath.Join("..", "..", "go.mod")); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, path, source string
		want               string // part of the only complaint; "" for none
	}{
		{"allowed room", "agent/a.go", `package agent; import "entire/id"`, ""},
		{"own room below", "internal/git/pack/a.go", `package pack; import "entire/internal/git"`, ""},
		{"upwards", "id/a.go", `package id; import "entire/agent"`, "id may not import entire/agent"},
		{"sideways", "checkpoint/a.go", `package checkpoint; import "entire/session"`, "may not import entire/session"},
		{"cmd takes all", "cmd/entire/a.go", `package main; import ("entire/strategy"; "entire/hooks")`, ""},
		{"test room in production", "cmd/entire/a.go", `package main; import "entire/internal/testrepo"`, "may not import entire/internal/testrepo"},
		{"test room in a test", "id/a_test.go", `package id; import "entire/internal/testrepo"`, ""},
		{"map at the root", "doc.go", `package entire`, ""},
		{"unplaced directory", "helpers/a.go", `package helpers`, "has no row"},
		{"unplaced import", "cmd/entire/a.go", `package main; import "entire/helpers"`, "may not import entire/helpers"},
		{"go-git at home", "checkpoint/a.go", `package checkpoint; import "github.com/go-git/go-git/v5"`, ""},
		{"go-git below the API", "checkpoint/records/a.go", `package records; import "github.com/go-git/go-git/v5"`, "may not import github.com/go-git"},
		{"go-git elsewhere", "session/a.go", `package session; import "github.com/go-git/go-git/v5/plumbing"`, "may not import github.com/go-git"},
		{"exec", "strategy/a.go", `package strategy; import "os/exec"`, "may not import os/exec"},
		{"exec in a test", "strategy/a_test.go", `package strategy; import "os/exec"`, ""},
		{"exec by name", "internal/cli/setupcmd/demo.go", `package main; import "os/exec"`, ""},
		{"exec beside the name", "cmd/entire/status.go", `package main; import "os/exec"`, "may not import os/exec"},
		{"cobra", "hooks/a.go", `package hooks; import "github.com/spf13/cobra"`, "may not import github.com/spf13/cobra"},
		{"drawing", "strategy/a.go", `package strategy; import "charm.land/huh/v2"`, "may not import charm.land/huh/v2"},
		{"progress at home", "internal/term/a.go", `package term; import "github.com/vbauerster/mpb/v8"`, ""},
		{"gitleaks linked", "internal/redact/a.go", `package redact; import "github.com/zricethezav/gitleaks/v8/config"`, "may not import github.com/zricethezav"},
		{"gitleaks generator", "internal/redact/gen/a.go", `package main; import "github.com/zricethezav/gitleaks/v8/config"`, ""},
		{"gitleaks ignored file", "internal/redact/gen.go", "//go:build ignore\n\npackage redact\nimport \"github.com/zricethezav/gitleaks/v8/config\"", ""},
		{"gitleaks oracle", "internal/redact/a_test.go", `package redact; import "github.com/zricethezav/gitleaks/v8/config"`, ""},
		{"gitleaks in another test", "checkpoint/a_test.go", `package checkpoint; import "github.com/zricethezav/gitleaks/v8/config"`, "may not import github.com/zricethezav"},
		{"clock", "session/a.go", `package session; import "time"; func f() { _ = time.Now() }`, "time.Now below cmd"},
		{"clock as a value", "session/a.go", `package session; import "time"; func f() func() time.Time { return time.Now }`, "time.Now below cmd"},
		{"renamed import", "session/a.go", `package session; import world "os"; func f() { world.Getenv("A") }`, "world.Getenv below cmd"},
		{"a method of that name", "session/a.go", `package session; func f(time interface{ Now() }) { time.Now() }`, ""},
		{"convenience", "checkpoint/a.go", `package checkpoint; import "os"; func LookupSessionLog() { os.Getwd() }`, ""},
		{"convenience elsewhere", "session/a.go", `package session; import "os"; func LookupSessionLog() { os.Getwd() }`, "os.Getwd below cmd"},
		{"clock in cmd", "cmd/entire/a.go", `package main; import "time"; func f() { _ = time.Now() }`, ""},
		{"clock in a test", "session/a_test.go", `package session; import "time"; func f() { _ = time.Now() }`, ""},
		{"init", "cmd/entire/a.go", `package main; func init() {}`, "func init"},
		{"a method called init", "cmd/entire/a.go", `package main; type T struct{}; func (T) init() {}`, ""},
		{"direct read", "strategy/a.go", `package strategy; import "os"; func f() { os.ReadFile("a") }`, "os.ReadFile opens whatever stands there"},
		{"direct open in cmd", "cmd/entire/a.go", `package main; import "os"; func f() { os.Open("a") }`, "os.Open opens whatever stands there"},
		{"direct read of git's own", "internal/git/staged.go", `package git; import "os"; func f() { os.ReadFile("a") }`, ""},
		{"direct read in a test", "strategy/a_test.go", `package strategy; import "os"; func f() { os.ReadFile("a") }`, ""},
		{"state", "session/a.go", `package session; var cache map[string]int`, "cache is state"},
		{"table", "session/a.go", `package session; var table = map[string]int{"a": 1}`, ""},
		{"embedded", "internal/redact/a.go", "package redact\nimport _ \"embed\"\n//go:embed rules\nvar rules string", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := Check(parse(t, row.path, row.source))
			switch {
			case row.want == "" && len(got) > 0:
				t.Errorf("complains: %q", got)
			case row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)):
				t.Errorf("says %q, want %q", got, row.want)
			}
		})
	}
}
