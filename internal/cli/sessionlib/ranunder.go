package sessionlib

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
)

// AroundLines returns the circumstances of a session for people: a name and a text each.
func AroundLines(s ListedSession) (lines [][2]string) {
	c := s.Around
	if c == nil {
		return nil
	}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, [2]string{name, text})
		}
	}
	if c.CWD != s.Folder {
		add("Working directory", c.CWD)
	}
	add("Permissions", c.Permissions)
	add("Tools", strings.Join(c.Tools, ", "))
	add("Git", onBranch(c.Branch, c.Commit))
	var vars []string
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		vars = append(vars, name+"="+c.Environment[name])
	}
	add("Environment", strings.Join(vars, " "))
	return lines
}

func onBranch(branch, commit string) string {
	switch {
	case commit == "":
		return branch
	case branch == "":
		return "detached at " + commit[:min(len(commit), 7)]
	}
	return branch + " at " + commit[:min(len(commit), 7)]
}

// TellAround tells a person who continues a session which of its circumstances have changed, and
// with which permissions its agent ran.
func (l *Library) TellAround(ctx context.Context, s ListedSession) {
	c := s.Around
	if c == nil {
		return
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(l.Env.Err, cliui.ShownLine(fmt.Sprintf(format, args...)))
	}
	if c.Permissions != "" && c.Permissions != "default" {
		say("It ran with the permissions %q.", c.Permissions)
	}
	if l.Wp != nil && c.Commit != "" {
		head, _, err := l.Wp.Repo.Reader(ctx).CommitOf("HEAD")
		branch := l.Wp.Repo.Branch(ctx)
		if err == nil && (branch != c.Branch || head.OID.String() != c.Commit) {
			say("It was on %s; HEAD is now %s.", onBranch(c.Branch, c.Commit), cmp.Or(onBranch(branch, head.OID.String()), "unborn"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		now, set := l.Env.ChosenVariables([]string{name})[name]
		switch was := fmt.Sprintf("%s was %q", name, c.Environment[name]); {
		case !set:
			say("%s; now it is not set.", was)
		case now != c.Environment[name]:
			say("%s; now it is %q.", was, now)
		}
	}
}
