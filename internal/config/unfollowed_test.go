package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// theirs has every setting that other versions document.
const theirs = `{
  "enabled": true,
  "checkpoints": {"primary": {"type": "git-branch"}, "mirrors": [{"type": "git-refs"}]},
  "absolute_git_hook_path": true, "commit_linking": "prompt", "sign_checkpoint_commits": true,
  "strategy_options": {"push_sessions": true, "checkpoint_remote": {"provider": "github", "repo": "o/r"}, "checkpoint_push_remote": "up",
    "filtered_fetches": true, "summarize": {"enabled": false}},
  "summary_generation": {"provider": "x", "model": "m"}, "summary_timeout_seconds": 30,
  "redaction": {"betterleaks": {"enabled": true}, "goredact": {"enabled": true}, "pii": {"enabled": true, "email": true},
    "custom_redactions": {"k": "K-[0-9]+"}, "packs": ["p"], "openai_privacy_filter": {"enabled": true}, "externalize_images": true},
  "external_agents": true, "review": {"agents": ["a"]}
}`

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNotFollowed: settings of other versions are no error, keep every byte when we write, and are named if they ask
// for what is not done.
func TestNotFollowed(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, Path(top, Project), theirs)
	s, err := Load(top)
	if err != nil || s.CommitLinking() != LinkPrompt || !s.Enabled {
		t.Errorf("%+v, %v", s, err)
	}
	var named []string
	loses := 0
	for _, u := range NotFollowed(top, "") {
		named = append(named, u.Key)
		if u.Loses {
			loses++
		}
		if u.Path != Path(top, Project) || u.Why == "" {
			t.Errorf("%+v", u)
		}
	}
	if len(named) != len(unfollowed) || loses != 2 {
		t.Errorf("%d of %d are named: %q", len(named), len(unfollowed), named)
	}
	if err := Update(top, Project, func(f *File) error { return f.SetOption("commit_linking", "always") }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(Path(top, Project))
	if err != nil || !strings.Contains(string(data), `"commit_linking": "always"`) {
		t.Errorf("%v\n%s", err, data)
	}
	for _, part := range []string{`"custom_redactions": {"k": "K-[0-9]+"}`, `"mirrors": [{"type": "git-refs"}]`, `"review": {"agents": ["a"]}`, `"absolute_git_hook_path": true, "commit_linking": "prompt"`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s is lost:\n%s", part, data)
		}
	}
	if s, err := Load(top); err != nil || s.CommitLinking() != LinkAlways {
		t.Errorf("our option counts before theirs: %v, %v", s.CommitLinking(), err)
	}
}

// TestNothingAsked: what is switched off, or not there, is not named.
func TestNothingAsked(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, Path(top, Project), `{"sign_checkpoint_commits": false, "checkpoints": {"mirrors": []}, "redaction": {"openai_privacy_filter": {"enabled": false}, "packs": null}, "review": {}, "strategy_options": [1], "summary_timeout_seconds": 0}`)
	put(t, Path(top, Local), `[1]`)
	user := ForeignUserPath(t.TempDir(), "")
	if list := NotFollowed(top, user); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	put(t, user, `{"global": {"enabled": true}}`)
	if list := NotFollowed(top, user); len(list) != 1 || list[0].Path != user {
		t.Errorf("%+v", list)
	}
	if ForeignUserPath("", "relative") != "" || ForeignUserPath("/h", "/c") != filepath.Join("/c", "entire", "settings.json") {
		t.Error("the path of the user's file")
	}
}
