package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

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

	all  []seal.Identity
	bad  []error
	read bool
}

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
func (r *Ring) open(id seal.KeyID, forms map[string][]byte) (*seal.DataKey, error) {
	r.load()
	for _, i := range r.all {
		form := forms[i.RecipientID()]
		if form == nil {
			continue
		}
		k, err := seal.Unwrap(id, form, i)
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
func (r *Ring) load() {
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
			ids, err = seal.ParseIdentities(data, r.asking(file))
		}
		if err != nil {
			r.bad = append(r.bad, fmt.Errorf("read identity %s: %w", file, err))
		}
		r.all = append(r.all, ids...)
	}
}

// asking returns a question for the passphrase of a file that is asked at most once.
func (r *Ring) asking(file string) func() (string, error) {
	if r.Ask == nil {
		return nil
	}
	var answer string
	var err error
	asked := false
	return func() (string, error) {
		if !asked {
			answer, err = r.Ask(file)
			asked = true
		}
		return answer, err
	}
}
