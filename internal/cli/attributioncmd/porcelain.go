package attributioncmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
)

// showPorcelain prints what git blame prints with the same option, and before the text of each line the
// owner's fields. Without these it is git's output byte for byte, so that programs that read git's can read it.
func showPorcelain(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, option, path string, o blameOptions, lines []lineage.Line) error {
	rev, err := ownerlib.Revision(ctx, wp, o.rev)
	if err != nil {
		return err
	}
	args := []string{"-c", "core.quotePath=" + quotePath(ctx, wp), "blame", option}
	for _, l := range o.spans {
		args = append(args, "-L", fmt.Sprintf("%d,%d", l.From, l.To))
	}
	if rev != "" {
		args = append(args, rev)
	}
	out, err := wp.Repo.Run(ctx, append(args, "--", path)...)
	var exit *git.ExitError
	if errors.As(err, &exit) { // a file that HEAD does not have: all lines are uncommitted
		out, err = uncommittedPorcelain(path, lines), nil
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(env.Raw(), withOwners(out, lines))
	return err
}

// quotePath returns how git quotes paths for the user. Our own calls of git set it otherwise.
func quotePath(ctx context.Context, wp *workplace.Workplace) string {
	value := "true"
	out, err := wp.Repo.Run(ctx, "config", "--show-scope", "--get-all", "core.quotePath")
	for line := range strings.Lines(string(out)) {
		if scope, set, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && err == nil && scope != "command" {
			value = set
		}
	}
	return value
}

// withOwners puts the fields of owners into git's output, before the text of each line.
func withOwners(out []byte, lines []lineage.Line) string {
	byNumber := make(map[int]lineage.Line, len(lines))
	for _, l := range lines {
		byNumber[l.Number] = l
	}
	var b strings.Builder
	number, commit, within := 0, "", false
	for line := range bytes.Lines(out) {
		switch {
		case !within:
			if f := strings.Fields(string(line)); len(f) >= 3 {
				commit = f[0]
				number, _ = strconv.Atoi(f[2])
			}
			within = true
		case line[0] == '\t':
			if l, ok := byNumber[number]; ok {
				writeOwner(&b, l, commit)
			}
			within = false
		}
		b.Write(line)
	}
	return b.String()
}

// writeOwner writes the owner of a line that git says a commit brought.
func writeOwner(b *strings.Builder, l lineage.Line, commit string) {
	field := func(key, value string) {
		if value != "" {
			b.WriteString(key + " " + cliui.OneLine(value) + "\n")
		}
	}
	field("class", l.Owner.Class)
	field("agent", l.Owner.Agent)
	field("model", l.Owner.Model)
	field("session", l.Owner.SessionID)
	if l.Owner.Turn > 0 {
		field("turn", strconv.Itoa(l.Owner.Turn))
	}
	field("tool-use", l.Owner.ToolUseID)
	field("checkpoint", l.Checkpoint.String())
	if l.WithoutTrailer {
		field("linked-without-trailer", "1")
	}
	if at := l.Commit.String(); !l.Commit.IsZero() && at != commit {
		field("written-in", at)
	}
	field("evidence", string(l.Evidence))
}

// uncommittedPorcelain describes lines as git does those that are not committed.
func uncommittedPorcelain(path string, lines []lineage.Line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		fmt.Fprintf(&b, "%s %d %d\nauthor Not Committed Yet\nauthor-mail <not.committed.yet>\nfilename %s\n\t%s\n", strings.Repeat("0", 40), l.Number, l.Number, path, l.Text)
	}
	return b.Bytes()
}
