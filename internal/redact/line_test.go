package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// picture is the base64 form of a PNG's first bytes and noise.
func picture() string {
	noise := []byte(randomString(newRand(3), alnum, 300))
	return base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), noise...))
}

// signature is what a thinking block ends with.
func signature() string {
	return base64.StdEncoding.EncodeToString([]byte(randomString(newRand(4), "\x00\x01\x99\xa7\xf0\x42\x7f\x18\xc3", 200)))
}

func TestLineRemovesSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"value", `{"a":1, "text":"use ` + github + `"}`, `{"a":1, "text":"use REDACTED"}`},
		{"bare string", `"` + github + `"`, `"REDACTED"`},
		{"array", `[["` + github + `"],"x"]`, `[["REDACTED"],"x"]`},
		{"behind a newline escape", `{"t":"x\n` + github + `\ny"}`, `{"t":"x\nREDACTED\ny"}`},
		{"with escaped letters", `{"t":"\u0067hp_` + github[4:] + `"}`, `{"t":"REDACTED"}`},
		{"with an escaped slash", `{"t":"` + mixed40 + `\/` + mixed40 + `"}`, `{"t":"REDACTED"}`},
		{"beside HTML escapes", `{"t":"\u003cb\u003e` + github + `\u003c\/b\u003e \ud83d\ude00"}`, `{"t":"\u003cb\u003eREDACTED\u003c\/b\u003e \ud83d\ude00"}`},
		{"beside a lone surrogate", `{"t":"\ud83d ` + github + ` \ud83d"}`, `{"t":"\ud83d REDACTED \ud83d"}`},
		{"JSON inside a string", `{"t":"{\"api_key\": \"` + hex32 + `\"}"}`, `{"t":"{\"api_key\": \"REDACTED\"}"}`},
		{"private key", `{"t":"` + strings.ReplaceAll(pemKey, "\n", `\n`) + `\n"}`, `{"t":"REDACTED\n"}`},
		{"named by its key", `{"api_key":"` + hex32 + `"}`, `{"api_key":"REDACTED"}`},
		{"named by a key with escapes", `{"client\u005fsecret":"` + hex32 + `"}`, `{"client\u005fsecret":"REDACTED"}`},
		{"keys that end in id", `{"paid":"` + github + `","grid":"` + github + `","id":"` + github + `"}`, `{"paid":"REDACTED","grid":"REDACTED","id":"REDACTED"}`},
		{"key of an identifier, entropy", `{"clientId":"` + mixed40 + `"}`, `{"clientId":"REDACTED"}`},
		{"object that calls itself an image", `{"type":"image/secret","data":"` + mixed40 + mixed40 + `"}`, `{"type":"image/secret","data":"REDACTED"}`},
		{"base64 that is no picture", `{"type":"base64","data":"` + mixed40 + mixed40 + `"}`, `{"type":"base64","data":"REDACTED"}`},
		{"signature too short to be one", `{"signature":"` + mixed40 + `"}`, `{"signature":"REDACTED"}`},
		{"signature that is a token", `{"signature":"` + github + `"}`, `{"signature":"REDACTED"}`},
		{"key", `{"` + github + `":1}`, `{"REDACTED":1}`},
		{"keys stay different", `{"` + github + `":1,"` + github[:39] + "Q" + `":2,"REDACTED":3}`, `{"REDACTED_2":1,"REDACTED_3":2,"REDACTED":3}`},
		{"torn line", `{"text":"use ` + github + ` and`, `{"text":"use REDACTED and`},
		{"not JSON", `export T=1; ` + github, `export T=1; REDACTED`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(tt.line)
			got := Line(in)
			if string(got) != tt.want {
				t.Errorf("Line(%s)\n = %s\nwant %s", tt.line, got, tt.want)
			}
			if string(in) != tt.line {
				t.Errorf("Line changed its argument to %s", in)
			}
			if again := Line(got); !same(again, got) {
				t.Errorf("Line(%s) = %s: not idempotent", got, again)
			}
		})
	}
}

func TestLineKeeps(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line string }{
		{"empty", ``},
		{"spaces and order", `{ "b" : [ 1.50, true ,null ],  "a":"x\/y\u00e9" }`},
		{"identifiers", `{"uuid":"258c7280-ae70-4798-800f-63464d01a85d","parentUuid":null,"requestId":"req_011CXzHtcB6n1Cx2kWqZfT7v","message":{"id":"msg_011BZxuKeo3jr8RsTntn65pH"},"toolUseID":"agent_msg_01LkKqpUD829m724o5oSeN7M"}`},
		{"hash as an identifier", `{"id":"` + hex32 + `"}`},
		{"thinking", `{"type":"thinking","thinking":"hm","signature":"` + signature() + `"}`},
		{"redacted thinking", `{"type":"redacted_thinking","data":"` + signature() + `"}`},
		{"picture", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture() + `"}}`},
		{"picture in a tool's result", `{"type":"image","file":{"base64":"` + picture() + `"}}`},
		{"path", `{"file_path":"/home/somebody/projects/app-worktrees/feature/lib/app_web/live/ProjectReviewLive2.ex"}`},
		{"tokens used", `{"usage":{"input_tokens":120000,"service_tier":"standard","cache_creation":{"ephemeral_5m_input_tokens":1}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(tt.line)
			if got := Line(in); !same(got, in) {
				t.Errorf("Line(%s)\n = %s", tt.line, got)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	dirty, clean := `{"t":"`+github+`"}`, `{"t":"REDACTED"}`
	tests := []struct{ name, data, want string }{
		{"empty", "", ""},
		{"final newline", "{}\n" + dirty + "\n", "{}\n" + clean + "\n"},
		{"no final newline", dirty + "\n{}\n" + dirty, clean + "\n{}\n" + clean},
		{"blank lines", "\n\n" + dirty + "\n\n{}", "\n\n" + clean + "\n\n{}"},
		{"carriage returns", dirty + "\r\n{}\r\n", clean + "\r\n{}\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(Lines([]byte(tt.data))); got != tt.want {
				t.Errorf("Lines(%q) = %q, want %q", tt.data, got, tt.want)
			}
		})
	}
	data := []byte("{}\n{\"a\":\"b\"}\n")
	if !same(Lines(data), data) {
		t.Error("Lines copied data that has no secrets")
	}
}

func TestJSONOfToolInput(t *testing.T) {
	t.Parallel()
	in := json.RawMessage(`{"command":"curl -u admin:k7Kp2mQ9 https://example.com","timeout":5}`)
	if got, want := string(JSON(in)), `{"command":"curl -u REDACTED https://example.com","timeout":5}`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	if got := JSON(nil); got != nil {
		t.Errorf("JSON(nil) = %s", got)
	}
}

// TestTranscript asks for every line of a transcript what the format promises.
func TestTranscript(t *testing.T) {
	t.Parallel()
	data := benchTranscript(t)
	clean := Lines(data)
	before, after := bytes.Split(data, []byte("\n")), bytes.Split(clean, []byte("\n"))
	if len(before) != len(after) {
		t.Fatalf("%d lines became %d", len(before), len(after))
	}
	changed := 0
	for i := range before {
		if bytes.Equal(before[i], after[i]) {
			continue
		}
		changed++
		checkSameShape(t, before[i], after[i])
	}
	if changed > len(before)/4 {
		t.Errorf("%d of %d lines changed", changed, len(before))
	}
	if !bytes.Equal(Lines(clean), clean) {
		t.Error("a second pass changed something")
	}
}
