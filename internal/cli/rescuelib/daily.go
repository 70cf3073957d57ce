package rescuelib

import (
	"entire/internal/cli/cliui"
	"entire/internal/config"
)

// SetDaily switches the daily import of a project on or off, in the person's own settings. Session starts begin
// it, so Entire has to be enabled there.
func SetDaily(top string, on bool) error {
	if on && !config.Exists(top) {
		return cliui.Failf("`entire enable` first, or run `entire rescue` now and then", "once a day needs Entire's hooks, and it is not enabled in %s", cliui.ShownName(top))
	}
	return config.Update(top, config.Local, func(f *config.File) error { return config.SetRescueDaily(f, on) })
}
