package config

import (
	"encoding/json"
	"testing"
	"time"
)

func TestKeepRewinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		`{"keep_days":7}`:   7 * 24 * time.Hour,
		`{"keep_days":0.5}`: 12 * time.Hour,
		`{"keep_days":0}`:   0,
		`{"keep_days":-1}`:  0,
		`{"keep_days":"7"}`: 0,
		`{"keep_days":1e9}`: 0,
		`{}`:                0,
		`[]`:                0,
	} {
		s := Settings{StrategyOptions: map[string]json.RawMessage{optionRewind: json.RawMessage(text)}}
		if got := s.KeepRewinds(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
