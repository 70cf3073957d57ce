package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestCapture(t *testing.T) {
	t.Parallel()
	many := `["x"` + strings.Repeat(`,"x"`, maxPatterns) + `]`
	for _, tt := range []struct {
		name, capture string
		want          Capture
		wrong         string
	}{
		{"absent", `null`, Capture{}, ""},
		{"all", `{"max_file_mb":5,"max_checkpoint_mb":0.5,"include_ignored":[".env.local","!x"]}`, Capture{5 << 20, 1 << 19, []string{".env.local", "!x"}}, ""},
		{"no object", `5`, Capture{}, "capture"},
		{"a text for a number", `{"max_file_mb":"5","max_checkpoint_mb":1}`, Capture{MaxCheckpoint: 1 << 20}, "max_file_mb"},
		{"nothing at all", `{"max_file_mb":0}`, Capture{}, "max_file_mb"},
		{"too much", `{"max_checkpoint_mb":1e300}`, Capture{}, "max_checkpoint_mb"},
		{"a pattern that is none", `{"include_ignored":[".env",3]}`, Capture{}, "include_ignored"},
		{"a pattern of two lines", `{"include_ignored":["a\nb"]}`, Capture{}, "include_ignored"},
		{"too many patterns", `{"include_ignored":` + many + `}`, Capture{}, "include_ignored"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Load(settingsDir(t, `{"strategy_options":{"capture":`+tt.capture+`}}`, ""))
			if got := s.Capture(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("error %v, want one about %q", err, tt.wrong)
			}
		})
	}
}
