package search

import "testing"

func TestMatcher(t *testing.T) {
	const text = "Retry failed uploads in parse_config, not in internal/git/status.go"
	for query, want := range map[string]bool{
		"retry":                   true,
		"retries uploading":       true, // other forms
		"retry download":          false,
		`"failed uploads"`:        true,
		`"uploads failed"`:        false,
		"upl*":                    true,
		"upx*":                    false,
		`"failed up"*`:            true,
		"download OR retry":       true,
		"retry -uploads":          false,
		"retry -downloads":        true,
		"parse_config":            true,
		"config":                  true,
		"config_parse":            false,
		"internal/git/status.go":  true,
		"(download OR retry) git": true,
		"":                        true,
	} {
		q, err := Parse(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		marks, ok := NewMatcher(q.Root).Match(text)
		if ok != want {
			t.Errorf("%s: %v", query, ok)
		}
		if ok && query != "" && len(marks) == 0 {
			t.Errorf("%s: nothing is marked", query)
		}
	}
}
