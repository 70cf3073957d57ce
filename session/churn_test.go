package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// churn makes, forks, deletes and brings back sessions until it is killed. All
// say the same: m1 to m4, or the beginning of it. It prints a line after each round.
func churn(base string) error {
	ctx := context.Background()
	store := OpenStore(base)
	for n := 0; ; n++ {
		root := fmt.Sprintf("r%d-%d", os.Getpid(), n)
		errs := []error{store.Create(SessionMetadata{ID: root, CWD: "/w"})}
		for i := 1; i <= 4; i++ {
			errs = append(errs, store.AppendMessage(root, say(i)))
		}
		errs = append(errs,
			second(store.Fork(root, root+"-whole")),
			second(store.ForkAt(ctx, root+"-whole", root+"-part", "m2")),
			store.Delete(root),
			store.Delete(root+"-whole"),
			store.Undelete(ctx, root),
			second(store.List()))
		if err := errors.Join(errs...); err != nil {
			return err
		}
		fmt.Println(root)
	}
}

// TestKilledAnywhere kills that at random instants: what is there is whole, and
// what is half made is seen by nobody.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "sessions")
	for life := range 12 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "churn", base)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if life%2 == 0 { // on a busy machine it takes longer to begin than the others live
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				cmd.Wait()
				t.Fatalf("%v: %s", err, stderr.String())
			}
		}
		time.Sleep(time.Duration(30+rand.IntN(100)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if stderr.Len() > 0 {
			t.Fatal(stderr.String())
		}
	}
	store := OpenStore(base)
	defer store.Close()
	list, err := store.List()
	must(t, err)
	for _, meta := range list {
		loaded, err := store.Load(meta.ID)
		if err != nil || len(loaded.BadLines) > 0 || !strings.HasPrefix("m1 m2 m3 m4", uuids(loaded.Messages)) ||
			meta.MessageCount != len(loaded.Messages) || meta.CWD != "/w" {
			t.Errorf("%+v: %+v, %v", meta, loaded, err)
		}
		if strings.HasSuffix(meta.ID, "-part") && meta.MessageCount != 2 || strings.HasSuffix(meta.ID, "-whole") && meta.MessageCount != 4 {
			t.Errorf("half a fork: %+v", meta)
		}
	}
	trash, err := store.Trash(t.Context())
	must(t, err)
	t.Logf("%d sessions, %d in the trash", len(list), len(trash))
	if len(list) < 3 {
		t.Error("no process got far enough for this to mean anything")
	}
}

// TestLockOfARestoredSession deletes and restores a session while another store locks it: there is a lock, or no
// session, and no other error.
func TestLockOfARestoredSession(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	other := OpenStore(s.queue.Path, WithSync(false))
	defer other.Close()
	done := make(chan error, 1)
	go func() {
		var err error
		for n := 0; n < 1000 && err == nil; n++ {
			err = errors.Join(other.Delete("a"), other.Undelete(t.Context(), "a"))
		}
		done <- err
	}()
	for {
		_, _, l, err := s.queue.Lock("a")
		if err != nil && !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		l.Release()
		select {
		case err := <-done:
			must(t, err)
			return
		default:
		}
	}
}
