package config

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// Members of the summarize option in the settings files.
const (
	summarizeEnabled = "enabled"
	summarizeModel   = "model"
	summarizeTimeout = "timeout_seconds"
	summarizeCommand = "command"
	summarizeURL     = "url"
	summarizeKeyEnv  = "key_env"
)

// A Summarizer is what makes summaries in place of the agent's own program.
type Summarizer struct {
	Command     []string // a program and its arguments
	URL, KeyEnv string   // a service, and the variable with its key
}

// maxCommand is the most words of the command that makes summaries.
const maxCommand = 50

// summarizerOf returns what a summarize option names; nothing of what is invalid.
func summarizerOf(option gjson.Result) (by Summarizer) {
	for key, v := range validMembers(option, wrongSummarize) {
		switch key {
		case summarizeCommand:
			for _, word := range v.Array() {
				by.Command = append(by.Command, word.Str)
			}
		case summarizeURL:
			by.URL = v.Str
		case summarizeKeyEnv:
			by.KeyEnv = v.Str
		}
	}
	return by
}

// wrongSummarize returns what a member of the summarize option must be, or "" if v is valid.
func wrongSummarize(key string, v gjson.Result) string {
	switch key {
	case keyEnabled:
		if !v.IsBool() {
			return wantBool
		}
	case summarizeModel, summarizeURL, summarizeKeyEnv:
		if v.Type != gjson.String {
			return wantText
		}
	case summarizeTimeout:
		if v.Type != gjson.Number || v.Num < 1 || v.Num > maxSummarizeTimeout.Seconds() {
			return fmt.Sprintf("a number of seconds from 1 to %.0f", maxSummarizeTimeout.Seconds())
		}
	case summarizeCommand:
		return wrongCommand(v)
	}
	return ""
}

func wrongCommand(v gjson.Result) string {
	want := fmt.Sprintf("a list of a program and its arguments, at most %d texts", maxCommand)
	words := v.Array()
	if !v.IsArray() || len(words) == 0 || len(words) > maxCommand || words[0].Str == "" {
		return want
	}
	for _, w := range words {
		if w.Type != gjson.String {
			return want
		}
	}
	return ""
}

// defaultSummarizeTimeout is how long a summary may take by default.
const defaultSummarizeTimeout = 2 * time.Minute

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
// 3600, or two minutes.
func (s Settings) SummarizeTimeout() time.Duration {
	v := s.summarizeOption(summarizeTimeout)
	if limit := time.Duration(v.Num * float64(time.Second)); v.Type == gjson.Number && v.Num >= 1 && v.Num <= maxSummarizeTimeout.Seconds() {
		return limit
	}
	return defaultSummarizeTimeout
}

// summarizeOption returns the last member of that name.
func (s Settings) summarizeOption(name string) gjson.Result {
	return valueAt(string(s.StrategyOptions[optionSummarize]), name)
}
