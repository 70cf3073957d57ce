package walk

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// An Op is one operation as data. What its number chooses (a file, a session,
// a variant) depends on where the walk stands, so that any part of a list is a
// list too.
type Op struct {
	Kind string
	N    uint32
}

func (op Op) String() string { return fmt.Sprintf("%s:%d", op.Kind, op.N) }

// rng makes the operation's choices.
func (op Op) rng() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(op.Kind))
	return rand.New(rand.NewPCG(uint64(op.N), h.Sum64()))
}

func show(ops []Op) string {
	var parts []string
	for _, op := range ops {
		parts = append(parts, op.String())
	}
	return strings.Join(parts, " ")
}

func parseOps(text string) ([]Op, error) {
	var ops []Op
	for _, word := range strings.Fields(text) {
		kind, n, _ := strings.Cut(word, ":")
		number, err := strconv.ParseUint(n, 10, 32)
		if err != nil || kindOf(kind) == nil {
			return nil, fmt.Errorf("no operation: %q", word)
		}
		ops = append(ops, Op{kind, uint32(number)})
	}
	return ops, nil
}

// kind is a sort of operation; weight says how often it is drawn.
type kind struct {
	name   string
	weight int
	do     func(*walk, *rand.Rand)
}

func kinds() []kind {
	return []kind{
		{"turn", 16, (*walk).turnOp},
		{"prompt", 5, (*walk).promptOp},
		{"agent-edit", 8, (*walk).agentEditOp},
		{"stop", 6, (*walk).stopOp},
		{"task", 3, (*walk).taskOp},
		{"restart", 2, (*walk).restartOp},
		{"end", 2, (*walk).endOp},
		{"agent-commit", 6, (*walk).agentCommitOp},
		{"edit", 9, (*walk).editOp},
		{"add", 5, (*walk).addOp},
		{"commit-all", 10, (*walk).commitAllOp},
		{"commit-tracked", 5, (*walk).commitTrackedOp},
		{"commit-path", 6, (*walk).commitPathOp},
		{"commit-staged", 6, (*walk).commitStagedOp},
		{"commit-hunk", 5, (*walk).commitHunkOp},
		{"commit-empty", 1, (*walk).commitEmptyOp},
		{"commit-unhooked", 2, (*walk).commitUnhookedOp},
		{"commit-unlinked", 2, (*walk).commitUnlinkedOp},
		{"amend", 5, (*walk).amendOp},
		{"discard", 2, (*walk).discardOp},
		{"stash", 3, (*walk).stashOp},
		{"pop", 4, (*walk).popOp},
		{"branch", 3, (*walk).branchOp},
		{"switch", 5, (*walk).switchOp},
		{"detach", 1, (*walk).detachOp},
		{"merge", 4, (*walk).mergeOp},
		{"squash", 2, (*walk).squashOp},
		{"rebase", 3, (*walk).rebaseOp},
		{"cherry-pick", 3, (*walk).cherryPickOp},
		{"revert", 2, (*walk).revertOp},
		{"reset", 4, (*walk).resetOp},
		{"pull", 3, (*walk).pullOp},
		{"fold", 3, (*walk).foldOp},
		{"commit-index", 2, (*walk).commitIndexOp},
		{"push", 1, (*walk).pushOp},
		{"clean", 1, (*walk).cleanOp},
		{"doctor", 1, (*walk).doctorOp},
		{"gc", 1, (*walk).gcOp},
		{"rewind", 5, (*walk).rewindOp},
		{"undo", 3, (*walk).undoOp},
	}
}

func kindOf(name string) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return &k
		}
	}
	return nil
}

// opsOf generates lists of n operations.
func opsOf(n int) *rapid.Generator[[]Op] {
	var lots []string
	for _, k := range kinds() {
		for range k.weight {
			lots = append(lots, k.name)
		}
	}
	// rapid prefers small numbers; a walk wants every kind alike, and no two alike.
	one := rapid.Custom(func(t *rapid.T) Op {
		draw := mix(rapid.Uint64().Draw(t, "op") ^ mix(rapid.Uint64().Draw(t, "more")))
		return Op{lots[draw%uint64(len(lots))], uint32(draw >> 32)}
	})
	return rapid.SliceOfN(one, n, n)
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
