package lineage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage"
)

// history makes a file of n lines in as many linked commits, each of which rewrites
// some lines all over it.
func (l *lab) history(commits, n int) string {
	l.t.Helper()
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("old line number %d of the file, as it was\n", i)
	}
	l.Write("f.txt", strings.Join(lines, ""))
	l.plain("before")
	var stream strings.Builder
	parent := l.Git("rev-parse", "HEAD")
	for c := range commits {
		cp := id.MustCheckpointID(fmt.Sprintf("%02x%010x", c%64, c))
		for i := c % 97; i < n; i += 97 {
			lines[i] = fmt.Sprintf("a1 wrote line %d in commit %d\n", i, c)
		}
		text := strings.Join(lines, "")
		msg := fmt.Sprintf("commit %d\n\nEntire-Checkpoint: %s\n", c, cp)
		fmt.Fprintf(&stream, "commit refs/heads/main\nmark :%d\ncommitter A <a@b> %d +0000\ndata %d\n%s", c+1, l.now.Unix()+int64(60*c), len(msg), msg)
		if c == 0 {
			fmt.Fprintf(&stream, "from %s\n", parent)
		}
		fmt.Fprintf(&stream, "M 100644 inline f.txt\ndata %d\n%s\n", len(text), text)
	}
	script := filepath.Join(l.t.TempDir(), "stream")
	if err := os.WriteFile(script, []byte(stream.String()), 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.Git("-c", "alias.import=!git fast-import --quiet --force <"+script, "import")
	l.Git("reset", "-q", "--hard")
	l.recordAll(commits)
	l.Git("gc", "-q")
	return "f.txt"
}

func (l *lab) recordAll(commits int) {
	repo := l.open()
	for i, oid := range strings.Fields(l.Git("rev-list", "--reverse", fmt.Sprintf("HEAD~%d..HEAD", commits))) {
		c, err := repo.Reader(l.ctx).Commit(git.MustOID(oid))
		if err != nil {
			l.t.Fatal(err)
		}
		parent, err := repo.Reader(l.ctx).Commit(c.Parents[0])
		if err != nil {
			l.t.Fatal(err)
		}
		changes, err := repo.DiffTrees(l.ctx, parent.Tree, c.Tree)
		if err != nil {
			l.t.Fatal(err)
		}
		var b attribution.Builder
		l.recordFile(&b, repo, changes[0])
		data, err := b.Record().Encode()
		if err != nil {
			l.t.Fatal(err)
		}
		blob, err := repo.Writer().Blob(data)
		if err != nil {
			l.t.Fatal(err)
		}
		err = metadata.WriteRecord(l.ctx, repo, metadata.Record{ID: id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%64, i)), Strategy: "manual-commit",
			Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "a1", CreatedAt: l.now}}},
			Extra:    []git.Edit{{Path: records.AttributionName, Mode: git.ModeFile, OID: blob}}})
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// BenchmarkBlame is blame of 5,000 lines of 200 linked commits, beside git's own.
func BenchmarkBlame(b *testing.B) {
	l := newLab(b)
	path := l.history(200, 5000)
	b.Run("git", func(b *testing.B) {
		repo := l.open()
		for b.Loop() {
			if _, err := repo.Run(b.Context(), "blame", "--porcelain", "HEAD", "--", path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("entire", func(b *testing.B) {
		for b.Loop() {
			repo := l.open()
			lines, err := lineage.New(repo, lineage.Options{}).Blame(b.Context(), path, "HEAD")
			if err != nil || len(lines) != 5000 || !lines[10].Agent() {
				b.Fatal(err, len(lines))
			}
		}
	})
}
