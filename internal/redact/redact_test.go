package redact

import (
	"strings"
	"testing"
)

// Secrets are put together at run time, so that scanners leave this repository alone.
var (
	hex32   = "6da89121079f83b2" + "eb6acccf8219ea98"
	mixed40 = "wJ4lr" + "XUtnFEM" + "I8K7MDE" + "NGbPxRf" + "iCYq0Zk" + "1sHy6Tv"
	github  = "gh" + "p_" + mixed40[:36]
	awsID   = "AK" + "IA" + "Q3EGRIZ5QZ7LMN2P"
	openai  = "sk" + "-" + mixed40[:20] + "T3Blbk" + "FJ" + mixed40[20:]
	slack   = "xo" + "xb-1234567890123-1234567890123-" + mixed40[:24]
	jwt     = "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvIn0." + mixed40
	pemKey  = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEow"+mixed40+"\n", 4) + "-----END RSA " + "PRIVATE KEY-----"
)

func TestTextRemovesSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"github", "use " + github + " here", "use REDACTED here"},
		{"aws", "id: " + awsID + "\nregion: eu", "id: REDACTED\nregion: eu"},
		{"openai", "OPENAI=" + openai, "OPENAI=REDACTED"},
		{"slack", "`" + slack + "`", "`REDACTED`"},
		{"jwt", "Bearer " + jwt, "Bearer REDACTED"},
		{"private key", "before\n" + pemKey + "\nafter", "before\nREDACTED\nafter"},
		{"named hex", `"api_key": "` + hex32 + `"`, `"api_key": "REDACTED"`},
		{"named, no entropy", `client_secret = "` + hex32 + `",`, `client_secret = "REDACTED",`},
		{"everywhere it occurs", "api_key=" + hex32 + "\nand again " + hex32, "api_key=REDACTED\nand again REDACTED"},
		{"vendor name", "datadog_key: " + hex32 + hex32[:8], "datadog_key: REDACTED"},
		{"password in a file's line", "DB_PASSWORD='x7Kp2mQ9vL4w'\n", "DB_PASSWORD='REDACTED'\n"},
		{"curl user", `curl -u "admin:k7Kp2mQ9" https://example.com`, `curl -u REDACTED https://example.com`},
		{"curl header", `curl -H "Authorization: Bearer x7Kp2mQ9vL4w" https://example.com`, `curl -H "Authorization: Bearer REDACTED" https://example.com`},
		{"kubernetes", "kind: Secret\ndata:\n  user: " + "YWRtaW5hZG1pbg==\n", "kind: Secret\ndata:\n  REDACTED\n"},
		{"random", "see " + mixed40 + " there", "see REDACTED there"},
		{"random, base64", "see " + mixed40 + "+/" + mixed40 + "== there", "see REDACTED there"},
		{"random segment of a path", "/home/me/project/" + mixed40 + "/notes", "/home/me/project/REDACTED/notes"},
		{"random after a word", "session-" + mixed40[:30] + "_" + mixed40[30:], "REDACTED"},
		{"two that touch", github + github, "REDACTED"},
		{"with a Kelvin sign", "to\u212aen = x7Kp2mQ9vL4wZ1", "to\u212aen = REDACTED"},
		{"after text that is not UTF-8", "\xff\xfe " + github, "\xff\xfe REDACTED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Text(tt.text); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.text, got, tt.want)
			}
			if got := Text(tt.want); got != tt.want {
				t.Errorf("Text(%q) = %q: not idempotent", tt.want, got)
			}
		})
	}
}

func TestTextKeeps(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"prose", "The token is read from the environment; the secret never leaves the process."},
		{"token", Token},
		{"absolute path", "/home/somebody/projects/app-worktrees/feature/priv/repo/migrations/20260211203856_add_refs_and_source.exs"},
		{"path of a user on a Mac", "/Users/jane.doe/Library/Application Support/Code/User/workspaceStorage/b1946ac92492d2347c6235b4d2611184/state.vscdb"},
		{"relative path", "src/components/UserProfileCard/ConnectionSettingsPanel.stories.tsx"},
		{"path with dots", "../../packages/core2/src/internal/__tests__/fixtures/v3/HTTPServerOptions.test.ts:120:14"},
		{"home", "~/.config/nvim/lua/plugins/telescope-fzf-native/README.md"},
		{"windows", `C:\Users\jane\source\repos\WebApplication1\Controllers\HomeController.cs`},
		{"temporary directory", "/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/go-build1234567890/b001/exe"},
		{"nix store", "/nix/store/0c4mwnqs0i1v1b0c9q3j4y8x2m5k7p6d-coreutils-9.4/bin/ls"},
		{"url", "https://docs.example.com/en/latest/guides/getting-started/Installation-Using-Package-Managers/index.html"},
		{"url of a commit", "https://github.com/example/project/commit/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"},
		{"go module", "github.com/example/project/v2 v2.0.0-20240102150405-0a1b2c3d4e5f"},
		{"uuid", "258c7280-ae70-4798-800f-63464d01a85d"},
		{"path with uuid", "claude/projects/-home-me-projects-app-worktrees-feature/258c7280-ae70-4798-800f-63464d01a85d.jsonl"},
		{"ulid", "01JD9Z3K8V5QGH4T2WNM6XB7RA and usr_01jd9z3k8v5qgh4t2wnm6xb7ra"},
		{"path with ulid", "open docs/01JD9Z3K8V5QGH4T2WNM6XB7RA/session.json, /home/x/.local/share/app/01JD9Z3K8V5QGH4T2WNM6XB7RA/messages.jsonl"},
		{"ref with ulid", "refs/entire/checkpoints/RA/01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{"git object", "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"},
		{"sha-256", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
		{"message id", "msg_011BZxuKeo3jr8RsTntn65pH"},
		{"tool use id", "toolu_01LkKqpUD829m724o5oSeN7M and agent_msg_01LkKqpUD829m724o5oSeN7M"},
		{"request id", "req_011CXzHtcB6n1Cx2kWqZfT7v"},
		{"go.sum", "github.com/a/b v1.2.3 h1:" + mixed40 + "abc="},
		{"lock file", "integrity sha512-" + mixed40 + "+" + mixed40 + "/abcd=="},
		{"yarn lock", `  integrity "sha1-` + mixed40[:27] + `="`},
		{"ssh fingerprint", "SHA256:" + mixed40 + "abc root@host"},
		{"camel case", "shouldReturnHTTP2ErrorWhenConnectionPoolIsExhausted_AndRetriesAreDisabled"},
		{"alphabet", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"},
		{"minified code", `!function(e,t){"use strict";var n=e.a+t.b/r-i,o=function(e){return e&&e.__esModule?e:{default:e}}}(this)`},
		{"expression without spaces", "a=b+c/d-e_f=g+h/i-j_k=l+m/n-o_p=q+r/s-t_u"},
		{"css", "grid-cols-2/flex-1/hover:bg-zinc-900/dark:text-white/md:max-w-screen-2xl"},
		{"picture in a page", "background: url(data:image/png;base64," + picture() + ")"},
		{"public certificate", "-----BEGIN CERTIFICATE-----"},
		{"example key of AWS", "AK" + "IAIOSFODNN7EXAMPLE"},
		{"variable for a secret", `token: ${{ secrets.DEPLOY_TOKEN }}`},
		{"name of a secret", "api_key = get_api_key_from_environment"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Text(tt.text); got != tt.text {
				t.Errorf("Text(%q) = %q, want no change", tt.text, got)
			}
		})
	}
}

func TestScanSpans(t *testing.T) {
	t.Parallel()
	s := "a " + github + " b " + awsID
	got := Scan(s)
	if len(got) != 2 || s[got[0].Start:got[0].End] != github || s[got[1].Start:got[1].End] != awsID {
		t.Errorf("Scan(%q) = %v", s, got)
	}
}

// A rule that cannot be compiled, or that breaks, costs the string and nothing else.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rule rule
	}{
		{"rule", rule{id: "broken", expr: "(", words: []string{"trigger"}}},
		{"allowlist", rule{id: "broken", expr: "trigger", words: []string{"trigger"}, allow: []allowlist{{exprs: []string{"("}}}}},
		{"panic", rule{id: "broken", expr: "trigger", anchors: []anchor{{lit: "trigger", min: -1 << 40}}, group: -1, allow: []allowlist{{target: 9, exprs: []string{"x"}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &engine{rules: []rule{tt.rule}}
			if got := e.text("some trigger here", anyText); got != Token {
				t.Errorf("text = %q, want %q", got, Token)
			}
			line := `{"a":"some trigger here","b":"other text"}`
			if got, want := string(e.line([]byte(line))), `{"a":"REDACTED","b":"other text"}`; got != want {
				t.Errorf("line = %s, want %s", got, want)
			}
		})
	}
}

// When the tables themselves cannot be built, nothing of a line is left.
func TestLineFailsClosed(t *testing.T) {
	t.Parallel()
	e := &engine{rules: []rule{{id: "broken", assign: []string{"ab"}}}} // too short for the index
	if got, want := string(e.line([]byte(`{"api_key":"some-value","n":1}`))), `"REDACTED"`; got != want {
		t.Errorf("line = %s, want %s", got, want)
	}
}
