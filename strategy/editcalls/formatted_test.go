package editcalls_test

import (
	"slices"
	"testing"

	"entire/agent/conversation"
	"entire/internal/attribution"
	"entire/strategy/editcalls"
	"entire/strategy/sessionstate"
)

func TestAddFormatted(t *testing.T) {
	t.Parallel()
	const file = "package x\n\nsay(\"hello to the world\")\nsay(\n  \"and then\",\n  \"to the moon\"\n)\neach_of_them(x => say_it_to(x))\nsay(\"of a person\")\n"
	for name, test := range map[string]struct {
		wrote    string
		has, not []string // lines that the call wrote in the end, and that it did not
	}{
		"as it stands":      {"each_of_them(x => say_it_to(x))\n", []string{"each_of_them(x => say_it_to(x))"}, []string{"say(\"hello to the world\")"}},
		"quotes":            {"say('hello to the world');\n", []string{"say('hello to the world');", "say(\"hello to the world\")"}, []string{"say(\"of a person\")"}},
		"broken":            {"say('and then', 'to the moon');\n", []string{"say(", "  \"and then\",", "  \"to the moon\""}, []string{"say(\"of a person\")"}},
		"joined":            {"each_of_them(\n  x => say_it_to(x),\n)\n", []string{"each_of_them(x => say_it_to(x))"}, []string{"say(\"hello to the world\")"}},
		"other words":       {"say('goodbye to the world');\n", nil, []string{"say(\"hello to the world\")"}},
		"formatted, and so": {"each_of_them((x) => say_it_to(x));\neach_of_them(x => say_it_to(x))\nsay('hello to the world')", []string{"say(\"hello to the world\")"}, []string{"say(\"of a person\")"}},
	} {
		c := &sessionstate.TranscriptState{}
		editcalls.Add(c, []conversation.Written{{ToolUseID: "1", Path: "/r/x.js", Texts: []string{test.wrote}}})
		editcalls.AddFormatted(c.Calls, func(named string) []byte {
			if named != "/r/x.js" {
				t.Errorf("%s: read %q", name, named)
			}
			return []byte(file)
		})
		lines := c.Calls[0].Lines
		for _, line := range test.has {
			if !slices.Contains(lines, attribution.PrintLine([]byte(line))) {
				t.Errorf("%s: %q is not the call's", name, line)
			}
		}
		for _, line := range test.not {
			if slices.Contains(lines, attribution.PrintLine([]byte(line))) {
				t.Errorf("%s: %q is the call's", name, line)
			}
		}
		count := len(lines)
		editcalls.AddFormatted(c.Calls, func(string) []byte { t.Errorf("%s: read again", name); return nil })
		if len(c.Calls[0].Lines) != count {
			t.Errorf("%s: added twice", name)
		}
	}
}
