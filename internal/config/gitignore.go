package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// ignored are the lines .entire/.gitignore must have, in the order in which
// missing ones are appended.
var ignored = []string{"tmp/", "settings.local.json", "metadata/", "logs/"}

// EnsureGitignore appends the lines that .entire/.gitignore lacks. A line
// counts as there only if it is there as a whole, trailing blanks aside; what
// else the file says is kept.
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
