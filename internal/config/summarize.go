package config

import (
	"time"

	"github.com/tidwall/gjson"
)

// Members of the summarize option in the settings files.
const (
	summarizeEnabled = "enabled"
	summarizeModel   = "model"
	summarizeTimeout = "timeout_seconds"
)

// DefaultSummarizeTimeout is how long a summary may take by default.
const DefaultSummarizeTimeout = 2 * time.Minute

const maxSummarizeTimeout = time.Hour

// Summarize reports whether checkpoints are summarized. Only the boolean true for summarize.enabled
// enables it.
func (s Settings) Summarize() bool {
	return s.summarizeOption(summarizeEnabled).Type == gjson.True
}

// SummarizeModel returns the model for summaries, as the agent's program names it, or "" for that
// program's default.
func (s Settings) SummarizeModel() string {
	if v := s.summarizeOption(summarizeModel); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// SummarizeTimeout returns how long a summary may take: the setting, a number of seconds between 1 and
// 3600, or DefaultSummarizeTimeout.
func (s Settings) SummarizeTimeout() time.Duration {
	v := s.summarizeOption(summarizeTimeout)
	if limit := time.Duration(v.Num * float64(time.Second)); v.Type == gjson.Number && v.Num >= 1 && v.Num <= maxSummarizeTimeout.Seconds() {
		return limit
	}
	return DefaultSummarizeTimeout
}

// summarizeOption returns the last member of that name.
func (s Settings) summarizeOption(name string) gjson.Result {
	option := gjson.ParseBytes(s.StrategyOptions[optionSummarize])
	if !option.IsObject() {
		return gjson.Result{}
	}
	list := members(option.Raw)
	i := find(list, name)
	if i < 0 {
		return gjson.Result{}
	}
	return gjson.Parse(list[i].raw(option.Raw))
}
