package maintain

import (
	"context"
	"fmt"

	"entire/checkpoint/epoch"
	"entire/checkpoint/sealing"
	"entire/strategy/sessionstate"
)

// examineEpochs finds manifests that do not fit their checkpoints.
func examineEpochs(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	set, err := epoch.Load(ctx, s.Repo)
	if err != nil {
		return []Finding{{Kind: "epoch", Subject: epoch.Refs, Why: err.Error(), Hint: "`entire share fetch` gets the manifests again from a remote"}}, ctx.Err()
	}
	var out []Finding
	for _, m := range set {
		wrong, err := sealing.Verify(ctx, s.Repo, m)
		if err != nil {
			return out, fmt.Errorf("check the epoch %s: %w", m.Month, err)
		}
		for _, why := range wrong {
			out = append(out, Finding{Kind: "epoch", Subject: m.Month.Ref(), Why: why,
				Hint: fmt.Sprintf("delete %s and %s with `git update-ref -d`, and `entire share fetch` gets them again from a remote that has them", m.Month.Ref(), m.Month.BodyRef())})
		}
	}
	return out, nil
}
