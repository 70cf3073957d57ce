//go:build unix

// Command scale measures how clones, pushes and questions grow with the number of stored checkpoints, in three layouts
// beside each other: every checkpoint on the branch, every checkpoint in a ref of its own, and sealed months. The
// remote is git's http-backend behind a server of this process.
//
//	go run ./internal/benchmark/scale -bin bin/entire -sizes 1000,10000,100000,1000000 -refs 1000000
//
// With -commands it measures every command that reads, in repositories of these sizes beside each other.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	bin := flag.String("bin", "bin/entire", "the binary that is measured")
	sizes := flag.String("sizes", "1000,10000,100000", "numbers of checkpoints")
	refs := flag.Int("refs", 100000, "the greatest number that is measured in refs of their own")
	branch := flag.Int("branch", 100000, "the greatest number that is measured on the branch")
	hollow := flag.Int("hollow", 1000000, "from this number on, epochs have manifests and pages of all checkpoints, and the content of the last 100")
	folder := flag.String("folder", "", "where the repositories are made (default: the folder for temporary files)")
	titles := flag.Bool("titles", false, "measure `search --titles` alone")
	commands := flag.Bool("commands", false, "measure every command that reads, in work of sessions of ten checkpoints each")
	only := flag.String("only", "", "with -commands: only those with this text in them")
	keep := flag.String("keep", "", "with -commands: make the repositories in this folder, and use those that are there")
	show := flag.Bool("show", false, "with -commands: print what the commands print")
	flag.Parse()
	if *commands {
		if err := runCommands(*bin, *sizes, *keep, *only, *show); err != nil {
			fmt.Fprintln(os.Stderr, "scale:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*bin, *sizes, *folder, *hollow, *titles, map[string]int{"branch": *branch, "refs": *refs, "epochs": 1 << 30}); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(bin, sizes, folder string, hollow int, titles bool, most map[string]int) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp(folder, "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	l := &lab{root: root, bin: bin, hollow: hollow}
	if err := l.begin(); err != nil {
		return err
	}
	if titles {
		return l.titles(sizes)
	}
	fmt.Println("| checkpoints | layout | clone | objects of the clone | fetch of the manifests | their objects | first `explain` | `explain` | `blame` | `rewind --list` | plain `git push` | push of 1 checkpoint |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for size := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		for _, layout := range []string{"branch", "refs", "epochs"} {
			if n > most[layout] {
				continue
			}
			if err := l.measure(n, layout); err != nil {
				return fmt.Errorf("%d checkpoints, %s: %w", n, layout, err)
			}
		}
	}
	return nil
}

func runCommands(bin, sizes, keep, only string, show bool) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	root := keep
	if keep == "" {
		if root, err = os.MkdirTemp("", "scale"); err != nil {
			return err
		}
		defer os.RemoveAll(root)
	}
	l := &lab{root: root, bin: bin, show: show}
	if err := l.begin(); err != nil {
		return err
	}
	return l.commands(sizes, only)
}

type lab struct {
	root, bin string
	hollow    int
	show      bool
	env       []string
	url       string
}

// begin makes a home directory and starts the server.
func (l *lab) begin() error {
	home := filepath.Join(l.root, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[http]\n\treceivepack = true\n[safe]\n\tdirectory = *\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	l.env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"), "GIT_TERMINAL_PROMPT=0")
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return err
	}
	server := httptest.NewServer(http.Handler(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Dir: l.root,
		Env: []string{"GIT_PROJECT_ROOT=" + l.root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + home, "REMOTE_USER=dev"}, InheritEnv: []string{"PATH"},
	}))
	l.url = server.URL
	return nil
}

// do runs a command in a folder, and returns how long it took.
func (l *lab) do(dir string, args ...string) (time.Duration, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, l.env
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return time.Since(began), nil
}

// objects returns the bytes below a repository's object folder.
func objects(dir string) (sum int64) {
	filepath.Walk(filepath.Join(dir, ".git", "objects"), func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// measure makes a repository of n checkpoints, clones it, and prints a row.
func (l *lab) measure(n int, layout string) error {
	name := fmt.Sprintf("%s-%d.git", layout, n)
	bare, clone := filepath.Join(l.root, name), filepath.Join(l.root, "clone")
	defer os.RemoveAll(bare)
	defer os.RemoveAll(clone)
	if _, err := l.do(l.root, "git", "init", "-q", "--bare", name); err != nil {
		return err
	}
	if err := l.fill(bare, n, layout); err != nil {
		return err
	}
	row := []string{thousands(n), layout}
	add := func(d time.Duration, err error) error {
		row = append(row, fmt.Sprintf("%.2f s", d.Seconds()))
		return err
	}
	if err := add(l.do(l.root, "git", "clone", "-q", l.url+"/"+name, "clone")); err != nil {
		return err
	}
	before := objects(clone)
	row = append(row, megabytes(before))
	if _, err := l.do(clone, l.bin, "enable", "--agent", "claude-code", "--push-to", "origin"); err != nil {
		return err
	}
	if layout == "epochs" {
		if err := add(l.do(clone, l.bin, "share", "fetch")); err != nil {
			return err
		}
		row = append(row, megabytes(objects(clone)-before))
	} else {
		row = append(row, "", "")
	}
	for _, args := range [][]string{{"explain", "--commit", "HEAD", "--no-pager"}, {"explain", "--commit", "HEAD", "--no-pager"}, {"blame", "a.txt", "--no-pager"}, {"rewind", "--list"}} {
		if err := add(l.do(clone, append([]string{l.bin}, args...)...)); err != nil {
			return err
		}
	}
	if _, err := l.do(clone, "git", "commit", "-q", "--no-verify", "--allow-empty", "-m", "plain"); err != nil {
		return err
	}
	if err := add(l.do(clone, "git", "push", "-q", "--no-verify", "origin", "HEAD:refs/heads/plain")); err != nil {
		return err
	}
	if err := l.addCheckpoint(clone, layout); err != nil {
		return err
	}
	if err := add(l.do(clone, "git", "push", "-q", "origin", "HEAD:refs/heads/work")); err != nil {
		return err
	}
	fmt.Println("| " + strings.Join(row, " | ") + " |")
	return nil
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
