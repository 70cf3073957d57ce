package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.out, "out", "dist", "the folder to write; what is in it is removed")
	flag.StringVar(&o.version, "version", "", "the version; by default as git describe says it")
	flag.StringVar(&o.url, "url", "", "where the files will be downloaded from; without it no formula, manifest, flake and install script are written")
	flag.StringVar(&o.cache, "cache", "", "a build cache for the programs; by default the usual one")
	flag.StringVar(&o.root, "root", "", "a tar archive of a root folder with git, from which a container image is made")
	only := flag.String("only", "", "only these systems, such as linux/amd64, separated by commas")
	flag.Parse()
	o.key = os.Getenv("ENTIRE_SIGN_KEY")
	for _, p := range platforms {
		if *only == "" || slices.Contains(strings.Split(*only, ","), p.String()) {
			o.platforms = append(o.platforms, p)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

type options struct {
	out, version, url, key, cache, root string
	platforms                           []platform
}

// A platform is a system and a processor.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// A release is everything that its files are made of.
type release struct {
	options
	commit   string
	time     time.Time // of the commit
	programs []string  // names of the folders in cmd
	shared   []file    // in every archive
	build    string    // folder of intermediate files
	files    []releaseFile
}

func run(ctx context.Context, o options) error {
	r := &release{options: o}
	if err := r.identify(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	build, err := os.MkdirTemp("", "entire-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)
	r.build = build
	for _, step := range []func(context.Context) error{r.compileAll, r.generate, r.bills, r.archives, r.packages, r.images, r.manifests, r.finish} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// identify finds out which commit and version this is, and which programs there are.
func (r *release) identify(ctx context.Context) error {
	commit, err := output(ctx, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return err
	}
	r.commit = commit
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = output(ctx, nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	r.time = time.Unix(n, 0).UTC()
	if r.version == "" {
		if r.version, err = output(ctx, nil, "git", "describe", "--tags", "--dirty"); err != nil {
			r.version = "0.0.0-dev+" + commit
		}
	}
	r.version = strings.TrimPrefix(r.version, "v")
	dirs, err := filepath.Glob("cmd/*/main.go")
	for _, path := range dirs { // entire comes first
		r.programs = append(r.programs, filepath.Base(filepath.Dir(path)))
	}
	if len(r.programs) == 0 {
		return fmt.Errorf("run this at the top of the source tree: no programs in cmd: %v", err)
	}
	fmt.Printf("entire %s (%s), %s: %s\n", r.version, r.commit, r.time.Format(time.DateOnly), strings.Join(r.programs, ", "))
	return nil
}

// output runs a command and returns what it prints, without the final newline.
func output(ctx context.Context, env []string, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(words, " "), err, problem.String(), out)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
