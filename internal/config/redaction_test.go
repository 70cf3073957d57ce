package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/redact"
)

func TestRedaction(t *testing.T) {
	t.Parallel()
	all := strings.Join(redact.PersonalKinds(), " ")
	for _, tt := range []struct{ name, project, local, personal, custom, problem string }{
		{"none", `{}`, `{}`, "", "", ""},
		{"all", `{"redaction":{"pii":true}}`, ``, all, "", ""},
		{"some", `{"redaction":{"pii":{"enabled":true,"phone":false,"iban":false}}}`, ``, "email card", "", ""},
		{"off", `{"redaction":{"pii":{"enabled":false,"email":true}}}`, ``, "", "", ""},
		{"the other file adds", `{"redaction":{"custom_redactions":{"a":"EMP-\\d+"}}}`, `{"redaction":{"pii":false,"custom_redactions":{"b":"X-\\d+"}}}`, "", `a=EMP-\d+ b=X-\d+`, ""},
		{"in pii", `{"redaction":{"pii":{"enabled":false,"custom_patterns":{"a":"EMP-\\d+"}}}}`, ``, "", `a=EMP-\d+`, ""},
		{"broken", `{"redaction":{"custom_redactions":{"a\u001b":"(","b":"X-\\d+","c":7,"d":".*"}}}`, ``, "", `b=X-\d+`, `redaction.custom_redactions.a`},
		{"wrong types", `{"redaction":{"pii":"yes","custom_redactions":[]}}`, ``, "", "", "redaction.pii"},
		{"no object", `{"redaction":true}`, ``, "", "", "redaction"},
		{"other keys", `{"redaction":{"betterleaks":true,"packs":["x"]}}`, ``, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for target, text := range map[Target]string{Project: tt.project, Local: tt.local} {
				path := Path(top, target)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if text != "" {
					if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			s, err := Load(top)
			var custom []string
			for _, c := range s.Redaction.Custom {
				custom = append(custom, c.Name+"="+c.Expr)
			}
			if got := strings.Join(s.Redaction.Personal, " "); got != tt.personal || strings.Join(custom, " ") != tt.custom {
				t.Errorf("personal %q, custom %q", got, custom)
			}
			if (err != nil) != (tt.problem != "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("the error is %v, want %q", err, tt.problem)
			}
			if err != nil && strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("%q has an escape", err)
			}
		})
	}
}
