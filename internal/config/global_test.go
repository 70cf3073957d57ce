package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"entire/internal/config"
)

func TestExclude(t *testing.T) {
	t.Parallel()
	e := config.Exclude{Paths: []string{"/home/dana/secret", "/srv/*/private/"}, Origins: []string{"github.com/acme", "https://git.example.org/*/keys.git"}}
	for top, want := range map[string]bool{
		"/home/dana/secret": true, "/home/dana/secret/a/b": true, "/home/dana/secrets": false, "/home/dana": false,
		"/srv/x/private": true, "/srv/x/private/y": true, "/srv/x/y/private": false, "": false,
	} {
		if got := e.ExcludesPath(top); got != want {
			t.Errorf("path %s: %v", top, got)
		}
	}
	for address, want := range map[string]bool{
		"https://github.com/acme/shop.git": true, "git@github.com:acme/shop.git": true, "ssh://git@github.com:22/acme/shop": true,
		"https://user:token@github.com/acme/x": true, "https://github.com/acmeinc/x": false, "https://git.example.org/team/keys": true,
		"git.example.org:team/keys.git": true, "https://git.example.org/team/other": false, "": false, "/srv/git/x.git": false,
	} {
		if got := e.ExcludesOrigin(address); got != want {
			t.Errorf("origin %s: %v", address, got)
		}
	}
	if (config.Exclude{Paths: []string{""}, Origins: []string{"", "["}}).ExcludesPath("/a") {
		t.Error("an empty pattern excludes")
	}
}

func TestGlobalFile(t *testing.T) {
	t.Parallel()
	path := config.GlobalPath(t.TempDir())
	if g, err := config.LoadGlobal(path); err != nil || g.Enabled {
		t.Fatal(g, err)
	}
	want := config.Global{Enabled: true, Exclude: config.Exclude{Paths: []string{"/x"}}}
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := config.LoadGlobal(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	if err := os.WriteFile(filepath.Clean(path), []byte(`{"enabled":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadGlobal(path); err == nil {
		t.Error("torn settings are no error")
	}
}
