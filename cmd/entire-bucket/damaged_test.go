package main

import (
	"errors"
	"testing"

	"entire/internal/bodies"
)

// TestDamaged: the bytes of objects change in the server, which still says the MD5 of what was put. A check sees it, and a
// clone that has the bodies mends the bucket.
func TestDamaged(t *testing.T) {
	t.Parallel()
	s, program, f, _ := bucketOf(t)
	all := map[string]bodies.Pointer{}
	fill(t, f, all, 1, 5, 40<<10)
	if err := sendAll(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	var ask []bodies.Pointer
	for _, p := range all {
		ask = append(ask, p)
	}
	if err := s.Rot(); err != nil {
		t.Fatal(err)
	}
	failed, err := f.Check(t.Context(), ask)
	if err != nil || len(failed) != len(all) {
		t.Errorf("check of damaged objects: %v, %v", failed, err)
	}
	for name, why := range failed {
		if !errors.Is(why, bodies.ErrWrong) {
			t.Errorf("%s: %v", name, why)
		}
		if err := f.WaitAgain(name); err != nil {
			t.Error(err)
		}
	}
	if err := sendAll(t.Context(), f); err != nil {
		t.Error(err)
	}
	if failed, err := f.Check(t.Context(), ask); err != nil || len(failed) > 0 {
		t.Errorf("after they were sent again: %v, %v", failed, err)
	}
	intact(t, s, program, all)
}
