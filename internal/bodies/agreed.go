package bodies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/durable"
)

// answers is the file with the buckets to which a person agreed. It belongs to the clone: a file that can be committed
// cannot cause anybody's conversations to be sent.
type answers struct {
	Version int      `json:"version"` // 1
	Agreed  []answer `json:"agreed"`
}

type answer struct {
	URL string    `json:"url"`
	At  time.Time `json:"agreed_at"`
}

const maxAnswers = 1 << 20

func (f *Folder) answersFile() string { return filepath.Join(f.dir, "agreed.json") }

func (f *Folder) answers() (a answers, err error) {
	data, err := durable.ReadPlain(f.answersFile(), maxAnswers)
	if errors.Is(err, fs.ErrNotExist) {
		return answers{Version: 1}, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		return answers{}, fmt.Errorf("read which buckets you agreed to: %w", err)
	}
	return a, nil
}

func (f *Folder) agreedTo(url string) (bool, error) {
	a, err := f.answers()
	return err == nil && slices.ContainsFunc(a.Agreed, func(one answer) bool { return one.URL == url }), err
}

// Agree notes that bodies may be sent to a bucket, or, with yes false, that they may not any more.
func (f *Folder) Agree(ctx context.Context, url string, yes bool, now time.Time) error {
	lock, err := durable.Acquire(ctx, f.answersFile()+".lock")
	if err != nil {
		return fmt.Errorf("lock which buckets you agreed to: %w", err)
	}
	defer lock.Release()
	a, err := f.answers()
	if err != nil {
		return err
	}
	a.Agreed = slices.DeleteFunc(a.Agreed, func(one answer) bool { return one.URL == url })
	if yes {
		a.Agreed = append(a.Agreed, answer{url, now.UTC()})
	}
	data, err := json.MarshalIndent(a, "", "  ")
	if err == nil {
		err = durable.WriteFile(f.answersFile(), append(data, '\n'), 0o600)
	}
	f.mu.Lock()
	f.rules = nil
	f.mu.Unlock()
	return err
}
