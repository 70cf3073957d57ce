package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyAPersonImportsDaily: a committed file must not import other people's conversations.
func TestOnlyAPersonImportsDaily(t *testing.T) {
	t.Parallel()
	for target, want := range map[Target]bool{Project: false, Local: true} {
		top := t.TempDir()
		if err := Update(top, target, func(f *File) error { return SetRescueDaily(f, true) }); err != nil {
			t.Fatal(err)
		}
		s, err := Load(top)
		if err != nil || s.RescueDaily != want {
			t.Errorf("%v: %v, %v", target, s.RescueDaily, err)
		}
	}
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, ".entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Path(top, Local), []byte(`{"strategy_options":{"rescue":{"daily":"yes"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(top); err == nil || s.RescueDaily {
		t.Errorf("a text was taken: %v, %v", s.RescueDaily, err)
	}
}
