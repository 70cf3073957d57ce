package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCompressAfter: what is not set, what says never, and what is refused are three.
func TestCompressAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		`{}`: 0, `{"compress_after_days":null}`: 0,
		`{"compress_after_days":7}`: 7 * 24 * time.Hour, `{"compress_after_days":0.5}`: 12 * time.Hour,
		`{"compress_after_days":0}`: -1, `{"compress_after_days":-3}`: -1,
	} {
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, userRetention), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := UserRetention(data); err != nil || r.Compress != want {
			t.Errorf("%s: %v, %v; want %v", text, r.Compress, err, want)
		}
		s := Settings{StrategyOptions: map[string]json.RawMessage{optionRetention: json.RawMessage(text)}}
		if r := s.Retention(); r.Compress != want {
			t.Errorf("%s in the settings: %v, want %v", text, r.Compress, want)
		}
	}
	for _, text := range []string{`{"compress_after_days":"7"}`, `{"compress_after_days":1e9}`, `{"compress_after_days":true}`} {
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, userRetention), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := UserRetention(data); err == nil {
			t.Errorf("%s: %+v", text, r)
		}
	}
}
