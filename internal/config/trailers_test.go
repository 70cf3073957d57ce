package config

import (
	"reflect"
	"testing"
)

func TestTrailers(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, Path(top, Project), `{"strategy_options": {"trailers": [{"agents": "assisted-by"}, {"paths": ["web/", "**/*.js"], "agents": "none"}]}}`)
	s, err := Load(top)
	want := []TrailerRule{{Form: "assisted-by"}, {Paths: []string{"web/", "**/*.js"}, Form: "none"}}
	if got := s.Trailers(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{`{}`, `true`, `"assisted-by"`, `[{}]`, `[{"agents": "signed-off-by"}]`, `[{"agents": "none", "paths": ["/a"]}]`,
		`[{"agents": "none", "paths": "a"}]`, `[{"agents": "none", "path": ["a"]}]`, `["none"]`} {
		put(t, Path(top, Project), `{"strategy_options": {"trailers": `+bad+`}}`)
		s, err := Load(top)
		if err == nil || s.Trailers() != nil {
			t.Errorf("%s: %+v, %v", bad, s.Trailers(), err)
		}
	}
	if (Settings{}).Trailers() != nil {
		t.Error("without the option there is no rule")
	}
}
