package config

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// rewindKeep is a member of the rewind option in the settings files.
const rewindKeep = "keep_days"

// maxKeepDays is a hundred years.
const maxKeepDays = 36525

// KeepRewinds returns the minimum time that content replaced by a rewind is kept, or 0 if it is not
// set.
func (s Settings) KeepRewinds() time.Duration {
	v := gjson.GetBytes(s.StrategyOptions[optionRewind], rewindKeep)
	if !v.Exists() || v.Type == gjson.Null || wrongRewind(rewindKeep, v) != "" {
		return 0
	}
	return time.Duration(v.Num * float64(24*time.Hour))
}

// wrongRewind returns what a member of the rewind option must be, or "" if v is valid.
func wrongRewind(key string, v gjson.Result) string {
	if key == rewindKeep && (v.Type != gjson.Number || !(v.Num > 0 && v.Num <= maxKeepDays)) {
		return fmt.Sprintf("a number of days, more than 0 and at most %d", maxKeepDays)
	}
	return ""
}
