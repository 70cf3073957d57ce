package term

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func plain(answers string) (Terminal, *strings.Builder) {
	var out strings.Builder
	return Terminal{In: strings.NewReader(answers), Out: &out, Interactive: true, Accessible: true}, &out
}

func TestPlainConfirm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answers string
		want          bool
		err           error
	}{
		{"yes", "y\n", true, nil},
		{"yes in full", " YES \r\n", true, nil},
		{"no", "n\n", false, nil},
		{"return means no", "\n", false, nil},
		{"asked again until it is an answer", "maybe\nyes\n", true, nil},
		{"nobody there", "", false, ErrCancelled},
		{"left in the middle of the answer", "y", false, ErrCancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			term, out := plain(test.answers)
			got, err := term.Confirm(t.Context(), "Go ahead?", "It is safe.")
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("Confirm = %v, %v; want %v, %v", got, err, test.want, test.err)
			}
			if !strings.HasPrefix(out.String(), "It is safe.\nGo ahead? [y/N] ") {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestPlainSelect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answers string
		want          int
		err           error
	}{
		{"a number", "2\n", 1, nil},
		{"asked again", "0\n4\n\nfoo\n3\n", 2, nil},
		{"the end of the input chooses nothing", "", 0, ErrCancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			term, out := plain(test.answers)
			got, err := term.Select(t.Context(), "Which?", []string{"one", "two", "three"})
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("Select = %v, %v; want %v, %v", got, err, test.want, test.err)
			}
			if !strings.Contains(out.String(), "Which?\n1. one\n2. two\n3. three\n") {
				t.Errorf("printed %q", out)
			}
			if ended := strings.HasSuffix(out.String(), ": \n"); ended != (test.err != nil) {
				t.Errorf("printed %q", out)
			}
		})
	}
}

// unreadable fails the test when somebody reads it.
type unreadable struct{ t *testing.T }

func (r unreadable) Read([]byte) (int, error) {
	r.t.Error("the input was read")
	return 0, io.EOF
}

func TestNobodyIsNeverAsked(t *testing.T) {
	t.Parallel()
	for _, accessible := range []bool{false, true} {
		term := Terminal{In: unreadable{t}, Out: io.Discard, Accessible: accessible}
		if _, err := term.Confirm(t.Context(), "?", ""); !errors.Is(err, ErrNotInteractive) {
			t.Errorf("Confirm: %v", err)
		}
		if _, err := term.Select(t.Context(), "?", []string{"a"}); !errors.Is(err, ErrNotInteractive) {
			t.Errorf("Select: %v", err)
		}
	}
}

func TestCancelledContextLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	term := Terminal{In: r, Out: io.Discard, Interactive: true, Accessible: true}
	if _, err := term.Confirm(ctx, "?", ""); !errors.Is(err, ErrCancelled) {
		t.Errorf("Confirm = %v, want %v", err, ErrCancelled)
	}
}

func TestPageWithoutTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	text := strings.Repeat("line\n", 1000)
	if err := (Terminal{Out: &out}).Page(t.Context(), "exit 1", nil, text); err != nil || out.String() != text {
		t.Errorf("Page wrote %d bytes, %v; want %d", out.Len(), err, len(text))
	}
}

func TestPagerGetsTheText(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Logf("no shell here: %v", err)
		return
	}
	long := strings.Repeat("0123456789\n", 100_000) // more than a pipe holds
	for _, test := range []struct {
		name, pager, want string
		err               error
	}{
		{"whole", "cat", long, nil},
		{"left early", "head -n 1", "0123456789\n", nil},
		{"unknown", "no-such-pager-here", "", errNoPager},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "out")
			out, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if err := (Terminal{}).page(t.Context(), test.pager, os.Environ(), out, func(w io.Writer) error {
				_, err := io.WriteString(w, long)
				return err
			}); !errors.Is(err, test.err) {
				t.Fatalf("page: %v, want %v", err, test.err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
				t.Errorf("the pager wrote %d bytes, %v; want %d", len(got), err, len(test.want))
			}
		})
	}
}

func TestStyledIsPlainWithoutColour(t *testing.T) {
	t.Parallel()
	for s := Strong; s <= Bad; s++ {
		if got := (Terminal{}).Styled(s, "text"); got != "text" {
			t.Errorf("Styled(%d) = %q", s, got)
		}
		if got := (Terminal{Color: true}).Styled(s, "text"); !strings.Contains(got, "\x1b[") || !strings.Contains(got, "text") {
			t.Errorf("in colour, Styled(%d) = %q", s, got)
		}
	}
	if WantsColor(&strings.Builder{}, "", "xterm") {
		t.Error("a buffer wants colour")
	}
}

func TestPlainChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answers string
		want          []int
		err           error
	}{
		{"nothing means what is marked", "\n", []int{1}, nil},
		{"numbers in any order, once each", "3, 1 3\n", []int{0, 2}, nil},
		{"asked again", "0\n4\n1 x\n2\n", []int{1}, nil},
		{"the end of the input chooses nothing", "", nil, ErrCancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			term, out := plain(test.answers)
			got, err := term.Choose(t.Context(), "Which?", []string{"one", "two", "three"}, []bool{false, true, false})
			if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("Choose = %v, %v; want %v, %v", got, err, test.want, test.err)
			}
			if !strings.Contains(out.String(), "Which?\n  1. one\n* 2. two\n  3. three\n") {
				t.Errorf("printed %q", out)
			}
		})
	}
}
