package workplace

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// cloneName is the file with the name of this clone in statements, below git's common directory.
const cloneName = "entire/clone"

// stating returns how statements about checkpoints are made here; nil if the settings want none.
func (wp *Workplace) stating(now func() time.Time) *metadata.Stating {
	on, signed := wp.Settings.Audit()
	if !on || wp.Repo == nil {
		return nil
	}
	clone, err := cloneOf(wp.Repo)
	if err != nil {
		wp.Log.Error("no statement about checkpoints", "err", err)
		return nil
	}
	st := &metadata.Stating{Clone: clone, Now: now, Failed: func(err error) { wp.Log.Warn("checkpoint not signed", "err", err) }}
	if !signed {
		return st
	}
	var key *git.SigningKey
	st.Sign = func(ctx context.Context, namespace string, text []byte) (signature string, err error) {
		if key == nil {
			if key, err = wp.Repo.SigningKey(ctx); err != nil {
				return "", err
			}
		}
		return key.Sign(ctx, namespace, text)
	}
	return st
}

// cloneOf returns the name of this clone, and chooses one the first time.
func cloneOf(repo *git.Repo) (string, error) {
	file := filepath.Join(repo.CommonDir, filepath.FromSlash(cloneName))
	data, err := durable.Read(file, 64)
	if clone := strings.TrimSpace(string(data)); err == nil && statement.ValidClone(clone) {
		return clone, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fresh, err := id.Generate()
	if err != nil {
		return "", err
	}
	return fresh.String(), durable.WriteFile(file, []byte(fresh.String()+"\n"), 0o600)
}
