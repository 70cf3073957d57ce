package vault

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"entire/internal/config"
	"entire/internal/seal"
)

// keyDays is how long one data key is used.
const keyDays = 30

// keepDays is how long a data key stays in the clone in clear after another took its place: sessions
// that were open then are still read by hooks.
const keepDays = 30

// Wrapped returns the wrapped forms of a data key by their recipients' IDs, as the metadata branches
// have them; none if they do not have it.
type Wrapped func(ctx context.Context, id seal.KeyID) (map[string][]byte, error)

// failure is why a key was not opened. It is forgotten soon, for programs that stay open while keys are fetched.
type failure struct {
	err error
	at  time.Time
}

const failureStays = 5 * time.Second

// Vault seals and opens. It may be used by several goroutines.
type Vault struct {
	dir      string // <common>/entire/seal
	settings string // the folder whose settings apply
	wrapped  Wrapped

	// Now is the clock; nil means that keys do not grow old.
	Now func() time.Time

	mu         sync.Mutex
	state      *state // nil until it was read
	on         bool
	err        error // why nothing can be sealed
	recipients []seal.Recipient
	generation int
	nothing    bool // of the metadata stays readable
	keys       map[seal.KeyID]*seal.DataKey
	failed     map[seal.KeyID]failure
	ring       *Ring // nil: identities may not be used
}

// New returns the vault of the clone with git's common directory common, whose settings lie below
// settings. It reads nothing yet.
func New(common, settings string, wrapped Wrapped) *Vault {
	return &Vault{dir: filepath.Join(common, "entire", "seal"), settings: settings, wrapped: wrapped,
		keys: map[seal.KeyID]*seal.DataKey{}, failed: map[seal.KeyID]failure{}}
}

// UseSettings names another folder whose settings apply. Call it before anything else.
func (v *Vault) UseSettings(dir string) { v.settings = dir }

// UseIdentities lets the vault open data keys with the identities of a person. A hook does not call it.
func (v *Vault) UseIdentities(r *Ring) { v.ring = r }

// On reports whether the clone seals what it stores of conversations. With an error it does, and can
// store nothing.
func (v *Vault) On() (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	return v.on, v.err
}

// HidesMetadata reports whether the clone also seals what lists show of a checkpoint.
func (v *Vault) HidesMetadata() bool {
	if v == nil {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	return v.on && v.nothing
}

// Known reports whether the clone remembers that it sealed once.
func (v *Vault) Known() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	return v.state.Version != 0
}

// Refuse makes every Seal an error, where the clone seals.
func (v *Vault) Refuse(why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	if v.on {
		v.err = why
	}
}

// Recipients returns those to whom new data keys are wrapped.
func (v *Vault) Recipients() ([]seal.Recipient, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	return v.recipients, v.err
}

// Seal returns the sealed text if the clone seals, and the text itself otherwise. Equal texts of one
// stream, such as a session, give equal results while the data key stays.
func (v *Vault) Seal(stream string, text []byte) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	if !v.on && v.err == nil {
		return text, nil
	}
	k, err := v.current()
	if err != nil {
		return nil, fmt.Errorf("seal what is stored of session %s: %w", stream, err)
	}
	return k.Seal(stream, text)
}

// load reads once whether the clone seals, and to whom.
func (v *Vault) load() {
	if v.state != nil {
		return
	}
	v.state = &state{}
	said, err := config.ReadEncryption(v.settings)
	if err != nil {
		// Settings that cannot be read are no reason to store in clear what was sealed so far.
		v.on, v.err = true, err
		if !v.known() {
			v.on, v.err = false, notUnlessNamed(err)
		}
		return
	}
	known := v.known()
	switch {
	case said.Said:
		v.on, v.nothing = said.Enabled, said.Nothing
	case known:
		v.on, said.Recipients, said.Generation, v.nothing = v.state.On, v.state.Recipients, v.state.Generation, v.state.Nothing
	}
	v.generation = said.Generation
	if !v.on {
		return
	}
	for _, line := range said.Recipients {
		r, err := seal.ParseRecipient(line)
		if err != nil {
			v.err = err
			return
		}
		v.recipients = append(v.recipients, r)
	}
	if len(v.recipients) == 0 {
		v.err = errors.New("encryption is on, and the settings name no recipient")
	}
}

// notUnlessNamed returns an error of settings only if it is about encryption: other broken settings have
// never stopped a hook.
func notUnlessNamed(err error) error {
	var wrong config.WrongValue
	if errors.As(err, &wrong) {
		return err
	}
	return nil
}
