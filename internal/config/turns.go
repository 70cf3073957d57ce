package config

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// Members of the turns option in the settings files.
const (
	turnsKeep = "keep_days"
	turnsSize = "max_size_mb"
)

// Turns returns how long turns are kept after their commit, negative for not at all, and how many
// bytes they may use. Each is 0 if not set.
func (s Settings) Turns() (keep time.Duration, limit int64) {
	option := gjson.ParseBytes(s.StrategyOptions[optionTurns])
	if v := option.Get(turnsKeep); v.Exists() && v.Type != gjson.Null && wrongTurns(turnsKeep, v) == "" {
		if keep = time.Duration(v.Num * float64(24*time.Hour)); keep == 0 {
			keep = -1
		}
	}
	if v := option.Get(turnsSize); v.Exists() && v.Type != gjson.Null && wrongTurns(turnsSize, v) == "" {
		limit = int64(v.Num * mebibyte)
	}
	return keep, limit
}

// wrongTurns returns what a member of the turns option must be, or "" if v is valid.
func wrongTurns(key string, v gjson.Result) string {
	number := v.Type == gjson.Number
	switch {
	case key == turnsKeep && !(number && v.Num >= 0 && v.Num <= maxKeepDays):
		return fmt.Sprintf("a number of days, at most %d; 0 for not at all", maxKeepDays)
	case key == turnsSize && !(number && v.Num >= 1 && v.Num <= maxCaptureMB):
		return fmt.Sprintf("a number of MiB, from 1 to %d", maxCaptureMB)
	}
	return ""
}
