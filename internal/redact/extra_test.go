package redact

import (
	"strings"
	"testing"
)

func withExtra(t testing.TB, o Options) *engine {
	e := newEngine()
	if err := e.use(o); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPersonalData(t *testing.T) {
	t.Parallel()
	e := withExtra(t, Options{Personal: PersonalKinds()})
	for _, tt := range []struct{ name, in, want string }{
		{"e-mail", "write to jo.doe+x@mail.host.de, please", "write to REDACTED, please"},
		{"e-mail in a commit", "Author: Jo <jo@host.org>", "Author: Jo <REDACTED>"},
		{"e-mail at an end", "jo@host.org.", "REDACTED."},
		{"documentation", "user@example.com and a@b.example", "user@example.com and a@b.example"},
		{"git over SSH", "git@github.com:me/app.git and deploy@host.de:app", "git@github.com:me/app.git and deploy@host.de:app"},
		{"file", "icon@2x.png @types/node@1.2.3 go@v1.2", "icon@2x.png @types/node@1.2.3 go@v1.2"},
		{"phone", "call +49 (30) 901820-33 or (212) 555-0142", "call REDACTED or REDACTED"},
		{"phone in a row", "tel:+4930901820", "tel:REDACTED"},
		{"numbers", "+20240101120000\n2024-01-02 10:11:12 1.2.3.4 100-200-3000 at 0x123 port 5432 1234567890", "+20240101120000\n2024-01-02 10:11:12 1.2.3.4 100-200-3000 at 0x123 port 5432 1234567890"},
		{"card", "pay with 4111 1111 1111 1111 or 5500-0000-0000-0004", "pay with REDACTED or REDACTED"},
		{"wrong checksum", "4111 1111 1111 1112 and 1700000000000", "4111 1111 1111 1112 and 1700000000000"},
		{"IBAN", "to DE89 3704 0044 0532 0130 00, now GB82WEST12345698765432", "to REDACTED, now REDACTED"},
		{"wrong IBAN", "DE88 3704 0044 0532 0130 00 and XX89370400440532013000", "DE88 3704 0044 0532 0130 00 and XX89370400440532013000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := e.text(tt.in, anyText)
			if got != tt.want {
				t.Errorf("%q is %q, want %q", tt.in, got, tt.want)
			}
			if again := e.text(got, anyText); again != got {
				t.Errorf("%q is %q, then %q", tt.in, got, again)
			}
			if plain := newEngine().text(tt.in, anyText); plain != tt.in {
				t.Errorf("%q is %q without being asked for", tt.in, plain)
			}
		})
	}
	if got := string(e.line([]byte(`{"a":"\u006ao@host.org","n":"{\"m\":\"jo@host.org\"}"}`))); strings.Contains(got, "host") {
		t.Errorf("in JSON it is %s", got)
	}
}

func TestCustomRules(t *testing.T) {
	t.Parallel()
	e := withExtra(t, Options{Custom: []Custom{{"staff", `EMP-\d{3}`}, {"case", `(?i)case no\. (\w+)`}, {"name", `Hausmann`}}})
	for in, want := range map[string]string{
		"EMP-123 has Case No. ab12":                "REDACTED has Case No. REDACTED",
		"Mr Hausmann REDACTED":                     "Mr REDACTED REDACTED",
		`{"id":"EMP-123","t":"\u0048ausmann"}`:     `{"id":"REDACTED","t":"REDACTED"}`,
		`{"t":"{\"a\":\"x\\u0048ausmann\"}"}`:      `{"t":"{\"a\":\"xREDACTED\"}"}`,
		`{"EMP-123":"a", "b": ["EMP-124", "ok"] }`: `{"REDACTED":"a", "b": ["REDACTED", "ok"] }`,
	} {
		got := string(e.line([]byte(in)))
		if got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
		if again := string(e.line([]byte(got))); again != got {
			t.Errorf("%s is %s, then %s", in, got, again)
		}
	}
}

// TestHostileCustomRules has rules that would be slow, take everything, or are no RE2.
func TestHostileCustomRules(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{``, `a*`, `.+`, `\w+`, `[^\n]`, `(`, `(?=x)`, `\1`, `a{1001}`, strings.Repeat("a?", 400) + strings.Repeat("(b{20}){20}", 3), strings.Repeat("a", 1001), "((((x{10}){10}){10}){10})"} {
		if err := CheckCustom(Custom{"r", expr}); err == nil {
			t.Errorf("%.40q is used", expr)
		}
	}
	e := newEngine()
	err := e.use(Options{Personal: []string{"blood", Email}, Custom: []Custom{{"broken", `(`}, {"ok", `EMP-\d+`}}})
	if err == nil || !strings.Contains(err.Error(), `"broken"`) || !strings.Contains(err.Error(), `"blood"`) {
		t.Errorf("the error is %v", err)
	}
	if got := e.text("EMP-1234 jo@host.org", anyText); got != "REDACTED REDACTED" {
		t.Errorf("the valid rules give %q", got)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	x := NewExplainer()
	for text, want := range map[string]string{
		"use " + github: "github-pat", "postgres://a:hunter2@h/x": "url-password", "the password is Sommer123": "named-value", "run " + mixed40: "entropy",
	} {
		found := x.Text(text)
		if len(found) != 1 || found[0].Rule != want {
			t.Errorf("%q: %v, want %s", text, found, want)
		}
	}
	line := `{"a":"x","t":"\u0067hp_` + github[4:] + ` y"}`
	found := x.Line([]byte(line))
	if len(found) != 1 || found[0].Key != "t" || line[found[0].Start:found[0].End] != `\u0067hp_`+github[4:] {
		t.Errorf("%s: %v", line, found)
	}
}

// FuzzExtra checks that rules of a project never break JSON, and that redacting again changes nothing.
func FuzzExtra(f *testing.F) {
	f.Add(`{"a":"jo@host.org +49 30 901820 4111111111111111 DE89370400440532013000"}`, `EMP-\d+`)
	f.Add("x@y.zz", `(\w)@`)
	f.Fuzz(func(t *testing.T, s, expr string) {
		e := newEngine()
		_ = e.use(Options{Personal: PersonalKinds(), Custom: []Custom{{"r", expr}}})
		in := []byte(s)
		clean := e.line(in)
		if isJSON(in) && !isJSON(clean) {
			t.Errorf("%s is no JSON any more: %s", in, clean)
		}
		if again := e.line(clean); string(again) != string(clean) {
			t.Errorf("%q is %q, then %q", s, clean, again)
		}
		e.noted = new(notes)
		for _, f := range (&Explainer{e}).Line(in) {
			if f.Start < 0 || f.End > len(in) || f.Start > f.End {
				t.Errorf("%q: a finding at %v", s, f.Span)
			}
		}
	})
}
