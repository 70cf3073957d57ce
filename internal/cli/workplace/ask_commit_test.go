package workplace

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

type fakeTTY struct {
	io.Reader
	strings.Builder
}

func TestAskYesNo(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"\n": true, "y\n": true, "n\n": false, " NO \n": false, "what\n": true, "": true} {
		tty := &fakeTTY{Reader: strings.NewReader(answer)}
		if got := askYesNo(context.Background(), tty, "Link it?", "Last Prompt: fix it"); got != want {
			t.Errorf("%q: %v", answer, got)
		}
		if said := tty.String(); !strings.Contains(said, "Last Prompt: fix it\nLink it? [Y/n] ") {
			t.Errorf("asked %q", said)
		}
	}
}

func TestNoAnswerInTimeIsYes(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if !askYesNo(ctx, &fakeTTY{Reader: r}, "Link it?", "") {
		t.Error("silence was a no")
	}
}
