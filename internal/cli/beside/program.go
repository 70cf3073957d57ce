package beside

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"entire/internal/cli/cliui"
)

// Program returns the path of a program: beside this one, or else on PATH. Purpose is what it does, for the error, as in
// "which answers agents".
func Program(env *cliui.Env, name, purpose string) (string, error) {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	folders := []string{filepath.Dir(own)}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, file)); err == nil {
			return path, nil
		}
	}
	for _, folder := range filepath.SplitList(env.Getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", cliui.Failf("`make install` or `go install ./cmd/...` in Entire's sources installs all programs",
		"the program %s, %s, is neither beside entire (%s) nor on PATH", file, purpose, cliui.ShownName(filepath.Dir(own)))
}

// Start becomes the program at path or, where the system cannot do that, runs it and waits.
func Start(ctx context.Context, env *cliui.Env, path string, args []string) error {
	env.Flush()
	if err := become(ctx, path, args, env); err != nil {
		return fmt.Errorf("start %s: %w", cliui.ShownName(path), err)
	}
	return nil
}
