package cliui

import (
	"regexp"
	"strconv"
	"sync"
	"time"
)

var agoPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,5})(m|h|d|w|mo|y)$`) })

// Moment reads a typed time: a day, a time, or how long ago; the zero time for "". With end, a
// day means the end of that day.
func Moment(text string, now time.Time, end bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if m := agoPattern().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "m":
			return now.Add(-time.Duration(n) * time.Minute), nil
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), nil
		case "w":
			return now.AddDate(0, 0, -7*n), nil
		case "mo":
			return now.AddDate(0, -n, 0), nil
		case "y":
			return now.AddDate(-n, 0, 0), nil
		}
		return now.AddDate(0, 0, -n), nil
	}
	now = now.Local()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day, isDay := time.Time{}, true
	switch text {
	case "today":
		day = today
	case "yesterday":
		day = today.AddDate(0, 0, -1)
	default:
		var err error
		day, err = time.ParseInLocation("2006-01-02", text, now.Location())
		isDay = err == nil
	}
	if isDay {
		if end {
			day = day.AddDate(0, 0, 1)
		}
		return day, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, Failf("as in 2026-03-01, 2026-03-01T14:30, today, yesterday, 30d, 2w, 12h", "not a time: %s", ShownLine(text))
}
