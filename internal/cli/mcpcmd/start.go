package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// program is the file name of the server.
const program = "entire-mcp"

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(Command(env, func(ctx context.Context, o Options) error { return start(ctx, env, o) }))
}

// start becomes the server or, where the system cannot do that, runs it and waits.
func start(ctx context.Context, env *cliui.Env, o Options) error {
	path, err := Server(env)
	if err != nil {
		return err
	}
	env.Flush()
	if err := become(ctx, path, arguments(o), env); err != nil {
		return fmt.Errorf("start %s: %w", cliui.ShownName(path), err)
	}
	return nil
}

// arguments returns the options as the server's program takes them.
func arguments(o Options) []string {
	args := []string{}
	if o.HTTP {
		args = append(args, "--http", fmt.Sprintf("--port=%d", o.Port))
	}
	if o.NewToken {
		args = append(args, "--new-token")
	}
	return args
}

// Server returns the path of the server's program: beside this program, or else on PATH.
func Server(env *cliui.Env) (string, error) {
	name := program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	folders := []string{filepath.Dir(own)}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	for _, folder := range append(folders, filepath.SplitList(env.Getenv("PATH"))...) {
		path, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil && filepath.IsAbs(path) {
			return path, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrPermission) {
			return "", err
		}
	}
	return "", cliui.Failf("`make install` or `go install ./cmd/...` in Entire's sources installs both programs",
		"the program %s, which answers agents, is neither beside entire (%s) nor on PATH", name, cliui.ShownName(strings.TrimSpace(filepath.Dir(own))))
}
