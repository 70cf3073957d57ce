package testrepo

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// programsVar names a folder with every program of this repository, which `make test` has just built.
const programsVar = "ENTIRE_TEST_PROGRAMS"

// Build puts programs of this repository, by the names of their folders in cmd, into a folder of their own, and returns it.
func Build(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := BuildInto(dir, names...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// BuildInto is Build for a TestMain, which removes the folder. The programs are those that `make test` built once for all
// packages; without them, they are built here.
func BuildInto(dir string, names ...string) error {
	if built := os.Getenv(programsVar); built != "" {
		for _, name := range names {
			if runtime.GOOS == "windows" {
				name += ".exe"
			}
			if err := place(filepath.Join(built, name), filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("%s: %w", programsVar, err)
			}
		}
		return nil
	}
	args := []string{"build", "-buildvcs=false", "-trimpath", "-ldflags=-s", "-o", dir + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "entire/cmd/"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile builds and tests, so nothing is compiled twice
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w: %s", names, err, out)
	}
	return nil
}

// place links a program, or copies it to another file system. It opens the program first, by which `go test` notices
// that the program has changed since a result was kept.
func place(from, to string) error {
	program, err := os.Open(from)
	if err != nil {
		return err
	}
	defer program.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	syscall.ForkLock.RLock() // as WriteScript
	defer syscall.ForkLock.RUnlock()
	copied, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, program)
	if closed := copied.Close(); err == nil {
		err = closed
	}
	return err
}
