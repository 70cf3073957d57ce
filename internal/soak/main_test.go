//go:build soak

package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// binary is the program under test, built once for all tests.
var binary string

// rounds is SOAK_ROUNDS.
var rounds = number("SOAK_ROUNDS", 20)

// seed is SOAK_SEED.
var seed = number("SOAK_SEED", int(time.Now().Unix()))

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "soak-bin-")
	if err == nil {
		binary = filepath.Join(dir, "entire")
		err = testrepo.BuildInto(dir, "entire")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak: build entire:", err)
		os.Exit(1)
	}
	fmt.Printf("SOAK_ROUNDS=%d SOAK_SEED=%d\n", rounds, seed)
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// chance is a source of random choices that SOAK_SEED repeats.
func chance(n uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), n)) }
