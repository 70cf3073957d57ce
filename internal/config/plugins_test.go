package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestPlugins(t *testing.T) {
	t.Parallel()
	const allows = `{"strategy_options": {"agents": {"plugins": ["mine", "yours"]}}}`
	for _, row := range []struct {
		name, project, local string
		want                 []string
		wrong                bool
	}{
		{"nothing", "{}", "{}", nil, false},
		{"the local file allows", "{}", allows, []string{"mine", "yours"}, false},
		{"the project's file never does", allows, "{}", nil, false},
		{"nor beside the local one", allows, `{"strategy_options": {"agents": {}}}`, nil, false},
		{"a word is no list", "{}", `{"strategy_options": {"agents": {"plugins": "mine"}}}`, nil, true},
		{"a number is no name", "{}", `{"strategy_options": {"agents": {"plugins": ["mine", 1]}}}`, nil, true},
		{"an option that is no object", "{}", `{"strategy_options": {"agents": ["mine"]}}`, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := Load(settingsDir(t, row.project, row.local))
			var wrong WrongValues
			if !slices.Equal(s.Plugins, row.want) || errors.As(err, &wrong) != row.wrong {
				t.Errorf("plug-ins %q, %v", s.Plugins, err)
			}
		})
	}
}

func TestAllowPlugin(t *testing.T) {
	t.Parallel()
	top := settingsDir(t, "{}", `{"strategy_options": {"agents": {"more": 1}, "turns": {}}}`)
	for _, name := range []string{"mine", "yours", "mine"} {
		if err := AllowPlugin(top, name); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(top)
	if want := []string{"mine", "yours"}; err != nil || !slices.Equal(s.Plugins, want) {
		t.Errorf("plug-ins %q, %v; want %q", s.Plugins, err, want)
	}
	text, err := Text(top, Local)
	if err != nil || !strings.Contains(string(text), `"more"`) || !strings.Contains(string(text), `"turns"`) {
		t.Errorf("%s, %v", text, err)
	}
}
