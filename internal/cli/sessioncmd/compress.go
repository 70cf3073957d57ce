package sessioncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
)

// compress compresses the conversations that stay and were not used for some time.
func (c *cleaning) compress(ctx context.Context) error {
	keys, err := c.stores()
	if err != nil {
		return err
	}
	var failed error
	for _, key := range keys {
		after := c.compressAfter(key)
		if after < 0 {
			continue
		}
		done, err := c.compressIn(ctx, key, c.Env.Now().Add(-after))
		c.compressed.Sessions = append(c.compressed.Sessions, done.Sessions...)
		c.compressed.Was += done.Was
		c.compressed.Is += done.Is
		for _, sid := range slices.Sorted(maps.Keys(done.Failed)) {
			fmt.Fprintf(c.Env.Err, "warning: %s is not compressed: %s\n", cliui.ShownLine(sid), cliui.ShownLine(cliui.OneLine(done.Failed[sid].Error())))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func (c *cleaning) compressIn(ctx context.Context, key string, before time.Time) (session.Compressed, error) {
	goes := map[string]bool{}
	for _, t := range c.taken {
		goes[t.Project+"/"+t.ID] = true
	}
	var bar *term.Progress
	var shown int64
	o := session.CompressOptions{
		Before: before, DryRun: c.dryRun,
		Leave: func(sid string) bool { return goes[key+"/"+sid] },
		Progress: func(done, all int64) {
			if bar == nil {
				bar = term.NewProgress(c.Env.Err, "Compressing", all)
			}
			bar.Add(done - shown)
			shown = done
		},
	}
	done, err := c.StoreOf(key).Compress(ctx, o)
	if bar != nil {
		bar.Done()
	}
	return done, err
}

// compressAfter returns how long a project's conversations must be unused to be compressed;
// negative for never.
func (c *cleaning) compressAfter(key string) time.Duration {
	set := c.projectCompress
	if key != c.Ident.Key {
		var mine []retention.Session
		for _, s := range c.plain {
			if s.Project == key {
				mine = append(mine, s)
			}
		}
		set = c.retentionOf(key, mine).Compress
	}
	return cmp.Or(set, c.userCompress, retention.DefaultCompress)
}

func (c *cleaning) writeCompressed(b *strings.Builder) {
	done := c.compressed
	switch {
	case len(done.Sessions) == 0:
	case c.dryRun:
		fmt.Fprintf(b, "Would compress %s (%s)\n", cliui.Count(len(done.Sessions), "conversation"), retention.Bytes(done.Was))
	default:
		fmt.Fprintf(b, "Compressed %s: %s became %s\n", cliui.Count(len(done.Sessions), "conversation"), retention.Bytes(done.Was), retention.Bytes(done.Is))
	}
}
