package rescuecmd

import (
	"context"
	"fmt"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/cli/workplace"
)

// setDaily switches the daily import of this project on or off.
func setDaily(ctx context.Context, env *cliui.Env, on bool) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	if err := rescuelib.SetDaily(wp.Repo.Top, on); err != nil {
		return err
	}
	if on {
		fmt.Fprintln(env.Err, "✓ Imported again once a day, when a session starts (.entire/settings.local.json)")
	} else {
		fmt.Fprintln(env.Out, "✓ No longer imported once a day (.entire/settings.local.json)")
	}
	return nil
}
