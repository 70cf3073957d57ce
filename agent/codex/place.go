package codex

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// nameTime is the form of a time in a transcript's name.
const nameTime = "2006-01-02T15-04-05"

func rolloutName(at time.Time, thread string) string {
	return "rollout-" + at.Format(nameTime) + "-" + thread + ".jsonl"
}

func dayFolder(root string, at time.Time) string {
	return filepath.Join(root, at.Format("2006"), at.Format("01"), at.Format("02"))
}

// timeIn returns the time in a thread's ID, which is a UUID of version 7; false for another ID.
func timeIn(thread string) (time.Time, bool) {
	if len(thread) != uuidLen || thread[8] != '-' || thread[14] != '7' || strings.Trim(thread, "0123456789abcdef-") != "" {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(thread[:8]+thread[9:13], 16, 64)
	if err != nil {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

// zoneOf returns how far the person's time zone is from UTC, given the time in a transcript's name and the
// thread's ID.
func zoneOf(named, thread string) time.Duration {
	local, err := time.Parse(nameTime, named)
	began, ok := timeIn(thread)
	if err != nil || !ok {
		return 0
	}
	return local.Sub(began).Round(15 * time.Minute)
}
