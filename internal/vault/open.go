package vault

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"entire/internal/seal"
)

// SealedError says that sealed data could not be opened.
type SealedError struct {
	Key seal.KeyID // zero for damaged data
	Err error
}

func (e *SealedError) Error() string {
	if e.Damaged() {
		return e.Err.Error()
	}
	return fmt.Sprintf("it is encrypted, and %v", e.Err)
}

func (e *SealedError) Unwrap() error { return e.Err }

// Damaged reports whether the data is not what was sealed, whatever keys are here.
func (e *SealedError) Damaged() bool { return errors.Is(e.Err, seal.ErrTampered) }

// ErrNoKey is the cause of a SealedError where nothing here opens the data.
var ErrNoKey = errors.New("no private key here opens it (`entire recipients` lists whose do)")

// Open returns the text of sealed data, and other data as it is. Every error is a SealedError.
func (v *Vault) Open(ctx context.Context, data []byte) ([]byte, error) {
	return v.open(data, func(id seal.KeyID) (*seal.DataKey, error) { return v.key(ctx, id) })
}

// OpenLocal is Open with the data keys that the clone has in clear.
func (v *Vault) OpenLocal(data []byte) ([]byte, error) {
	return v.open(data, func(id seal.KeyID) (*seal.DataKey, error) {
		if k := v.secret(id); k != nil {
			return k, nil
		}
		return nil, ErrNoKey
	})
}

// open is Open with the data key that find returns.
func (v *Vault) open(data []byte, find func(seal.KeyID) (*seal.DataKey, error)) ([]byte, error) {
	if !seal.Is(data) {
		return data, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	id, err := seal.KeyOf(data)
	if err != nil {
		return nil, &SealedError{Err: err}
	}
	k, err := find(id)
	if err != nil {
		return nil, &SealedError{Key: id, Err: err}
	}
	text, err := k.Open(data)
	if err != nil {
		return nil, &SealedError{Key: id, Err: err}
	}
	return text, nil
}

// SealString is Seal for a field of a document or a message. sealed is false, and the string empty, where
// the clone does not seal.
func (v *Vault) SealString(stream string, text []byte) (s string, sealed bool, err error) {
	data, err := v.Seal(stream, text)
	if err != nil || !seal.Is(data) {
		return "", false, err
	}
	return base64.StdEncoding.EncodeToString(data), true, nil
}

// key returns a data key: one that the clone has in clear, or one that an identity opens.
func (v *Vault) key(ctx context.Context, id seal.KeyID) (*seal.DataKey, error) {
	if k := v.secret(id); k != nil {
		return k, nil
	}
	if f, known := v.failed[id]; known && v.time().Sub(f.at) < failureStays {
		return nil, f.err
	}
	k, err := v.unwrap(ctx, id)
	if err != nil {
		v.failed[id] = failure{err, v.time()}
		return nil, err
	}
	v.keys[id] = k
	return k, nil
}

func (v *Vault) unwrap(ctx context.Context, id seal.KeyID) (*seal.DataKey, error) {
	if v.ring == nil {
		return nil, ErrNoKey
	}
	forms, err := v.localWrapped(id)
	if err != nil {
		return nil, err
	}
	published, err := v.wrapped(ctx, id)
	if err != nil && len(forms) == 0 {
		return nil, err
	}
	for name, form := range published {
		if forms == nil {
			forms = map[string][]byte{}
		}
		forms[name] = form
	}
	if len(forms) == 0 {
		return nil, errors.New("its data key is on no metadata branch here; fetch the branch of who sealed it")
	}
	return v.ring.open(ctx, id, forms)
}

// Key returns a data key, as Open finds it.
func (v *Vault) Key(ctx context.Context, id seal.KeyID) (*seal.DataKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.key(ctx, id)
}
