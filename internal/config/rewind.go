package config

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// rewindKeep is a member of the rewind option. It reaches disk.
const rewindKeep = "keep_days"

// maxKeepDays is a hundred years.
const maxKeepDays = 36525

// KeepRewinds is how long what a rewind replaced is kept at least, 0 where nothing
// is set.
func (s Settings) KeepRewinds() time.Duration {
	v := gjson.GetBytes(s.StrategyOptions[optionRewind], rewindKeep)
	if !v.Exists() || v.Type == gjson.Null || wrongRewind(rewindKeep, v) != "" {
		return 0
	}
	return time.Duration(v.Num * float64(24*time.Hour))
}

// wrongRewind is what a member of the rewind option is to be, "" if it is that.
func wrongRewind(key string, v gjson.Result) string {
	if key == rewindKeep && (v.Type != gjson.Number || !(v.Num > 0 && v.Num <= maxKeepDays)) {
		return fmt.Sprintf("a number of days, more than 0 and at most %d", maxKeepDays)
	}
	return ""
}
