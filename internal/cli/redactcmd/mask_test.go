package redactcmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/redact"
)

// token is a key that no service gave out, in two parts so that no scanner takes this file for a leak.
const token = "gh" + "p_wJ4lrXUtnFEMI8K7MDENGbPxRfiCYq0Zk1sH"

func write(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "messages.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"clean", `{"a":"b"}` + "\n", `{"a":"b"}` + "\n"},
		{"lines", `{"a":"x"}` + "\n" + `{"t":"use ` + token + `"}` + "\n{\"a\":", `{"a":"x"}` + "\n" + `{"t":"use REDACTED` + strings.Repeat("*", len(token)-8) + `"}` + "\n{\"a\":"},
		{"escapes", `{"t":"\u0067` + token[1:] + `\n"}`, `{"t":"REDACTED` + strings.Repeat("*", len(token)-3) + `\n"}`},
		{"text", "postgres://a:hunter2@h/x\n", "postgres://a:*******@h/x\n"},
		{"a document", "{\n  \"password\": \"Sommer-12345\"\n}\n", "{\n  \"password\": \"REDACTED****\"\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, tt.data)
			for range 2 {
				if err := mask(path, inExports); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
					t.Errorf("%q is %q, want %q (%v)", tt.data, got, tt.want, err)
				}
			}
		})
	}
}

func TestMaskRefuses(t *testing.T) {
	t.Parallel()
	path := write(t, `{"t":"`+token+`"}`)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here")
	}
	if err := mask(filepath.Join(t.TempDir(), "none"), inExports); err == nil {
		t.Error("a missing file is no error")
	}
	if err := mask(filepath.Dir(link), inExports); err == nil {
		t.Error("a folder is rewritten")
	}
}

// FuzzMask checks that a masked file keeps its length, its lines of JSON, and has no secrets left.
func FuzzMask(f *testing.F) {
	f.Add([]byte(`{"t":"use ` + token + `","password":"\u0053ommer-1"}` + "\n{}"))
	f.Add([]byte("a\r\npostgres://a:\x1b[31mhunter2@h\x00/x"))
	f.Add([]byte("[\"\\ud83d " + token + "\"]\n{\"" + token + "\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, string(data))
		err := mask(path, inExports)
		got, rerr := os.ReadFile(path)
		if rerr != nil || len(got) != len(data) {
			t.Fatalf("%q is %q (%v)", data, got, rerr)
		}
		if err == nil && len(storedFindings(got, inExports, redact.NewExplainer())) > 0 {
			t.Errorf("%q is %q and still has secrets", data, got)
		}
		before, after := bytes.Split(data, []byte("\n")), bytes.Split(got, []byte("\n"))
		if jsonLines(data) && len(before) == len(after) {
			for i := range before {
				if json.Valid(before[i]) && !json.Valid(after[i]) {
					t.Errorf("%q is no JSON any more: %q", before[i], after[i])
				}
			}
		}
		examine("f", data)
	})
}
