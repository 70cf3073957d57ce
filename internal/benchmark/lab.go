package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// sample is the cost of one run of a command.
type sample struct {
	CPU    time.Duration `json:"cpu_ns"`
	Wall   time.Duration `json:"wall_ns"`
	Memory int64         `json:"memory_bytes"` // largest process of the tree
	Exit   int           `json:"exit"`
	User   time.Duration `json:"user_ns"`
	Faults int64         `json:"page_faults"`
	Data   string        `json:"recording,omitempty"` // of perf, see profile
}

// lab is a temporary directory with its own HOME and environment, in which everything runs. After the
// first error all methods do nothing; the caller checks err at the end.
type lab struct {
	scale
	ctx    context.Context
	dir    string
	env    []string
	self   string // path of this program, for launch
	rows   []row
	commit float64 // what a plain commit of 1,000 files takes in this run, in ms
	err    error
	repos  int
}

const gitConfig = `[user]
	name = Bench
	email = bench@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
`

func newLab(ctx context.Context, bin string, size scale) (*lab, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(bin); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "entire-bench-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	l := &lab{scale: size, ctx: ctx, dir: dir, self: self}
	home, bindir := filepath.Join(dir, "home"), filepath.Join(dir, "bin")
	l.check(os.Mkdir(home, 0o755))
	l.check(os.Mkdir(bindir, 0o755))
	l.write(filepath.Join(home, ".gitconfig"), []byte(gitConfig))
	name := "entire"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	l.check(os.Symlink(bin, filepath.Join(bindir, name)))
	l.env = []string{
		"PATH=" + bindir + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC", "TERM=dumb", "TMPDIR=" + dir,
	}
	return l, l.err
}

func (l *lab) close() { _ = os.RemoveAll(l.dir) }

func (l *lab) home() string { return filepath.Join(l.dir, "home") }

// check keeps the first error and reports whether there is none.
func (l *lab) check(err error) bool {
	if l.err == nil {
		l.err = err
	}
	return l.err == nil
}

// ok reports whether to continue.
func (l *lab) ok() bool { return l.check(l.ctx.Err()) }

func (l *lab) write(path string, data []byte) {
	if l.ok() && l.check(os.MkdirAll(filepath.Dir(path), 0o755)) {
		l.check(os.WriteFile(path, data, 0o644))
	}
}

// writeProgram writes a script.
func (l *lab) writeProgram(path, text string) {
	l.write(path, []byte(text))
	if l.ok() {
		l.check(os.Chmod(path, 0o755))
	}
}

func (l *lab) read(path string) []byte {
	if !l.ok() {
		return nil
	}
	data, err := os.ReadFile(path)
	l.check(err)
	return data
}

// run runs a command without measuring it and returns its output.
func (l *lab) run(dir string, args ...string) string {
	if !l.ok() {
		return ""
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(l.ctx, l.program(args[0]), args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, l.env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		l.check(fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.String()))
	}
	return strings.TrimSpace(stdout.String())
}

// program returns the path of entire in the lab. All other programs are on PATH.
func (l *lab) program(name string) string {
	if name == "entire" {
		return filepath.Join(l.dir, "bin", name)
	}
	return name
}

// measure runs a command, which must succeed, and returns its cost.
func (l *lab) measure(dir string, stdin []byte, args ...string) sample {
	var s sample
	if !l.ok() {
		return s
	}
	result := filepath.Join(l.dir, "sample.json")
	var stderr bytes.Buffer
	cmd := exec.CommandContext(l.ctx, l.self, append([]string{launchVerb, result, l.program(args[0])}, args[1:]...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, l.env, bytes.NewReader(stdin), &stderr
	if err := cmd.Run(); err != nil {
		l.check(fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.String()))
		return s
	}
	if l.check(json.Unmarshal(l.read(result), &s)) && s.Exit != 0 {
		l.check(fmt.Errorf("%s: exit status %d\n%s", strings.Join(args, " "), s.Exit, stderr.String()))
	}
	return s
}

// with returns a copy of the lab with additional variables in its environment. Errors stay with the
// copy.
func (l *lab) with(env ...string) *lab {
	other := *l
	other.env = append(append([]string(nil), l.env...), env...)
	return &other
}
