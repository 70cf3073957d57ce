package watch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestFailed: a person is told of a failure once, until a save succeeds or fails for another reason.
func TestFailed(t *testing.T) {
	t.Parallel()
	full, denied := errors.New("no space left"), errors.New("permission denied")
	var told []error
	var next error
	w := &watch{Options: Options{
		Dir: t.TempDir(), Now: time.Now, Failed: func(err error) { told = append(told, err) },
		Save: func(context.Context) (Saved, error) { return Saved{}, next },
	}}
	for _, next = range []error{full, full, denied, nil, denied} {
		w.keep(t.Context())
	}
	if want := []error{full, denied, denied}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}
