package base

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"entire/agent"
	"entire/agent/internal/settings"
	"entire/internal/risk"
)

// ErrForeignFile is returned for a hook file that should be this program's alone, but whose content
// somebody else wrote.
var ErrForeignFile = errors.New("another program's file has this name, and is not replaced: move it away, and try again")

// Whole is a hook file that this program writes as a whole.
type Whole struct {
	// Mark is in every version of the file, and in no file of anybody else.
	Mark string
	// Text returns the content for the file at path.
	Text func(path string, opts agent.InstallOptions) string
}

// Install returns the file's content, and 1 if that changes it. It returns ErrForeignFile for a file
// without the mark.
func (w Whole) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	text := []byte(w.Text(path, opts))
	switch {
	case src == nil:
		return text, 1, nil
	case !w.Installed(src):
		return nil, 0, ErrForeignFile
	case bytes.Equal(src, text):
		return src, 0, nil
	}
	return text, 1, nil
}

// Uninstall returns nil and 1 for a file with the mark, and any other file as it is.
func (w Whole) Uninstall(src []byte) ([]byte, int, error) {
	if !w.Installed(src) {
		return src, 0, nil
	}
	return nil, 1, nil
}

// Installed reports whether the file has the mark.
func (w Whole) Installed(src []byte) bool { return bytes.Contains(src, []byte(w.Mark)) }

// Script fills in a script that runs this program's hooks: {{AGENT}}, and as lists of texts {{COMMAND}}, the
// program, and {{BEFORE}} and {{AFTER}}, the tools whose calls it reports, and {{GUARDED}}, those whose calls it
// reports if {{RISKY}}, a regular expression, matches the command. shell are the agent's tools that run
// commands, changing those that may change files.
func Script(text, agentName string, opts agent.InstallOptions, shell, changing []string) string {
	command := []string{"entire"}
	if opts.LocalDev {
		command = strings.Fields(settings.LocalDev)
	}
	before, after := opts.Tools.Before, opts.Tools.After
	var guarded []string
	if opts.Tools.Shell {
		guarded = shell
	}
	if opts.Tools.Shell && opts.Tools.Everything {
		before = append(before[:len(before):len(before)], shell...)
	}
	if opts.Tools.Changes {
		after = append(after[:len(after):len(after)], changing...)
	}
	return strings.NewReplacer("{{AGENT}}", agentName, "{{COMMAND}}", textList(command), "{{BEFORE}}", textList(before), "{{GUARDED}}", textList(guarded), "{{RISKY}}", risk.PatternText(), "{{AFTER}}", textList(after)).Replace(text)
}

// textList returns texts as a list in JSON, which is also JavaScript.
func textList(texts []string) string {
	if len(texts) == 0 {
		return "[]"
	}
	out, err := json.Marshal(texts)
	if err != nil {
		return "[]" // no text fails
	}
	return string(out)
}
