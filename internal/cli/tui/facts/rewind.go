package facts

import (
	"context"

	"entire/internal/cli/rewindlib"
	"entire/strategy/step"
)

// Look returns what a rewind, an undo or a redo would do.
func (s *Source) Look(ctx context.Context, req rewindlib.Request) (*rewindlib.Preview, error) {
	return rewindlib.Look(ctx, s.env, req)
}

// Do carries out what a preview with that mark showed.
func (s *Source) Do(ctx context.Context, req rewindlib.Request, mark string) (*rewindlib.Done, error) {
	return rewindlib.Do(ctx, s.env, req, mark)
}

// SaveLabel saves the files as they are as a point with a label.
func (s *Source) SaveLabel(ctx context.Context, label string) (step.RewindPoint, error) {
	return rewindlib.SaveLabel(ctx, s.env, label)
}
