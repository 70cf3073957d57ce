package config

import (
	"time"

	"github.com/tidwall/gjson"
)

// Members of the summarize option. They reach disk.
const (
	summarizeEnabled = "enabled"
	summarizeModel   = "model"
	summarizeTimeout = "timeout_seconds"
)

// DefaultSummarizeTimeout is how long a model may take for a summary.
const DefaultSummarizeTimeout = 2 * time.Minute

const maxSummarizeTimeout = time.Hour

// Summarize reports whether checkpoints are summarised: only
// summarize.enabled being the boolean true says yes.
func (s Settings) Summarize() bool {
	return s.summarizeOption(summarizeEnabled).Type == gjson.True
}

// SummarizeModel is the model that summaries are asked of, as the agent's own
// program calls it; "" is that program's usual one.
func (s Settings) SummarizeModel() string {
	if v := s.summarizeOption(summarizeModel); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// SummarizeTimeout is how long a summary may take: the setting, a number of
// seconds between 1 and 3600, or else DefaultSummarizeTimeout.
func (s Settings) SummarizeTimeout() time.Duration {
	v := s.summarizeOption(summarizeTimeout)
	if limit := time.Duration(v.Num * float64(time.Second)); v.Type == gjson.Number && v.Num >= 1 && v.Num <= maxSummarizeTimeout.Seconds() {
		return limit
	}
	return DefaultSummarizeTimeout
}

// summarizeOption is the last member of that name.
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
