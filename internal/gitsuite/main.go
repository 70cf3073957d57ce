//go:build unix

package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

//go:embed scripts.txt
var scriptList string

// modes are the ways in which each script runs, in this order.
var modes = []string{"plain", "idle", "branch", "linked", "trailer"}

func main() {
	source := flag.String("source", "", "a built source tree of git")
	bin := flag.String("bin", "bin/entire", "the program under test")
	only := flag.String("only", "", "run scripts that begin with one of these, separated by commas")
	which := flag.String("modes", strings.Join(modes, ","), "how to run them")
	workers := flag.Int("j", 2, "scripts at a time")
	work := flag.String("work", "", "an empty folder to work in; a temporary one by default")
	document := flag.String("write", "", "write the figures to this document")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, options{*source, *bin, *work, *document, scripts(*only), strings.Split(*which, ","), *workers}); err != nil {
		fmt.Fprintln(os.Stderr, "gitsuite:", err)
		os.Exit(1)
	}
}

type options struct {
	source, bin, work, document string
	scripts, modes              []string
	workers                     int
}

// scripts returns the names in the list that begin with one of only, all for "".
func scripts(only string) (list []string) {
	for line := range strings.Lines(scriptList) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "#" {
			continue
		}
		for prefix := range strings.SplitSeq(only, ",") {
			if strings.HasPrefix(name, prefix) {
				list = append(list, name)
				break
			}
		}
	}
	return list
}

func run(ctx context.Context, o options) error {
	if o.work == "" {
		dir, err := os.MkdirTemp("", "gitsuite-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.work = dir
	}
	s, err := newSuite(ctx, o)
	if err != nil {
		return err
	}
	var all []*outcome
	for _, mode := range o.modes {
		begun := time.Now()
		out := s.runAll(ctx, mode, o.scripts, o.workers)
		out.seconds = time.Since(begun).Seconds()
		fmt.Println(out)
		all = append(all, out)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := compare(all)
	r.git, r.scripts = s.version, len(o.scripts)
	fmt.Print(r.text())
	if o.document != "" {
		if err := r.write(o.document); err != nil {
			return err
		}
	}
	if n := len(r.ours()); n > 0 {
		return fmt.Errorf("%d tests fail only with our hooks", n)
	}
	return nil
}

// version returns what a git calls itself, without the name.
func version(ctx context.Context, git string) (string, error) {
	out, err := exec.CommandContext(ctx, git, "version").Output()
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), err
}

// absolute returns an absolute path without links.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
