package main

import (
	"errors"
	"os"
	"slices"
	"testing"

	"entire/internal/bodies"
	"entire/internal/bucket/buckettest"
)

// TestServerLeavesHalf: a real server has half an object, none of its bytes or other ones under the name of a body, as after
// the machine has crashed. Whoever reads it is told so, and a clone that has the body mends the bucket.
func TestServerLeavesHalf(t *testing.T) {
	t.Parallel()
	g, err := buckettest.NewGateway(t.TempDir())
	if err != nil {
		t.Skipf("there is no %s on PATH (`make bucket-kills` builds it): %v", buckettest.GatewayProgram, err)
	}
	if err := g.Start(false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Kill() })
	program := programPath(t)
	f, _ := clone(t, g.URL, program)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 12, 60<<10)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	g.Kill()
	var bad []string
	err = g.Stored(func(key, file string) error {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch n := len(bad); {
		case n < 3:
			data = data[:len(data)/2]
		case n < 6:
			data = nil
		case n < 9:
			clear(data[len(data)/2:])
		default:
			return nil
		}
		bad = append(bad, nameOf(key))
		return os.WriteFile(file, data, 0o600)
	})
	if err != nil || len(bad) != 9 {
		t.Fatal(bad, err)
	}
	if err := g.Start(true); err != nil {
		t.Fatal(err)
	}
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p)
	}
	reader, _ := clone(t, g.URL, program)
	_, errs := reader.Read(t.Context(), ask)
	for i, p := range ask {
		if got, want := errors.Is(errs[i], bodies.ErrWrong), slices.Contains(bad, p.SHA256); got != want || errs[i] != nil && !want {
			t.Errorf("%s: %v; it was damaged: %v", p.SHA256, errs[i], want)
		}
	}
	for _, name := range bad {
		if err := f.WaitAgain(name); err != nil {
			t.Error(err)
		}
	}
	if err := sendAll(t.Context(), f); err != nil {
		t.Error(err)
	}
	again, _ := clone(t, g.URL, program)
	if _, errs := again.Read(t.Context(), ask); errors.Join(errs...) != nil {
		t.Error(errors.Join(errs...))
	}
}
