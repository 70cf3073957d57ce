package config

import (
	"fmt"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// Members of the capture option in the settings files.
const (
	captureFile       = "max_file_mb"
	captureCheckpoint = "max_checkpoint_mb"
	captureIgnored    = "include_ignored"
)

// Limits of the capture option.
const (
	mebibyte        = 1 << 20
	maxCaptureMB    = 1 << 20 // a tebibyte
	maxPatterns     = 100
	maxPatternBytes = 1000
)

// Capture says which parts of the worktree a step holds.
type Capture struct {
	MaxFile        int64    // maximum bytes of one file; 0 if not set
	MaxCheckpoint  int64    // maximum bytes of all files that differ from HEAD; 0 if not set
	IncludeIgnored []string // patterns, as in .gitignore, of ignored files to include
}

// Capture returns the capture option without its invalid values.
func (s Settings) Capture() Capture {
	var c Capture
	for key, v := range validMembers(gjson.ParseBytes(s.StrategyOptions[optionCapture]), wrongCapture) {
		switch key {
		case captureFile:
			c.MaxFile = int64(math.Ceil(v.Num * mebibyte))
		case captureCheckpoint:
			c.MaxCheckpoint = int64(math.Ceil(v.Num * mebibyte))
		case captureIgnored:
			c.IncludeIgnored = nil
			for _, p := range v.Array() {
				c.IncludeIgnored = append(c.IncludeIgnored, p.Str)
			}
		}
	}
	return c
}

// wrongCapture returns what a member of the capture option must be, or "" if v is valid.
func wrongCapture(key string, v gjson.Result) string {
	switch key {
	case captureFile, captureCheckpoint:
		if v.Type != gjson.Number || !(v.Num > 0 && v.Num <= maxCaptureMB) {
			return fmt.Sprintf("a number of MiB, more than 0 and at most %d", maxCaptureMB)
		}
	case captureIgnored:
		list := v.Array()
		if !v.IsArray() || len(list) > maxPatterns {
			return fmt.Sprintf("a list of at most %d patterns", maxPatterns)
		}
		for _, p := range list {
			if p.Type != gjson.String || strings.TrimSpace(p.Str) == "" || len(p.Str) > maxPatternBytes || strings.ContainsAny(p.Str, "\x00\n\r") {
				return "a list of patterns, each a line of text"
			}
		}
	}
	return ""
}
