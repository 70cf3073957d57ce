package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
)

// TestManyCheckpoints: a file that very many checkpoints know. An agent's line that
// comes without a trailer is still looked for in a thousand of them, and in other
// commits of the file where there are more.
func TestManyCheckpoints(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write("f.txt", l.text("old"))
	l.plain("old")
	l.enable()
	l.Write("f.txt", l.Read("f.txt")+l.text("a1 a1"))
	cp := l.linked("work")
	l.Git("reset", "-q", "--soft", "HEAD~1")
	l.Write("f.txt", l.Read("f.txt")+l.text("h"))
	l.plain("the same, with the title only")
	l.copies(cp, 1, 1000)
	if got, want := l.blame("f.txt"), "? a1 a1 h"; got != want {
		t.Errorf("known by 1000 checkpoints: %s, want %s", got, want)
	}
	l.copies(cp, 1000, 1001)
	if got, want := l.blame("f.txt"), "? a1 a1 ?"; got != want {
		t.Errorf("known by 1001 checkpoints: %s, want %s", got, want)
	}
}

// copies adds checkpoints with the record of one, each a second older than the one before.
func (l *lab) copies(of id.CheckpointID, from, to int) {
	l.t.Helper()
	docs, err := records.NewReader(l.open()).Attributions(l.ctx, []id.CheckpointID{of})
	if err != nil {
		l.t.Fatal(err)
	}
	rec, err := attribution.DecodeRecord(docs[of])
	if err != nil {
		l.t.Fatal(err)
	}
	var in strings.Builder
	fmt.Fprint(&in, "commit refs/heads/entire/checkpoints/v1\ncommitter T <t@example.com> 1 +0000\ndata 0\nfrom refs/heads/entire/checkpoints/v1^0\n")
	for n := from; n < to; n++ {
		copied := *rec
		copied.Time -= int64(n)
		data, err := copied.Encode()
		if err != nil {
			l.t.Fatal(err)
		}
		fmt.Fprintf(&in, "M 100644 inline %02x/%010x/%s\ndata %d\n%s\n", n%256, 1<<32+n, records.AttributionName, len(data), data)
	}
	l.GitInput(in.String(), "fast-import", "--quiet")
}
