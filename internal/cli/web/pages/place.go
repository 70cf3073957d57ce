package pages

import (
	"context"

	"entire/internal/cli/workplace"
)

// at opens the worktree for one page. The timeline has one of its own, which it shares with nobody.
func (p *Pages) at(ctx context.Context, do func(*workplace.Workplace) error) error {
	wp, err := openPlace(ctx, p.env, p.env)
	if err != nil {
		return err
	}
	defer wp.Close()
	return do(wp)
}
