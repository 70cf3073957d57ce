package config

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		keep  time.Duration
		limit int64
	}{
		`{}`:                              {},
		`{"keep_days":7}`:                 {keep: 7 * 24 * time.Hour},
		`{"keep_days":0}`:                 {keep: -1},
		`{"keep_days":-1}`:                {},
		`{"keep_days":"7"}`:               {},
		`{"max_size_mb":2}`:               {limit: 2 << 20},
		`{"max_size_mb":0}`:               {},
		`{"keep_days":1,"max_size_mb":1}`: {24 * time.Hour, 1 << 20},
	} {
		s := Settings{StrategyOptions: map[string]json.RawMessage{optionTurns: json.RawMessage(text)}}
		keep, limit := s.Turns()
		if keep != want.keep || limit != want.limit {
			t.Errorf("%s: %v, %d", text, keep, limit)
		}
	}
}
