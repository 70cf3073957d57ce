package rewindwalk

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"entire/internal/histories"
)

// A state is what the files were at a turn's edge or before a command that destroys, and the point that holds them.
type state struct {
	what  string
	id    string // of the step, or of HEAD if the files were as it has them
	head  string
	files histories.Tree
}

// losses is a history in which people and two agents destroy files, beside the real program.
type losses struct {
	*history
	states  []state
	active  map[string]bool // sessions in a turn
	watcher *exec.Cmd
}

// beginLosses begins a history of losses.
func beginLosses(_ *testing.T, root string) *histories.Player {
	l := &losses{history: newHistory(root), active: map[string]bool{}}
	l.Names = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "run.sh", "n1", "n2", "sub/s", "sub/deep/t", "odd \"name\n", "-rf", "other.log"}
	l.Changes = histories.Weights{"text": 7, "remove": 1, "odd": 1, "link": 1}
	l.Links = []string{"a.txt"}
	l.Finish = l.allBack
	l.AtEnd(l.endWatch)
	l.Kinds = map[string]func(*rand.Rand){"turn": l.turn, "open": l.open, "destroy": l.destroyInTurn, "close": l.close,
		"edit": l.edit, "typed": l.destroyByHand, "commit": l.commitAll, "back": l.goBack, "watch": l.watch}
	return l.Player
}

// must runs the program to its end.
func (l *losses) must(args ...string) string {
	cmd := l.command(args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		histories.Fail("command", "entire %q: %v: %s%s", args, err, out, errs.String())
	}
	return string(out)
}

func (l *losses) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program(), args...)
	cmd.Dir, cmd.Env = l.top, l.Repo.Env
	return cmd
}

// TestGuardWalk: every state of the files that existed at a turn's edge or before a command that may destroy
// comes back byte for byte, whatever people, two agents and kill -9 did afterwards.
func TestGuardWalk(t *testing.T) {
	t.Parallel()
	histories.Sort{Prefix: "GUARDWALK", Sequences: 4, Length: 12, Begin: beginLosses, Weights: histories.Weights{
		"turn": 20, "open": 6, "destroy": 16, "close": 6, "edit": 12, "typed": 12, "commit": 6, "back": 6, "watch": 1,
	}}.Test(t)
}
