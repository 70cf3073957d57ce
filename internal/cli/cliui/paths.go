package cliui

import (
	"os"
	"path/filepath"

	"entire/agent"
	"entire/internal/config"
	"entire/internal/durable"
)

// IsWithin reports whether path is dir or below it.
func IsWithin(dir, path string) bool {
	rel, err := filepath.Rel(ResolvedPath(dir), ResolvedPath(path))
	return err == nil && path != "" && filepath.IsLocal(rel)
}

// ResolvedPath returns a path without symbolic links; a missing path only cleaned.
func ResolvedPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return path != "" && err == nil && fi.IsDir()
}

func HasFile(path string) bool {
	fi, err := os.Stat(path)
	return path != "" && err == nil && fi.Mode().IsRegular() && fi.Size() > 0
}

func ReadIfThere(path string) []byte {
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return nil
	}
	return data
}

func SettingsName(t config.Target) string {
	return filepath.ToSlash(config.Path(".", t))
}

// ShownPath returns path relative to the worktree's top, if it is below it.
func ShownPath(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
