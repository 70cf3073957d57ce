package maintaincmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/legible"
)

const hookLine = `{"time":"2026-01-02T03:04:05Z","level":"DEBUG","msg":"hook ended","hook":"stop","of":"one","ms":9,"us":{"read":100,"open":200,"record":8000,"other":5}}`

func TestTraced(t *testing.T) {
	t.Parallel()
	h, ok := traced(parseRecord([]byte(hookLine)))
	if !ok || h.Hook != "one stop" || h.MS != 8.3 || len(h.Micros) != 3 || h.Time.Year() != 2026 {
		t.Errorf("%+v, %v", h, ok)
	}
	old := strings.Replace(hookLine, `,"us":{"read":100,"open":200,"record":8000,"other":5}`, "", 1)
	if h, ok := traced(parseRecord([]byte(old))); !ok || h.MS != 9 || len(h.Micros) != 0 {
		t.Errorf("a line of an older version: %+v, %v", h, ok)
	}
	for _, other := range []string{"", "{}", "hook ended", strings.Replace(hookLine, "ended", "failed", 1)} {
		if _, ok := traced(parseRecord([]byte(other))); ok {
			t.Errorf("%q is no run of a hook", other)
		}
	}
}

// TestReadLog: older files come first, what is no record is shown as it is, and a missing file is no error.
func TestReadLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older, newest := filepath.Join(dir, "entire-2026-01-01.log"), filepath.Join(dir, "entire.log")
	for path, text := range map[string]string{older: "{\"level\":\"INFO\",\"msg\":\"first\"}\n", newest: "broken\x1b[31m\n" + hookLine + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	err := readLog([]string{older, newest, filepath.Join(dir, "none.log")}, func(r logRecord) { said = append(said, r.String()) })
	if err != nil || len(said) != 3 || !strings.HasSuffix(said[0], "INFO  first") || said[1] != `broken\x1b[31m` || !strings.Contains(said[2], `hook=stop`) {
		t.Errorf("%q, %v", said, err)
	}
	if parseRecord([]byte(`{"level":"INFO","msg":"x"}`)).atLeast("WARN") || !parseRecord([]byte("broken")).atLeast("ERROR") {
		t.Error("levels")
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(hookLine))
	f.Add([]byte(`{"time":1,"level":[],"msg":{},"us":"x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := parseRecord(line)
		traced(r)
		if s := r.String(); legible.Line(s) != s || strings.Contains(s, "\n") {
			t.Errorf("%q is not one legible line", s)
		}
	})
}
