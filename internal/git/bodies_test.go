package git

import (
	"strings"
	"testing"
	"time"

	"entire/internal/bodies"
	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// A ref that moves names bodies that are here, also if another process removed one while nothing named it yet.
func TestMovedRefNamesBodies(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write(".entire/settings.json", `{"strategy_options": {"bucket": {"url": "s3://team/shop", "limit": 20}}}`)
	repo := discovered(t, r)
	if err := repo.Bodies.Agree(t.Context(), "s3://team/shop", true, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	blob, err := repo.Conversation("session").Blob([]byte(strings.Repeat("a line of a transcript\n", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	push := bodies.New(repo.CommonDir, r.Dir)
	waits, err := push.Waiting()
	if err != nil || len(waits) != 1 {
		t.Fatalf("%d bodies wait, %v", len(waits), err)
	}
	for name := range waits {
		none := func() (map[string]bodies.Pointer, error) { return nil, nil }
		if n, err := push.Remove(t.Context(), []string{name}, none); n != 1 || err != nil {
			t.Fatalf("removed %d, %v", n, err)
		}
	}
	if err := repo.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/entire/x", New: blob}}); err != nil {
		t.Fatal(err)
	}
	if again, err := push.Waiting(); err != nil || len(again) != 1 {
		t.Errorf("%d bodies wait after the ref has moved, %v", len(again), err)
	}
	if o, err := repo.Reader(t.Context()).Small(0, object.OID(blob).String()); err != nil || o[0].Sealed != nil || !strings.HasPrefix(string(o[0].Data), "a line") {
		t.Errorf("the blob is not readable: %v, %+v", err, o)
	}
}
