package vault

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"entire/internal/durable"
	"entire/internal/seal"
)

// maxIdentity bounds an identity file.
const maxIdentity = 1 << 20

// Ring finds a person's identities.
type Ring struct {
	Files []string // in the order in which they are tried; those that are absent are skipped
	Named bool     // a person named the first file, so that it must be readable

	// Ask returns the passphrase of an identity file; nil if there is nobody to ask. Each file is asked
	// about once.
	Ask func(file string) (string, error)

	// Keep keeps passphrases that opened something for later commands; nil for none. Tell hears where a passphrase
	// is kept, or why not.
	Keep Keeper
	Tell func(file string, err error)

	all     []seal.Identity
	of      []string // the file of each of all
	bad     []error
	read    bool
	entered map[string]passphrase // by file: what a person has typed and is not kept yet
}

// A Keeper keeps passphrases outside of our files.
type Keeper interface {
	Get(ctx context.Context, account string) (string, error)
	Set(ctx context.Context, account, secret string) error
}

// passphrase is one with the name under which it is kept. The name has the content of the file, so that a passphrase of
// another key in its place is not tried.
type passphrase struct{ account, secret string }

// NewRing returns the ring of a person with the given home directory. named is the file that the settings
// or the environment name, "" for none.
func NewRing(home, config, named string, ask func(file string) (string, error)) *Ring {
	r := &Ring{Ask: ask}
	if named != "" {
		if rest, ok := strings.CutPrefix(named, "~/"); ok {
			named = filepath.Join(home, rest)
		}
		r.Files, r.Named = append(r.Files, named), true
	}
	if config != "" {
		r.Files = append(r.Files, filepath.Join(config, "entire", "identity"))
	}
	if home != "" {
		r.Files = append(r.Files, filepath.Join(home, ".ssh", "id_ed25519"), filepath.Join(home, ".ssh", "id_rsa"))
	}
	return r
}

// open returns the key that one of the identities unwraps.
func (r *Ring) open(ctx context.Context, id seal.KeyID, forms map[string][]byte) (*seal.DataKey, error) {
	r.load(ctx)
	for n, i := range r.all {
		form := forms[i.RecipientID()]
		if form == nil {
			continue
		}
		k, err := seal.Unwrap(id, form, i)
		if err == nil {
			r.keep(ctx, r.of[n])
		}
		if err == nil || !errors.Is(err, seal.ErrNoIdentity) {
			return k, err
		}
	}
	if len(r.bad) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrNoKey, errors.Join(r.bad...))
	}
	return nil, ErrNoKey
}

// load reads the identity files, once.
func (r *Ring) load(ctx context.Context) {
	if r.read {
		return
	}
	r.read = true
	for i, file := range r.Files {
		data, err := durable.Read(file, maxIdentity)
		if errors.Is(err, fs.ErrNotExist) && !(i == 0 && r.Named) {
			continue
		}
		var ids []seal.Identity
		if err == nil {
			ids, err = seal.ParseIdentities(data, r.asking(ctx, file, data))
		}
		if err == nil && !bytes.Contains(data, []byte("PRIVATE KEY-----")) {
			r.keep(ctx, file) // it was asked for to read the file; that of an SSH key is asked for when it is used
		}
		if err != nil {
			r.bad = append(r.bad, fmt.Errorf("read identity %s: %w", file, err))
		}
		for _, one := range ids {
			r.all, r.of = append(r.all, one), append(r.of, file)
		}
	}
}

// asking returns a question for the passphrase of a file that is asked at most once, and not if it is kept.
func (r *Ring) asking(ctx context.Context, file string, data []byte) func() (string, error) {
	if r.Ask == nil && r.Keep == nil {
		return nil
	}
	return sync.OnceValues(func() (string, error) {
		sum := sha256.Sum256(data)
		account := file + " " + hex.EncodeToString(sum[:8])
		if r.Keep != nil {
			if kept, err := r.Keep.Get(ctx, account); err == nil {
				return kept, nil
			}
		}
		if r.Ask == nil {
			return "", seal.ErrNeedsPassphrase
		}
		answer, err := r.Ask(file)
		if err == nil && r.Keep != nil {
			if r.entered == nil {
				r.entered = map[string]passphrase{}
			}
			r.entered[file] = passphrase{account, answer}
		}
		return answer, err
	})
}

// keep keeps the passphrase that was typed for a file, once it has opened something.
func (r *Ring) keep(ctx context.Context, file string) {
	p, typed := r.entered[file]
	if !typed {
		return
	}
	delete(r.entered, file)
	err := r.Keep.Set(ctx, p.account, p.secret)
	if r.Tell != nil {
		r.Tell(file, err)
	}
}
