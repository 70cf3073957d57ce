package sarif

import (
	"encoding/json"
	"strings"
	"testing"
)

func sample() *Log {
	return &Log{Program: "entire", Version: "dev", Rules: []Rule{{"agent-only", "Only agents wrote these lines.", Note}},
		Results: []Result{{Rule: "agent-only", Message: "3 lines", Path: "a dir/é.go", Start: 2, End: 4}, {Rule: "agent-only", Message: "all of it"}}}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	data, err := sample().Encode(func(string) (int, bool) { return 4, true })
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	r := got.Runs[0].Results
	at := r[0].Locations[0].PhysicalLocation
	if got.Version != "2.1.0" || len(r) != 2 || r[0].RuleID != "agent-only" || r[0].Level != "note" || r[1].Locations != nil ||
		at.ArtifactLocation.URI != "a%20dir/%C3%A9.go" || at.Region.StartLine != 2 || at.Region.EndLine != 4 {
		t.Errorf("%s", data)
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*Log){
		"no name":      func(l *Log) { l.Program = "" },
		"no level":     func(l *Log) { l.Rules[0].Level = "x" },
		"listed twice": func(l *Log) { l.Rules = append(l.Rules, l.Rules[0]) },
		"no rule":      func(l *Log) { l.Results[0].Rule = "x" },
		"no message":   func(l *Log) { l.Results[0].Message = "" },
		"no lines":     func(l *Log) { l.Results[0].Start = 5 },
		"has no line":  func(l *Log) { l.Results[0].End = 5 },
	} {
		l := sample()
		spoil(l)
		if _, err := l.Encode(func(string) (int, bool) { return 4, true }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
