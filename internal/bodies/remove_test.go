package bodies

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// agreed is a folder that stores bodies, and another process's view of it.
func agreed(t *testing.T) (hook, push *Folder) {
	t.Helper()
	hook = place(t, withBucket)
	if err := hook.Agree(t.Context(), "s3://team/shop", true, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	return hook, other(hook)
}

func other(f *Folder) *Folder { return &Folder{dir: f.dir, settings: f.settings} }

// stored stores a text and returns its pointer.
func stored(t *testing.T, f *Folder, text string) Pointer {
	t.Helper()
	blob, moved, err := f.Move([]byte(text), plain)
	if err != nil || !moved {
		t.Fatalf("moved %v, %v", moved, err)
	}
	p, err := Parse(blob)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readable reports whether the body is here.
func readable(f *Folder, p Pointer) bool {
	_, errs := other(f).Read(context.Background(), []Pointer{p})
	return errs[0] == nil
}

// A hook stores the bytes of a forgotten body again while a push removes them. Its ref moves before the push looks what is
// needed, or after it.
func TestRemovedAndStoredAgain(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line of a transcript\n", 2000)
	for _, row := range []string{"stored before, named before", "stored before, named after", "stored meanwhile, named after", "not needed"} {
		hook, push := agreed(t)
		p := stored(t, other(hook), text) // as the forgotten checkpoint has it
		if err := push.move(waiting, kept, p.SHA256); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(row, "stored before") {
			stored(t, hook, text)
		}
		n, err := push.Remove(t.Context(), []string{p.SHA256}, func() (map[string]Pointer, error) {
			switch {
			case strings.HasPrefix(row, "stored meanwhile"):
				stored(t, hook, text)
				return nil, nil
			case strings.HasSuffix(row, "named before"):
				return map[string]Pointer{p.SHA256: p}, hook.Settle()
			case strings.HasSuffix(row, "named after"):
				return nil, hook.Settle()
			}
			return nil, nil
		})
		if err == nil && strings.HasSuffix(row, "named after") {
			err = hook.Settle()
		}
		if err != nil {
			t.Errorf("%s: %v", row, err)
		}
		if gone := row == "not needed"; readable(hook, p) == gone {
			t.Errorf("%s: here: %v, removed: %d", row, !gone, n)
		}
		if waits, err := push.Waiting(); err != nil || len(waits) == 1 == (row == "not needed") {
			t.Errorf("%s: %d wait to be sent, %v", row, len(waits), err)
		}
	}
}

// What was put aside is here again if nobody could say whether it is needed, and after a process that ended meanwhile.
func TestRemoveInterrupted(t *testing.T) {
	t.Parallel()
	hook, push := agreed(t)
	p := stored(t, hook, strings.Repeat("a line of a transcript\n", 2000))
	broken := errors.New("cannot be said")
	if _, err := push.Remove(t.Context(), []string{p.SHA256}, func() (map[string]Pointer, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if waits, err := push.Waiting(); err != nil || len(waits) != 1 {
		t.Errorf("%d wait, %v", len(waits), err)
	}
	if err := push.move(waiting, leaving, p.SHA256); err != nil {
		t.Fatal(err)
	}
	if !readable(hook, p) {
		t.Error("a body that is put aside cannot be read")
	}
	none := func() (map[string]Pointer, error) { return nil, nil }
	if _, err := push.Remove(t.Context(), []string{strings.Repeat("0", 64)}, none); err != nil {
		t.Error(err)
	}
	if waits, err := push.Waiting(); err != nil || len(waits) != 1 {
		t.Errorf("%d wait after the next one, %v", len(waits), err)
	}
}
