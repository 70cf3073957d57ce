package rewindwalk

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An op is one operation as data. What its number chooses depends on where the
// history stands, so that any part of a list is a list too.
type op struct {
	kind string
	n    uint32
}

func (o op) String() string { return fmt.Sprintf("%s:%d", o.kind, o.n) }

func (o op) rng() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(o.kind))
	return rand.New(rand.NewPCG(uint64(o.n), h.Sum64()))
}

func show(ops []op) string {
	var parts []string
	for _, o := range ops {
		parts = append(parts, o.String())
	}
	return strings.Join(parts, " ")
}

func parseOps(text string, known func(kind string) bool) ([]op, error) {
	var ops []op
	for _, word := range strings.Fields(text) {
		kind, n, _ := strings.Cut(word, ":")
		number, err := strconv.ParseUint(n, 10, 32)
		if err != nil || !known(kind) {
			return nil, fmt.Errorf("no operation: %q", word)
		}
		ops = append(ops, op{kind, uint32(number)})
	}
	return ops, nil
}

// kind is a sort of operation; weight says how often it is drawn.
type kind struct {
	name   string
	weight int
	do     func(*history, *rand.Rand)
}

func kinds() []kind {
	return []kind{
		{"turn", 22, (*history).turnOp},
		{"prompt", 4, (*history).promptOp},
		{"work", 4, (*history).workOp},
		{"stop", 5, (*history).stopOp},
		{"edit", 14, (*history).editOp},
		{"rules", 5, (*history).rulesOp},
		{"stage", 8, (*history).stageOp},
		{"stash", 1, (*history).stashOp},
		{"merge", 3, (*history).mergeOp},
		{"commit", 6, (*history).commitOp},
		{"rewind", 22, (*history).rewindOp},
		{"scope", 14, (*history).scopeOp},
		{"back", 5, (*history).backOp},
		{"undo", 12, (*history).undoOp},
		{"redo", 8, (*history).redoOp},
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

// opsOf draws a list of n operations.
func opsOf(n int, seed uint64) []op {
	var lots []string
	for _, k := range kinds() {
		for range k.weight {
			lots = append(lots, k.name)
		}
	}
	return drawn(lots, n, rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)))
}

// drawn draws n operations; a name that is twice among the lots is drawn twice as often.
func drawn(lots []string, n int, rng *rand.Rand) []op {
	ops := make([]op, n)
	for i := range ops {
		ops[i] = op{lots[rng.IntN(len(lots))], rng.Uint32()}
	}
	return ops
}

// shortest takes operations out of a list for as long as it fails in the same way.
func shortest(ops []op, same func([]op) bool, more func() bool) []op {
	for before := -1; before != len(ops) && more(); {
		before = len(ops)
		for size := max(1, len(ops)/2); size > 0; size /= 2 {
			for at := len(ops) - size; at > -size && more(); at -= size {
				from := max(0, at)
				less := slices.Delete(slices.Clone(ops), from, min(from+size, len(ops)))
				if same(less) {
					ops = less
				}
				at = min(at, len(ops))
			}
		}
	}
	return ops
}
