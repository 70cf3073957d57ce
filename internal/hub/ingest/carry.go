package ingest

import (
	"context"

	"entire/checkpoint/records"
	"entire/internal/git"
	"entire/internal/hub/index"
	"entire/internal/hub/rows"
)

const (
	readBatch  = 256             // checkpoints that are read from git at once
	bringBatch = 100 * readBatch // and whose files are fetched at once
)

// carryOut reads what a plan needs and writes it, batch by batch. Reading goes on while a batch is written.
func (s *Source) carryOut(ctx context.Context, m *git.Mirror, p plan) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes := make(chan change, 1)
	go func() {
		defer close(changes)
		s.read(ctx, m, p, func(c change) bool {
			select {
			case changes <- c:
				return c.err == nil
			case <-ctx.Done():
				return false
			}
		})
	}()
	var r Result
	generation := p.was.Generation
	for c := range changes {
		if c.err != nil {
			return r, c.err
		}
		next, err := s.Index.Apply(ctx, s.Number, generation, c.Change)
		if err != nil {
			cancel()
			for range changes { // until the reading has ended, since it uses the repository
			}
			return r, err
		}
		generation = next
		r.Added += len(c.Add.Checkpoints)
	}
	r.Removed = len(p.remove)
	return r, ctx.Err()
}

// A change is one transaction, or why there is none.
type change struct {
	index.Change
	err error
}

// read makes the changes of a plan, and gives each to send until that returns false. The last one has Done.
func (s *Source) read(ctx context.Context, m *git.Mirror, p plan, send func(change) bool) {
	size := s.Batch
	if size < 1 {
		size = 2000
	}
	c := change{Change: index.Change{Remove: p.remove}}
	names, err := authors(ctx, m.Repo, p)
	if err != nil {
		send(change{err: err})
		return
	}
	for i := 0; i < len(p.read); i += readBatch {
		if i%bringBatch == 0 {
			if err := bring(ctx, m, p.read[i:min(i+bringBatch, len(p.read))]); err != nil {
				send(change{err: err})
				return
			}
		}
		some := p.read[i:min(i+readBatch, len(p.read))]
		b, err := s.rowsOf(ctx, m, some, names)
		if err != nil {
			send(change{err: err})
			return
		}
		for _, v := range some {
			if _, had := p.kept[v.ID.String()]; had {
				c.Remove = append(c.Remove, v.ID.String())
			}
		}
		if c.Add.Add(b); len(c.Add.Checkpoints) >= size {
			if !send(c) {
				return
			}
			c = change{}
		}
	}
	c.Done = &p.done
	send(c)
}

// rowsOf returns the rows of some versions.
func (s *Source) rowsOf(ctx context.Context, m *git.Mirror, versions []records.Version, names map[string]author) (rows.Batch, error) {
	stored, err := load(ctx, m, versions)
	if err != nil {
		return rows.Batch{}, err
	}
	var b rows.Batch
	for _, st := range stored {
		if a, ok := names[st.Folder.ID.String()]; ok {
			st.AuthorName, st.AuthorEmail, st.AuthorAt = a.name, a.email, a.at
		}
		b.Add(rows.Of(s.Number, st, s.Teams))
	}
	return b, nil
}
