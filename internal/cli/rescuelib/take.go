package rescuelib

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/project"
	"entire/internal/rescue/intake"
	"entire/internal/rescue/origin"
)

// saveEvery is how often the memory is saved during an import.
const saveEvery = 10 * time.Second

// Taken is what became of one conversation.
type Taken struct {
	*Item
	intake.Result
	Err error
}

// ErrBusy says that another process imports at the moment.
var ErrBusy = errors.New("another `entire rescue` is importing")

// Import brings conversations into the stores of their projects, the oldest first, and calls done after each. It
// goes on after one that fails. Cancelled, it returns the context's error after the one that it was at.
func (s *Survey) Import(ctx context.Context, items []*Item, done func(Taken)) error {
	lock, err := intake.Lock(workplace.DataDir(s.env))
	if errors.Is(err, durable.ErrHeld) {
		return cliui.WithHint(ErrBusy, "wait until it has ended")
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b *Item) int {
		return cmp.Or(a.First.Compare(b.First), a.Last.Compare(b.Last), cmp.Compare(a.Size, b.Size))
	})
	m := s.importer()
	keys := map[string]string{}
	saved := s.env.Now()
	for _, it := range items {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, s.memory.Save())
		}
		t := Taken{Item: it}
		t.Result, t.Err = m.Import(ctx, it.Conversation, s.settled(ctx, keys, it.Project))
		if ctx.Err() != nil {
			continue
		}
		if t.Err == nil {
			it.State = Stored
		}
		done(t)
		if s.env.Now().Sub(saved) > saveEvery {
			saved = s.env.Now()
			if err := s.memory.Save(); err != nil {
				return err
			}
		}
	}
	return errors.Join(ctx.Err(), s.memory.Save())
}

// settled gives a project a lasting key before it gets a store, and returns the key.
func (s *Survey) settled(ctx context.Context, keys map[string]string, p origin.Project) string {
	if key := keys[p.Key]; key != "" {
		return key
	}
	key := p.Key
	if p.Top != "" && !(project.Identity{Key: key}).Lasting() {
		if ident, err := project.Key(ctx, p.Top, s.env.Environ); err == nil {
			key = ident.Key
		}
	}
	keys[p.Key] = key
	return key
}

// ImportHere imports what is new of the project at dir, and returns of how many conversations there was something.
func ImportHere(ctx context.Context, env *cliui.Env, dir string) (n int, err error) {
	s, err := Look(ctx, env, dir, Options{}, func(string) {})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var failed error
	err = s.Import(ctx, s.WantedHere(), func(t Taken) {
		switch {
		case t.Err != nil:
			failed = t.Err
		case t.Added > 0:
			n++
		}
	})
	return n, errors.Join(err, failed)
}
