package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// ignored are the lines that .entire/.gitignore must have. Missing lines are appended in this order.
var ignored = []string{"tmp/", "settings.local.json", "metadata/", "logs/"}

// EnsureGitignore appends the lines that .entire/.gitignore lacks and keeps all others. A line counts
// as present only if it is equal, except for trailing blanks.
func EnsureGitignore(top string) error {
	path := filepath.Join(top, dirName, ".gitignore")
	unlock, err := lock(top)
	if err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	defer unlock()
	data, err := readPlain(path)
	if err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	out := appendMissing(string(data), ignored)
	if out == string(data) {
		return nil
	}
	return durable.WriteFile(path, []byte(out), modeOf(path))
}

// IsOurs reports whether only Entire writes what lies at the path, which is an entry of .entire. A .gitignore with
// lines of other people is theirs.
func IsOurs(path string) bool {
	switch name := filepath.Base(path); name {
	case "settings.json", "settings.local.json", "tmp", "logs", "metadata":
		return true
	case ".gitignore":
		data, err := readPlain(path)
		return err == nil && !slices.ContainsFunc(strings.Split(string(data), "\n"), func(line string) bool {
			line = strings.TrimRight(line, " \t\r")
			return line != "" && !slices.Contains(ignored, line)
		})
	default:
		return durable.IsTemp(name)
	}
}

func appendMissing(text string, lines []string) string {
	have := strings.Split(text, "\n")
	for i := range have {
		have[i] = strings.TrimRight(have[i], " \t\r")
	}
	for _, line := range lines {
		if slices.Contains(have, line) {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += line + "\n"
	}
	return text
}
