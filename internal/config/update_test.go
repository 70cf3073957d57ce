package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	disable := func(f *File) error { return f.Set("enabled", false) }
	push := func(f *File) error { return f.SetOption("push_sessions", false) }
	for _, tc := range []struct {
		name, in string
		edit     func(*File) error
		want     string
	}{
		{"absent", "", disable, "{\n  \"enabled\": false\n}\n"},
		{"absent and nothing to say", "", func(*File) error { return nil }, ""},
		{"blank file", "\n", disable, "{\n  \"enabled\": false\n}\n"},
		{"absent, all keys in another order", "", func(f *File) error {
			return errors.Join(f.Set("telemetry", true), f.SetOption("a<b", []int{1}), f.Set("local_dev", true),
				f.Set("strategy", "manual-commit"), f.Set("log_level", "debug"), f.Set("enabled", true))
		}, `{
  "strategy": "manual-commit",
  "enabled": true,
  "local_dev": true,
  "log_level": "debug",
  "strategy_options": {
    "a\u003cb": [
      1
    ]
  },
  "telemetry": true
}
`},
		{"a value in place, all else untouched",
			"{ \"agent\":\t\"x\",\r\n\"enabled\" :true , \"z\" : {\"enabled\":true}}  ", disable,
			"{ \"agent\":\t\"x\",\r\n\"enabled\" :false , \"z\" : {\"enabled\":true}}  "},
		{"a new key in the format's order", "{\n\t\"strategy\": \"s\",\n\t\"telemetry\": true\n}\n", disable,
			"{\n\t\"strategy\": \"s\",\n\t\"enabled\": false,\n\t\"telemetry\": true\n}\n"},
		{"a new key before the first", "{\n  \"telemetry\": true\n}", disable, "{\n  \"enabled\": false,\n  \"telemetry\": true\n}"},
		{"a new key among unknown ones", `{"agent":"x"}`, disable, `{"agent":"x","enabled":false}`},
		{"an empty object", "{ }\n", disable, "{\n  \"enabled\": false\n}\n"},
		{"a byte order mark", "\uFEFF{\"enabled\":true}", disable, "\uFEFF{\"enabled\":false}"},
		{"the last of two equal keys", `{"enabled":false,"enabled":true}`, disable, `{"enabled":false,"enabled":false}`},
		{"the first option", "{\n  \"enabled\": true\n}\n", push,
			"{\n  \"enabled\": true,\n  \"strategy_options\": {\n    \"push_sessions\": false\n  }\n}\n"},
		{"another option", "{\n  \"strategy_options\": {\n    \"x\": {\"y\": 1}\n  }\n}\n", push,
			"{\n  \"strategy_options\": {\n    \"x\": {\"y\": 1},\n    \"push_sessions\": false\n  }\n}\n"},
		{"null options", `{"strategy_options":null}`, push, "{\"strategy_options\":{\n  \"push_sessions\": false\n}}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := settingsDir(t, tc.in, "")
			if err := Update(top, Project, tc.edit); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(Path(top, Project))
			if tc.want == "" {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("file written: %q, %v", got, err)
				}
				return
			}
			if err != nil || string(got) != tc.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, tc.want)
			}
			if _, err := os.Lstat(Path(top, Local)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the other file: %v", err)
			}
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	for _, tc := range []struct {
		name, in string
		edit     func(*File) error
		want     string
	}{
		{"a broken file", `{"enabled":`, func(f *File) error { return f.Set("enabled", true) }, "settings.json"},
		{"an unknown key", `{}`, func(f *File) error { return f.Set("agent", "x") }, `set "agent": no such setting`},
		{"a value that has no JSON", `{}`, func(f *File) error { return f.Set("enabled", func() {}) }, "unsupported type"},
		{"options of another type", `{"strategy_options":[]}`, func(f *File) error { return f.SetOption("a", 1) }, "not an object"},
		{"what the caller refuses", `{}`, func(f *File) error { return errors.Join(f.Set("enabled", true), own) }, "own"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := settingsDir(t, tc.in, "")
			if err := Update(top, Project, tc.edit); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if got, err := os.ReadFile(Path(top, Project)); err != nil || string(got) != tc.in {
				t.Errorf("file became %q, %v", got, err)
			}
		})
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := Update(gone, Local, func(f *File) error { return f.Set("enabled", true) }); err == nil {
		t.Error("created a top level that was not there")
	}
	if _, err := os.Lstat(gone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("top level: %v", err)
	}
}

func TestUpdateKeepsFilesApart(t *testing.T) {
	t.Parallel()
	top := settingsDir(t, `{"strategy":"auto-commit","strategy_options":{"a":1}}`, `{"enabled":false}`)
	err := Update(top, Local, func(f *File) error {
		if _, ok := f.Get("strategy"); ok {
			t.Error("the project's key shows in the local file")
		}
		return f.Set("log_level", "debug")
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(Path(top, Local))
	if want := `{"enabled":false,"log_level":"debug"}`; err != nil || string(got) != want {
		t.Errorf("local file %q, %v, want %q", got, err, want)
	}
}

func TestUpdateKeepsMode(t *testing.T) {
	t.Parallel()
	top := settingsDir(t, `{}`, "") // made with mode 0600
	for target, want := range map[Target]os.FileMode{Project: 0o600, Local: 0o644} {
		if err := Update(top, target, func(f *File) error { return f.Set("enabled", true) }); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(Path(top, target)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v, want %v", Path(top, target), info.Mode(), err, want)
		}
	}
}

func TestUpdatesWaitForEachOther(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if err := Update(top, Local, func(f *File) error { return f.SetOption(fmt.Sprint("o", i), i) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Load(top)
	if err != nil || len(s.StrategyOptions) != 16 {
		t.Errorf("%d options of 16, %v", len(s.StrategyOptions), err)
	}
	if left, err := os.ReadDir(filepath.Join(top, dirName, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("left in tmp: %v, %v", left, err)
	}
}

func TestEnsureGitignore(t *testing.T) {
	t.Parallel()
	all := strings.Join(ignored, "\n") + "\n"
	for _, tc := range []struct{ name, in, want string }{
		{"absent", "", all},
		{"complete", all, all},
		{"complete in another order, with blanks", "logs/ \r\nmetadata/\ntmp/\nsettings.local.json", "logs/ \r\nmetadata/\ntmp/\nsettings.local.json"},
		{"a longer line is another line", "my-tmp/\n#logs/\n", "my-tmp/\n#logs/\n" + all},
		{"no newline at the end", "current_session\ntmp/", "current_session\ntmp/\nsettings.local.json\nmetadata/\nlogs/\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			path := filepath.Join(top, dirName, ".gitignore")
			if tc.in != "" {
				if err := os.WriteFile(mkdir(path), []byte(tc.in), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := EnsureGitignore(top); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != tc.want {
					t.Errorf("got  %q, %v\nwant %q", got, err, tc.want)
				}
			}
		})
	}
}

func TestEnsureGitignoreRefusesLinks(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.Symlink(outside, mkdir(filepath.Join(top, dirName, ".gitignore"))); err != nil {
		t.Fatal(err)
	}
	if err := EnsureGitignore(top); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(outside); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("outside: %v", err)
	}
}
