package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, tc := range []struct {
		name, project, local string
		want                 Settings
		wantErr              string
	}{
		{name: "absent", want: defaults()},
		{
			name:    "everything",
			project: `{"strategy":"auto-commit","enabled":false,"log_level":"debug","strategy_options":{"a":1},"telemetry":true}`,
			want: Settings{Strategy: "auto-commit", LogLevel: "debug", Telemetry: &yes,
				StrategyOptions: map[string]json.RawMessage{"a": json.RawMessage("1")}},
		},
		{
			name:    "unknown keys do not hide enabled",
			project: `{"agent":"claude-code","enabled":false,"more":[{}]}`,
			want:    Settings{Strategy: DefaultStrategy},
		},
		{
			name:    "local overrides when present",
			project: `{"strategy":"auto-commit","enabled":true,"log_level":"debug","telemetry":true}`,
			local:   `{"strategy":"","enabled":false,"log_level":"","telemetry":false}`,
			want:    Settings{Strategy: "auto-commit", LogLevel: "debug", Telemetry: &no},
		},
		{
			name:    "options merge by name, not deeper",
			project: `{"strategy_options":{"a":{"x":1},"b":2}}`,
			local:   `{"strategy_options":{"a":{"y":1},"c":3}}`,
			want: Settings{Strategy: DefaultStrategy, Enabled: true, StrategyOptions: map[string]json.RawMessage{
				"a": json.RawMessage(`{"y":1}`), "b": json.RawMessage("2"), "c": json.RawMessage("3")}},
		},
		{
			name:    "local_dev in a committed file does not count",
			project: `{"local_dev":true}`,
			want:    defaults(),
		},
		{
			name:  "local_dev in the local file counts",
			local: `{"local_dev":true}`,
			want:  Settings{Strategy: DefaultStrategy, Enabled: true, LocalDev: true},
		},
		{
			name:    "null is absent",
			project: `{"strategy":null,"enabled":null,"local_dev":null,"log_level":null,"strategy_options":null,"telemetry":null}`,
			want:    defaults(),
		},
		{
			name:    "the last of two equal keys counts",
			project: `{"enabled":false,"\u0065nabled":true,"enabled":false}`,
			want:    Settings{Strategy: DefaultStrategy},
		},
		{
			name:    "byte order mark and blanks",
			project: "\uFEFF\r\n {\"enabled\":false}\r\n",
			want:    Settings{Strategy: DefaultStrategy},
		},
		{name: "not JSON", project: `{"enabled":false`, want: defaults(), wantErr: "settings.json: line 1: unexpected end"},
		{name: "trailing text", project: `{"enabled":false} x`, want: defaults(), wantErr: "settings.json: line 1: invalid character"},
		{name: "not an object", project: `[]`, want: defaults(), wantErr: "not a JSON object"},
		{name: "empty", local: "\n", want: defaults(), wantErr: "settings.local.json: the file is empty"},
		{
			name:    "a broken local file makes no half of the project's settings count",
			project: `{"enabled":false}`, local: `{`,
			want: defaults(), wantErr: "settings.local.json",
		},
		{
			name:    "a broken project file does not take back what the local file says",
			project: `{`, local: `{"enabled":false,"strategy":"auto-commit"}`,
			want: Settings{Strategy: DefaultStrategy}, wantErr: "settings.json",
		},
		{
			name:    "a broken project file is as if it said enabled",
			project: `{`, local: `{"strategy":"auto-commit"}`,
			want: defaults(), wantErr: "settings.json",
		},
		{
			name:    "the last of two equal keys with a boolean counts",
			project: `{"enabled":true}`, local: `{"enabled":true,"enabled":false,"enabled":1}`,
			want: Settings{Strategy: DefaultStrategy}, wantErr: `"enabled"`,
		},
		{
			name:    "a wrong type is named and the rest stands",
			project: `{"strategy":3,"enabled":false,"strategy_options":[]}`,
			want:    Settings{Strategy: DefaultStrategy},
			wantErr: `settings.json: "strategy" has a wrong value`,
		},
		{
			name:    "a name that nothing here has is named, and the default stands",
			project: `{"strategy":"auto-comit","log_level":"loud","checkpoints":{"primary":{"type":"git-ref"}}}`,
			local:   `{"log_level":"WARNING"}`,
			want:    Settings{Strategy: DefaultStrategy, Enabled: true, LogLevel: "WARNING"},
			wantErr: `"strategy" has a wrong value: it must be "manual-commit" or "auto-commit"` + "\n",
		},
		{
			name:    "a line that is no JSON is named by its number",
			project: "{\n  \"enabled\": true,\n}\n",
			want:    defaults(), wantErr: "settings.json: line 3: invalid character '}'",
		},
		{
			name:    "the end that is missing is the last line's",
			project: "{\n  \"enabled\": true\n",
			want:    defaults(), wantErr: "settings.json: line 2: unexpected end of JSON input",
		},
		{
			name:    "enabled of the wrong type",
			project: `{"enabled":"no"}`,
			want:    defaults(), wantErr: `"enabled"`,
		},
		{
			name:    "options of the wrong type are named",
			project: `{"strategy_options":{"summarize":"yes","x":1}}`,
			local:   `{"strategy_options":{"push_sessions":"false"}}`,
			want: Settings{Strategy: DefaultStrategy, Enabled: true, StrategyOptions: map[string]json.RawMessage{
				"summarize": json.RawMessage(`"yes"`), "push_sessions": json.RawMessage(`"false"`), "x": json.RawMessage("1")}},
			wantErr: `"strategy_options.push_sessions" has a wrong value: it must be true or false`,
		},
		{name: "very large", project: strings.Repeat(" ", maxSize) + "{}", want: defaults(), wantErr: "at most"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := settingsDir(t, tc.project, tc.local)
			got, err := Load(top)
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
			if (err != nil) != (tc.wantErr != "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("error %v, want %q", err, tc.wantErr)
			}
			if Enabled(top) != got.Enabled {
				t.Errorf("Enabled says %v, Load %v", Enabled(top), got.Enabled)
			}
			if want := tc.project+tc.local != ""; Exists(top) != want {
				t.Errorf("Exists = %v, want %v", Exists(top), want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, options   string
		push, summarize bool
		linking         string
	}{
		{"none", `{}`, true, false, LinkAlways},
		{"all set", `{"push_sessions":false,"summarize":{"enabled":true},"commit_linking":"prompt"}`, false, true, LinkPrompt},
		{"the other way", `{"push_sessions":true,"summarize":{"enabled":false},"commit_linking":"always"}`, true, false, LinkAlways},
		{"wrong types", `{"push_sessions":"false","summarize":true,"commit_linking":true}`, true, false, LinkAlways},
		{"wrong types below", `{"push_sessions":0,"summarize":{"enabled":"true"},"commit_linking":"never"}`, true, false, LinkAlways},
		{"null", `{"push_sessions":null,"summarize":null,"commit_linking":null}`, true, false, LinkAlways},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, _ := Load(settingsDir(t, `{"strategy_options":`+tc.options+`}`, "")) // what is wrong is named: TestWrongOptions
			if s.PushSessions() != tc.push || s.Summarize() != tc.summarize || s.CommitLinking() != tc.linking {
				t.Errorf("push %v, summarize %v, linking %q", s.PushSessions(), s.Summarize(), s.CommitLinking())
			}
		})
	}
}

func TestLinksAndOddFilesAreRefused(t *testing.T) {
	t.Parallel()
	outside := settingsDir(t, `{"enabled":false}`, "")
	for _, tc := range []struct {
		name  string
		build func(top string) error
		want  string
	}{
		{"linked directory", func(top string) error {
			return os.Symlink(filepath.Join(outside, dirName), filepath.Join(top, dirName))
		}, ".entire is a symbolic link"},
		{"linked file", func(top string) error {
			return os.Symlink(Path(outside, Project), mkdir(Path(top, Project)))
		}, "it is a symbolic link"},
		{"dangling link", func(top string) error {
			return os.Symlink(filepath.Join(outside, "absent"), mkdir(Path(top, Project)))
		}, "it is a symbolic link"},
		{"directory for a file", func(top string) error {
			return os.MkdirAll(Path(top, Project), 0o750)
		}, "it is not a regular file"},
		{"file for the directory", func(top string) error {
			return os.WriteFile(filepath.Join(top, dirName), nil, 0o600)
		}, ".entire is not a directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			if err := tc.build(top); err != nil {
				t.Fatal(err)
			}
			got, err := Load(top)
			check := func(what string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: error %v, want %q", what, err, tc.want)
				}
			}
			check("Load", err)
			if !reflect.DeepEqual(got, defaults()) || !Enabled(top) {
				t.Errorf("settings %+v, enabled %v", got, Enabled(top))
			}
			check("Update", Update(top, Project, func(f *File) error { return f.Set("enabled", true) }))
			if data, err := os.ReadFile(Path(outside, Project)); err != nil || string(data) != `{"enabled":false}` {
				t.Errorf("the file outside is %q, %v", data, err)
			}
		})
	}
}

func BenchmarkEnabled(b *testing.B) {
	top := settingsDir(b, `{"strategy":"manual-commit","enabled":false}`, `{"log_level":"debug"}`)
	for b.Loop() {
		if Enabled(top) {
			b.Fatal("enabled")
		}
	}
}

// settingsDir makes a top level with the given files; "" means no such file.
func settingsDir(t testing.TB, project, local string) string {
	t.Helper()
	top := t.TempDir()
	for target, text := range map[Target]string{Project: project, Local: local} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(mkdir(Path(top, target)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// mkdir makes the directory path is in; the caller notices if it could not.
func mkdir(path string) string {
	os.MkdirAll(filepath.Dir(path), 0o750)
	return path
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		`{"summarize":"yes"}`:                      "strategy_options.summarize",
		`{"summarize":{"enabled":"yes"}}`:          "strategy_options.summarize.enabled",
		`{"summarize":{"model":3}}`:                "strategy_options.summarize.model",
		`{"summarize":{"timeout_seconds":"2"}}`:    "strategy_options.summarize.timeout_seconds",
		`{"summarize":{"timeout_seconds":0}}`:      "strategy_options.summarize.timeout_seconds",
		`{"session_store":false}`:                  "strategy_options.session_store",
		`{"session_store":{"enabled":0}}`:          "strategy_options.session_store.enabled",
		`{"push_sessions":"false"}`:                "strategy_options.push_sessions",
		`{"commit_linking":"ask"}`:                 "strategy_options.commit_linking",
		`{"commit_linking":true}`:                  "strategy_options.commit_linking",
		`{"commit_linking":"prompt","theirs":[]}`:  "",
		`{"summarize":{"enabled":true,"more":{}}}`: "",
		`{"summarize":null,"push_sessions":null}`:  "",
		`{"session_store":{"enabled":null}}`:       "",
	} {
		_, err := Load(settingsDir(t, `{"strategy_options":`+options+`}`, ""))
		var values WrongValues
		errors.As(err, &values)
		if got := len(values); want == "" && err != nil || want != "" && (got != 1 || values[0].Key != want) {
			t.Errorf("%s: %v, want %q", options, err, want)
		}
	}
}
