package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A file is a file of an archive.
type file struct {
	name string // with slashes
	path string // where it is now
	run  bool   // it is a program
}

// compileAll compiles every program for every system.
func (r *release) compileAll(ctx context.Context) error {
	for _, p := range r.platforms {
		began := time.Now()
		if err := r.compile(ctx, p, r.binaries(p)); err != nil {
			return err
		}
		fmt.Printf("compiled %s in %s\n", p, time.Since(began).Round(time.Second))
	}
	return nil
}

// compile compiles the programs for one system into a folder.
func (r *release) compile(ctx context.Context, p platform, to string) error {
	words := []string{"go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X main.version=v%s -X main.commit=%s", r.version, r.commit), "-o", to + string(filepath.Separator)}
	for _, name := range r.programs {
		words = append(words, "./cmd/"+name)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOOS=" + p.os, "GOARCH=" + p.arch}
	if r.cache != "" {
		env = append(env, "GOCACHE="+r.cache)
	}
	_, err := output(ctx, env, words...)
	return err
}

func (r *release) binaries(p platform) string { return filepath.Join(r.build, "bin", p.os+"-"+p.arch) }

// programFiles returns the programs of one system.
func (r *release) programFiles(p platform) (list []file) {
	for _, name := range r.programs {
		if p.os == "windows" {
			name += ".exe"
		}
		list = append(list, file{name: name, path: filepath.Join(r.binaries(p), name), run: true})
	}
	return list
}

// generate writes man pages and completions, which the program of this machine prints, and lists the documents.
func (r *release) generate(ctx context.Context) error {
	here := platform{runtime.GOOS, runtime.GOARCH}
	if !slices.Contains(r.platforms, here) {
		if err := r.compile(ctx, here, r.binaries(here)); err != nil {
			return err
		}
	}
	man := filepath.Join(r.build, "man")
	if _, err := output(ctx, []string{"SOURCE_DATE_EPOCH=" + fmt.Sprint(r.time.Unix()), "MAN_VERSION=" + r.version},
		"go", "test", "-trimpath", "./cmd/entire", "-run", "TestManPages", "-count", "1", "-args", "write-man", man); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("no man pages in %s: %v", man, err)
	}
	for _, page := range pages {
		if err := compress(page); err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: "man/man1/" + filepath.Base(page) + ".gz", path: page + ".gz"})
	}
	for shell, name := range map[string]string{"bash": "entire.bash", "zsh": "_entire", "fish": "entire.fish", "powershell": "entire.ps1"} {
		text, err := output(ctx, nil, r.programFiles(here)[0].path, "completion", shell)
		if err != nil {
			return err
		}
		path := filepath.Join(r.build, name)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: "completions/" + name, path: path})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		r.shared = append(r.shared, file{name: name, path: name})
	}
	return nil
}

// compress writes a file again in gzip's format, without name and time.
func compress(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path+".gz", out.Bytes(), 0o644)
}

// base returns the beginning of the names of a system's files.
func (r *release) base(p platform) string {
	return fmt.Sprintf("entire-%s-%s-%s", strings.ReplaceAll(r.version, "+", "-"), p.os, p.arch)
}
