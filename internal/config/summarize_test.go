package config

import (
	"encoding/json"
	"testing"
	"time"
)

func TestSummarizeOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, option string
		enabled      bool
		model        string
		timeout      time.Duration
	}{
		{"absent", ``, false, "", DefaultSummarizeTimeout},
		{"all", `{"enabled":true,"model":"opus","timeout_seconds":30}`, true, "opus", 30 * time.Second},
		{"text is no yes", `{"enabled":"true"}`, false, "", DefaultSummarizeTimeout},
		{"no object", `true`, false, "", DefaultSummarizeTimeout},
		{"the last one counts", `{"enabled":true,"enabled":false}`, false, "", DefaultSummarizeTimeout},
		{"wrong types", `{"enabled":true,"model":7,"timeout_seconds":"9"}`, true, "", DefaultSummarizeTimeout},
		{"never for ever", `{"timeout_seconds":1e300}`, false, "", DefaultSummarizeTimeout},
		{"never none", `{"timeout_seconds":0}`, false, "", DefaultSummarizeTimeout},
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
