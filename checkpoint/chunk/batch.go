package chunk

import (
	"fmt"

	"entire/internal/git"
)

// Batch is a set of requests for objects that are sent together, each with a function for the
// answer.
type Batch struct {
	specs    []string
	handlers []func(git.Object) error
}

// batchSize bounds how many objects one round trip holds in memory.
const batchSize = 2048

func (b *Batch) Add(spec string, then func(git.Object) error) {
	b.specs = append(b.specs, spec)
	b.handlers = append(b.handlers, then)
}

// Run sends all requests added so far and empties the batch.
func (b *Batch) Run(rd *git.Reader) error {
	for from := 0; from < len(b.specs); from += batchSize {
		to := min(from+batchSize, len(b.specs))
		objects, err := rd.Objects(b.specs[from:to]...)
		if err != nil {
			return err
		}
		for i, o := range objects {
			if err := b.handlers[from+i](o); err != nil {
				return fmt.Errorf("read %s: %w", b.specs[from+i], err)
			}
		}
	}
	*b = Batch{}
	return nil
}
