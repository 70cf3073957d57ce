package workplace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/cli/clitest"
	"entire/internal/redact"
)

func TestLogIsRedactedAndPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".entire", "logs", "entire.log")
	log, done := NewLog(path, "")
	log.Debug("not written")
	if _, err := os.Lstat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing was logged, but the folder exists: %v", err)
	}
	log.Info("with "+clitest.Secret, "text", "a "+clitest.Secret, "err", errors.New("bad "+clitest.Secret), "value", map[string]string{"k": clitest.Secret}, "n", 3)
	if err := done(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), clitest.Secret) || strings.Count(string(data), "REDACTED") != 4 {
		t.Errorf("logged %s", data)
	}
	var record struct {
		Msg, Level string
		N          int
		Value      map[string]string
	}
	if err := json.Unmarshal(data, &record); err != nil || record.Level != "INFO" || record.N != 3 || record.Value["k"] == "" {
		t.Errorf("record %+v, %v", record, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()|0o050 != 0o750 { // a umask may forbid the group's part
		t.Errorf("folder's mode %v, %v", info.Mode(), err)
	}
}

// What the log takes for harmless, the rules would have left alone.
func TestHarmlessTextsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"prepare-commit-msg: trailer added": true, "[0123456789ab fedcba987654]": true, "session condensed": true, "": true, "ac3d59b": true,
		"password: abcdefghijkl": false, "0123456789abc": false, "With": false, clitest.Secret: false, "a=b": false, "token 1": false,
		"1a4c0f8e-0000-4000-8000-000000000001": false,
	} {
		if got := onlyIDs(s) || onlyWords(s); got != want {
			t.Errorf("%q harmless: %t", s, got)
		}
	}
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abcdefghijklmnopqrstuvwxyz-")), 1, 20, -1)
	id := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789abcdef")), 1, 12, -1)
	names := rapid.SampledFrom([]string{"password:", "api-key:", "secret", "token:", "aws", "client-secret:", "bearer", "authorization:", "key"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.OneOf(word, id, names), 1, 6).Draw(t, "words"), " ")
		if (onlyIDs(s) || onlyWords(s)) && redact.Text(s) != s {
			t.Errorf("%q would have been redacted: %q", s, redact.Text(s))
		}
	})
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]int{"": 3, "info": 3, "DEBUG": 4, "Warning": 2, "error": 1, "loud": 4} {
		path := filepath.Join(t.TempDir(), "entire.log")
		log, done := NewLog(path, level)
		log.Debug("1")
		log.Info("2")
		log.Warn("3")
		log.Error("4")
		done()
		data, err := os.ReadFile(path)
		if got := strings.Count(string(data), "\n"); err != nil || got != want {
			t.Errorf("%q: %d records, %v; want %d", level, got, err, want)
		}
	}
}

func TestLogIsNotWrittenThroughALink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, ".entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(top, ".entire", "logs")); err != nil {
		t.Logf("no links here: %v", err)
		return
	}
	log, done := NewLog(filepath.Join(top, ".entire", "logs", "entire.log"), "")
	log.Error("x")
	done()
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("written outside: %v, %v", entries, err)
	}
}
