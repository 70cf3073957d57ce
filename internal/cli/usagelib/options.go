package usagelib

import (
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/usage"
)

// Dimensions are what a report can be grouped by.
func Dimensions() []string {
	return []string{"day", "session", "commit", "branch", "pr", "agent", "model", "file", "author"}
}

// Options select what is counted.
type Options struct {
	By           string // one of Dimensions, "" for day
	Since, Until time.Time
	All          bool   // the sessions of all projects
	Session      string // only what this session was the first to have, "" for all
	Prices       string // a file with prices, "" for none
	// Progress, if set, hears how many sessions were read.
	Progress func(done, all int)
}

func (o *Options) check() error {
	if o.By == "" {
		o.By = "day"
	}
	if !slices.Contains(Dimensions(), o.By) {
		return cliui.Failf("one of "+strings.Join(Dimensions(), ", "), "--by cannot be %q", o.By)
	}
	return nil
}

// within reports whether a time is selected. An unknown time is, unless times are selected.
func (o *Options) within(at int64) bool {
	return (o.Since.IsZero() || at >= o.Since.UnixNano()) && (o.Until.IsZero() || at != 0 && at <= o.Until.UnixNano())
}

// counts reports whether an answer is selected.
func (o *Options) counts(a usage.Counted) bool {
	return o.within(a.When) && (o.Session == "" || a.Session == o.Session)
}

// A PriceNote says where prices are from.
type PriceNote struct {
	Date    string   `json:"date"`
	Sources []string `json:"sources"`
	Files   []string `json:"files"` // that replace some
	Stale   bool     `json:"stale"` // they may have changed since
}

// A Report says what was used.
type Report struct {
	By       string     `json:"by"`
	Since    *time.Time `json:"since,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
	Sessions int        `json:"sessions"` // that have answers in this time
	Repeated int        `json:"repeated"` // answers that several sessions have; they are counted once
	usage.Report
	Prices   PriceNote `json:"prices"`
	Problems []string  `json:"problems"` // sessions that could not be read, and why
}
