package trailer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseCheckpointTrailers(t *testing.T) {
	t.Parallel()
	const a, b = "a3b2c4d5e6f7", "0123456789ab"
	for _, tt := range []struct {
		name, msg string
		want      []string
	}{
		{"none", "s\n\nbody\n", nil},
		{"trailer", "s\n\nEntire-Checkpoint: " + a + "\n", []string{a}},
		{"no newline", "s\n\nEntire-Checkpoint: " + a, []string{a}},
		{"crlf", "s\r\n\r\nEntire-Checkpoint: " + a + "\r\n", []string{a}},
		{"glued to the subject", "feat: x\nEntire-Checkpoint: " + a + "\n", []string{a}},
		{"folded into the subject", "feat: x Entire-Checkpoint: " + a + "\n", []string{a}},
		{"value on the next line", "s\n\nEntire-Checkpoint:\n" + a + "\n", []string{a}},
		{"squash keeps all, the last paragraph first", "s\n\nEntire-Checkpoint: " + b + "\n\n* x\n\nEntire-Checkpoint: " + a + "\n", []string{a, b}},
		{"indented by git merge --squash", "Squashed\n\n    feat\n\n    Entire-Checkpoint: " + a + "\n\n    fix\n    \n    Entire-Checkpoint: " + b + "\n", []string{b, a}},
		{"twice the same", "s\n\nEntire-Checkpoint: " + a + "\nEntire-Checkpoint: " + a + "\n", []string{a}},
		{"prose does not count beside a trailer", "about Entire-Checkpoint: " + b + "\n\nEntire-Checkpoint: " + a + "\n", []string{a}},
		{"capitals", "s\n\nEntire-Checkpoint: A3B2C4D5E6F7\n", nil},
		{"too long", "s\n\nEntire-Checkpoint: " + a + "0\n", nil},
		{"empty, then another", "s\n\nEntire-Checkpoint: \nEntire-Session: x\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, cp := range ParseCheckpointTrailers(tt.msg) {
				got = append(got, cp.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTrailerValueIsNeverTheNextLine(t *testing.T) {
	t.Parallel()
	msg := "carry forward\n\nEntire-Metadata: \nEntire-Session: s1\nEntire-Strategy: manual-commit\n"
	if got := Value(msg, Metadata); got != "" {
		t.Errorf("empty trailer read as %q", got)
	}
	if got := Value(msg, Session); got != "s1" {
		t.Errorf("session %q", got)
	}
}

// TestManyTrailers would not end if a list were searched for each of its items.
func TestManyTrailers(t *testing.T) {
	t.Parallel()
	var msg strings.Builder
	for i := range 200000 {
		fmt.Fprintf(&msg, "Entire-Checkpoint: %012x\n", i)
	}
	if got := len(ParseCheckpointTrailers(msg.String())); got != maxValues {
		t.Errorf("%d IDs", got)
	}
}

func TestForeignCheckpoints(t *testing.T) {
	t.Parallel()
	const cp, ulid, foreign, other = "a3b2c4d5e6f7", "01JD6Q8ZV3K5N7P9R2T4W6Y8A0", "01jd6q8zv3k5n7p9r2t4w6y8a0", "v9:k5/n7.1"
	for _, tt := range []struct {
		name, msg string
		want      []string
	}{
		{"none", "s\n\nbody\n", nil},
		{"ours", "s\n\nEntire-Checkpoint: " + cp + "\n", nil},
		{"a ULID", "s\n\nEntire-Checkpoint: " + ulid + "\n", nil},
		{"beside ours", "s\n\nEntire-Checkpoint: " + cp + "\nEntire-Checkpoint: " + foreign + "\n", []string{foreign}},
		{"squashed", "s\n\nEntire-Checkpoint: " + other + "\n\n    x\n\n    Entire-Checkpoint: " + foreign + "\n\nend\n", []string{other, foreign}},
		{"prose", "s\n\nEntire-Checkpoint: trailers are kept\n", nil},
		{"a word", "s\n\nEntire-Checkpoint: something\n", nil},
		{"in a sentence", "about Entire-Checkpoint: " + foreign + "\n", nil},
		{"too short", "s\n\nEntire-Checkpoint: a3b2\n", nil},
		{"too long", "s\n\nEntire-Checkpoint: " + strings.Repeat("a1", 40) + "\n", nil},
		{"empty", "s\n\nEntire-Checkpoint: \nEntire-Session: x1234567\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ForeignCheckpoints(tt.msg); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
