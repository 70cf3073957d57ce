package histories

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An Op is one operation as data. Its number makes its choices (a file, a session, a variant) from what is there
// when it is played, so any part of a list of operations is a list that can be played, too.
type Op struct {
	Kind string
	N    uint32
}

func (o Op) String() string { return fmt.Sprintf("%s:%d", o.Kind, o.N) }

// rand returns the source of the operation's choices.
func (o Op) rand() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(o.N), hash(o.Kind)))
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// Weights says how often each of several names is drawn.
type Weights map[string]int

// Pick draws a name.
func (w Weights) Pick(rng *rand.Rand) string {
	sum := 0
	for _, weight := range w {
		sum += weight
	}
	n := rng.IntN(sum)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if n -= w[name]; n < 0 {
			return name
		}
	}
	panic("unreachable: the weights are more than their sum")
}

// Pick draws one of a list.
func Pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// Draw returns the n operations of a seed.
func (w Weights) Draw(n int, seed uint64) []Op {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	ops := make([]Op, n)
	for i := range ops {
		ops[i] = Op{w.Pick(rng), rng.Uint32()}
	}
	return ops
}

// Show writes a list of operations as text, for Parse.
func Show(ops []Op) string {
	var parts []string
	for _, o := range ops {
		parts = append(parts, o.String())
	}
	return strings.Join(parts, " ")
}

// Parse reads a list of operations of the kinds that w has.
func (w Weights) Parse(text string) ([]Op, error) {
	var ops []Op
	for _, word := range strings.Fields(text) {
		kind, n, _ := strings.Cut(word, ":")
		number, err := strconv.ParseUint(n, 10, 32)
		if _, known := w[kind]; err != nil || !known {
			return nil, fmt.Errorf("no operation: %q", word)
		}
		ops = append(ops, Op{kind, uint32(number)})
	}
	return ops, nil
}

// Shortest takes elements out of a list as long as same holds for the rest and more holds.
func Shortest[T any](list []T, same func([]T) bool, more func() bool) []T {
	for before := -1; before != len(list) && more(); {
		before = len(list)
		for size := max(1, len(list)/2); size > 0; size /= 2 {
			for at := len(list) - size; at > -size && more(); at -= size {
				from := max(0, at)
				if less := slices.Delete(slices.Clone(list), from, min(from+size, len(list))); same(less) {
					list = less
				}
				at = min(at, len(list))
			}
		}
	}
	return list
}
