package walk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/histories"
)

// walk is one sequence of operations under way.
type walk struct {
	*histories.Player
	real, twin *histories.Repo
	sessions   []*sess

	clock, tasks int

	was histories.Commit // HEAD ahead of the operation
	now histories.Tree   // and the worktree

	made      map[string]*made   // commits of the real side
	bySubject map[string]*made   // the latest of each subject
	holders   map[string][]*made // commits that an atom was ever in
	ids       map[string]*made   // the first commit of each checkpoint
	slots     map[string]string  // folder of a session in a checkpoint
	pairs     map[string]string  // real commit to the twin's
	trees     map[string]histories.Tree
	points    map[string]point
	saved     [2]struct {
		id string
		point
	}

	folded map[string]bool // checkpoints of the commits under an interactive rebase, or that a squash merge takes over
	fold   struct {        // an interactive rebase of the commits above base, which named ids
		base    string
		ids     []string
		commits int // how many there are to be, at least
	}
	reverting bool

	enabled map[string]bool
}

// on reports whether a part of the model is in force.
func (w *walk) on(what string) bool { return w.enabled[what] }

// ours are the paths that no walk touches.
var ours = []string{".git", ".entire", ".claude"}

var sort = histories.Sort{Prefix: "WALK", Sequences: 3, Length: 20, Vary: true, Begin: begin, Weights: histories.Weights{
	"turn": 16, "prompt": 5, "work": 8, "stop": 6, "task": 3, "restart": 2, "end": 2, "agent-commit": 6,
	"edit": 9, "add": 5, "commit-all": 10, "commit-tracked": 5, "commit-path": 6, "commit-staged": 6, "commit-hunk": 5,
	"commit-empty": 1, "commit-unhooked": 2, "commit-unlinked": 2, "commit-index": 2, "amend": 5, "discard": 2, "stash": 3, "pop": 4,
	"branch": 3, "switch": 5, "detach": 1, "merge": 4, "squash": 2, "rebase": 3, "cherry-pick": 3, "revert": 2, "reset": 4, "fold": 3,
	"pull": 3, "push": 1, "clean": 1, "doctor": 1, "gc": 1, "rewind": 5, "undo": 3,
}}

func TestWalk(t *testing.T) {
	t.Parallel()
	sort.Test(t)
}

func begin(_ *testing.T, dir string) *histories.Player {
	w := &walk{made: map[string]*made{}, bySubject: map[string]*made{}, holders: map[string][]*made{}, ids: map[string]*made{},
		slots: map[string]string{}, pairs: map[string]string{}, trees: map[string]histories.Tree{}, points: map[string]point{},
		enabled: map[string]bool{}, real: newSide(dir, "entire"), twin: newSide(dir, "plain")}
	w.Player = &histories.Player{Oracle: w, Repo: w.twin, Skip: ours, Names: names, Branches: [][]string{{"main", "b1", "b2"}, {"side", "s1"}},
		Changes: histories.Weights{"text": 13, "remove": 2, "mode": 2, "link": 1, "rename": 2},
		Lines:   histories.Weights{"insert": 4, "replace": 2, "delete": 1},
		Tools:   histories.Weights{"edit": 2, "write": 2, "sh": 2},
		AfterOp: func() {
			for wt := range w.real.Trees {
				w.compare(wt)
				w.restored(wt)
			}
		},
		Finish: w.finish, Stats: map[string]int{}}
	w.AtEnd(w.real.Close)
	w.AtEnd(w.twin.Close)
	w.Kinds = map[string]func(*rand.Rand){"task": w.taskOp, "restart": w.restartOp, "end": w.endOp, "pull": w.pullOp, "push": w.pushOp,
		"clean": w.cleanOp, "doctor": w.doctorOp, "gc": w.gcOp, "rewind": w.rewindOp, "undo": w.undoOp}
	for _, name := range strings.Split(os.Getenv("WALK_SWITCHES"), ",") {
		w.enabled[name] = true
	}
	results := true
	for i, wt := range []int{0, 0, 1} {
		id := fmt.Sprintf("s%d000000-1111-4222-8333-444444444444", i+1)
		s := &histories.Session{Host: w, Name: string(rune('A' + i)), ID: id, WT: wt, Results: &results,
			Path: filepath.Join(w.real.Root, "home", ".claude", "projects", "p", id+".jsonl")}
		w.Sessions = append(w.Sessions, s)
		w.sessions = append(w.sessions, &sess{Session: s,
			did: map[string]bool{}, where: map[string]string{}, over: map[string]bool{}, told: map[string]bool{}, turn: map[string]bool{}, blurred: map[string]bool{}, around: map[string]bool{}, seen: map[string]bool{}, named: map[string]bool{}, gone: map[string]bool{},
			left: map[string]histories.File{}, found: map[string]histories.File{}, kept: map[string]histories.File{}, paths: map[string]bool{}})
	}
	for wt := range w.real.Trees {
		for _, c := range w.unknown(w.real.Commit(w.real.Head(wt)).ID) {
			w.learn(c, nil, nil)
		}
	}
	return w.Player
}

// files reads the files of a worktree on the real side, ignored ones included.
func (w *walk) files(wt int) histories.Tree {
	return histories.Bare(histories.Read(w.real.Dir(wt), ours...))
}

// treeOf reads a tree object of the real side.
func (w *walk) treeOf(id string) histories.Tree {
	if w.trees[id] == nil {
		w.trees[id] = w.real.Files(id, ours...)
	}
	return w.trees[id]
}

func (w *walk) put(wt int, path string, f histories.File) {
	histories.Put(w.real.Dir(wt), path, f)
	histories.Put(w.twin.Dir(wt), path, f)
}
