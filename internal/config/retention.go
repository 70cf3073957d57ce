package config

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"
)

// Members of the retention option in the settings files.
const (
	retainOlder    = "older_than_days"
	retainInactive = "inactive_days"
	retainSize     = "max_size_mb"
	retainKeep     = "keep"
	retainTrash    = "trash_days"
	retainAuto     = "automatic"
	retainPlain    = "compress_after_days"
)

// userRetention is the file with the user's own limits, in the data directory.
const userRetention = "retention.json"

// Retention says how long conversations are kept; 0 means no limit.
type Retention struct {
	OlderThan, Inactive time.Duration
	MaxBytes            int64
	Keep                int
	Grace               time.Duration // time in the trash; 0 if not set
	Automatic           bool          // also applied when a session ends
	Compress            time.Duration // after this time without use; 0 if not set, negative for never
}

// Retention returns the retention option without its invalid values. Only [UserRetention] says whether the
// limits are applied when a session ends.
func (s Settings) Retention() Retention {
	r := retentionOf(gjson.ParseBytes(s.StrategyOptions[optionRetention]))
	r.Automatic = false
	return r
}

func retentionOf(option gjson.Result) Retention {
	var r Retention
	days := func(v gjson.Result) time.Duration { return time.Duration(v.Num * float64(24*time.Hour)) }
	for key, v := range validMembers(option, wrongRetention) {
		switch key {
		case retainOlder:
			r.OlderThan = days(v)
		case retainInactive:
			r.Inactive = days(v)
		case retainTrash:
			r.Grace = days(v)
		case retainSize:
			r.MaxBytes = int64(math.Ceil(v.Num * 1e6))
		case retainKeep:
			r.Keep = int(v.Num)
		case retainAuto:
			r.Automatic = v.Bool()
		case retainPlain:
			if r.Compress = days(v); r.Compress <= 0 {
				r.Compress = -1
			}
		}
	}
	return r
}

// wrongRetention returns what a member of the retention option must be, or "" if v is valid.
func wrongRetention(key string, v gjson.Result) string {
	number := v.Type == gjson.Number
	switch key {
	case retainOlder, retainInactive, retainTrash:
		if !number || !(v.Num > 0 && v.Num <= maxKeepDays) {
			return fmt.Sprintf("a number of days, more than 0 and at most %d", maxKeepDays)
		}
	case retainSize:
		if !number || !(v.Num > 0 && v.Num <= 1e9) {
			return "a number of MB, more than 0"
		}
	case retainKeep:
		if !number || v.Num != math.Trunc(v.Num) || v.Num < 1 || v.Num > 1e9 {
			return "the number of sessions that stay, at least 1"
		}
	case retainPlain:
		if !number || v.Num > maxKeepDays || v.Num < -maxKeepDays {
			return fmt.Sprintf("a number of days, at most %d; 0 for never", maxKeepDays)
		}
	case retainAuto:
		if !v.IsBool() {
			return wantBool
		}
	}
	return ""
}

// UserRetention returns the user's own limits for all projects, from retention.json in the data
// directory. Without the file there are no limits. An unreadable file or an invalid value is an error,
// so that no conversation is deleted by a guess.
func UserRetention(data string) (Retention, error) {
	path := filepath.Join(data, userRetention)
	text, err := readPlain(path)
	if err != nil {
		return Retention{}, fmt.Errorf("read settings %s: %w", path, err)
	}
	if text == nil {
		return Retention{}, nil
	}
	object, err := decode(text)
	if err != nil {
		return Retention{}, fmt.Errorf("read settings %s: %w", path, err)
	}
	for _, m := range members(object) {
		v := gjson.Parse(m.raw(object))
		if want := wrongRetention(m.key, v); want != "" && v.Type != gjson.Null {
			return Retention{}, WrongValue{path, m.key, want}
		}
	}
	return retentionOf(gjson.Parse(object)), nil
}
