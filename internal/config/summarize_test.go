package config

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSummarizeOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, option string
		enabled      bool
		model        string
		timeout      time.Duration
	}{
		{"absent", ``, false, "", defaultSummarizeTimeout},
		{"all", `{"enabled":true,"model":"opus","timeout_seconds":30}`, true, "opus", 30 * time.Second},
		{"text is no yes", `{"enabled":"true"}`, false, "", defaultSummarizeTimeout},
		{"no object", `true`, false, "", defaultSummarizeTimeout},
		{"the last one counts", `{"enabled":true,"enabled":false}`, false, "", defaultSummarizeTimeout},
		{"wrong types", `{"enabled":true,"model":7,"timeout_seconds":"9"}`, true, "", defaultSummarizeTimeout},
		{"never for ever", `{"timeout_seconds":1e300}`, false, "", defaultSummarizeTimeout},
		{"never none", `{"timeout_seconds":0}`, false, "", defaultSummarizeTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := defaults()
			if tc.option != "" {
				s.StrategyOptions = map[string]json.RawMessage{"summarize": json.RawMessage(tc.option)}
			}
			if s.Summarize() != tc.enabled || s.SummarizeModel() != tc.model || s.SummarizeTimeout() != tc.timeout {
				t.Errorf("enabled %v, model %q, timeout %s", s.Summarize(), s.SummarizeModel(), s.SummarizeTimeout())
			}
		})
	}
}

// TestSummarizer: only the local file names what makes summaries.
func TestSummarizer(t *testing.T) {
	t.Parallel()
	const text = `{"strategy_options":{"summarize":{"command":["z","a","z"],"url":"https://a","key_env":"K"}}}`
	for target, want := range map[Target]Summarizer{Project: {}, Local: {Command: []string{"z", "a", "z"}, URL: "https://a", KeyEnv: "K"}} {
		s := defaults()
		if wrong := s.merge(text, target); len(wrong) > 0 {
			t.Error(wrong)
		}
		if d := cmp.Diff(want, s.Summarizer); d != "" {
			t.Errorf("from file %d: %s", target, d)
		}
	}
	for _, option := range []string{`{"command":"z"}`, `{"command":[]}`, `{"command":[""]}`, `{"command":["a",1]}`, `{"url":1}`, `{"key_env":[]}`} {
		s := defaults()
		if wrong := s.merge(`{"strategy_options":{"summarize":`+option+`}}`, Local); len(wrong) != 1 || !cmp.Equal(s.Summarizer, Summarizer{}) {
			t.Errorf("%s: %v, %+v", option, wrong, s.Summarizer)
		}
	}
}
