package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/seal"
)

// Files below the vault's folder. A key's own folder has its wrapped forms, <recipient ID>.age.
const (
	stateName  = "state.json"
	lockName   = "lock"
	secretName = "secret" // in the key's folder: the key in clear
	wrappedExt = ".age"
)

const maxState = 1 << 20

// maxSide bounds a session's state.
const maxSide = 256 << 20

// lockWait bounds how long a hook waits for another process that makes a data key.
const lockWait = 2 * time.Second

// state is the file that remembers how the clone seals.
type state struct {
	Version    int       `json:"version"`
	On         bool      `json:"on"`
	Recipients []string  `json:"recipients"` // as the settings named them last, with their holders' names
	Generation int       `json:"generation,omitempty"`
	Nothing    bool      `json:"nothing_readable,omitempty"`
	Key        string    `json:"key"` // the ID of the data key in use
	Since      time.Time `json:"since"`
}

// known reads the state, and reports whether there is one.
func (v *Vault) known() bool {
	data, err := durable.ReadPlain(filepath.Join(v.dir, stateName), maxState)
	return err == nil && json.Unmarshal(data, v.state) == nil && v.state.Version == 1
}

// current returns the data key in use, and makes one if there is none for the present recipients.
func (v *Vault) current() (*seal.DataKey, error) {
	if v.err != nil {
		return nil, v.err
	}
	if k := v.inUse(); k != nil && v.state.Nothing == v.nothing {
		return k, nil
	}
	lock, err := durable.AcquireWithin(filepath.Join(v.dir, lockName), lockWait)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	v.known() // another process may have made it meanwhile
	if k := v.inUse(); k != nil {
		v.state.Nothing = v.nothing
		return k, v.save(*v.state)
	}
	k, err := seal.NewDataKey()
	if err != nil {
		return nil, err
	}
	if err := v.store(k); err != nil {
		return nil, fmt.Errorf("store a new data key: %w", err)
	}
	v.keys[k.ID()] = k
	v.dropOld()
	return k, nil
}

// inUse returns the key that the state names, nil if it is too old, for others, or gone.
func (v *Vault) inUse() *seal.DataKey {
	id, ok := seal.ParseKeyID(v.state.Key)
	if !ok || !v.state.On || v.state.Generation != v.generation || !slices.Equal(v.state.Recipients, v.lines()) || v.Now != nil && v.Now().Sub(v.state.Since) > keyDays*24*time.Hour {
		return nil
	}
	return v.secret(id)
}

// lines returns the recipients as the state keeps them.
func (v *Vault) lines() []string {
	lines := make([]string, len(v.recipients))
	for i, r := range v.recipients {
		lines[i] = strings.TrimSpace(r.String() + " " + r.Name())
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// store writes a new key: first its wrapped forms, so that no crash leaves data that only the clear form
// opens, then the clear form, then the state.
func (v *Vault) store(k *seal.DataKey) error {
	if err := v.wrap(k); err != nil {
		return err
	}
	if err := durable.WriteFile(v.secretPath(k.ID()), []byte(k.Secret()), 0o600); err != nil {
		return err
	}
	next := state{Version: 1, On: true, Recipients: v.lines(), Generation: v.generation, Nothing: v.nothing, Key: k.ID().String(), Since: v.time()}
	if err := v.save(next); err != nil {
		return err
	}
	*v.state = next
	return nil
}

func (v *Vault) save(s state) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(v.dir, stateName), append(data, '\n'), 0o600)
}

// wrap writes the key's wrapped forms for the present recipients that have none yet.
func (v *Vault) wrap(k *seal.DataKey) error {
	for _, r := range v.recipients {
		path := filepath.Join(v.dir, k.ID().String(), r.ID()+wrappedExt)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		data, err := k.Wrap(r)
		if err != nil {
			return err
		}
		if err := durable.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (v *Vault) secretPath(id seal.KeyID) string {
	return filepath.Join(v.dir, id.String(), secretName)
}

// secret returns a key that the clone has in clear, nil if it has not.
func (v *Vault) secret(id seal.KeyID) *seal.DataKey {
	if k := v.keys[id]; k != nil {
		return k
	}
	text, err := durable.ReadPlain(v.secretPath(id), 1024)
	if err != nil {
		return nil
	}
	k, err := seal.ParseSecret(string(text))
	if err != nil || k.ID() != id {
		return nil
	}
	v.keys[id] = k
	return k
}

// localIDs returns the data keys of the clone.
func (v *Vault) localIDs() []seal.KeyID {
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return nil
	}
	var ids []seal.KeyID
	for _, e := range entries {
		if id, ok := seal.ParseKeyID(e.Name()); ok && e.IsDir() {
			ids = append(ids, id)
		}
	}
	return ids
}

// time returns the present time, zero where nobody told the clock.
func (v *Vault) time() time.Time {
	if v.Now == nil {
		return time.Time{}
	}
	return v.Now().UTC()
}

// dropOld removes the clear form of keys that others took the place of long ago, and that no session's state
// needs. The wrapped forms stay.
func (v *Vault) dropOld() {
	if v.Now == nil {
		return
	}
	needed := v.sessionsKeys()
	for _, id := range v.localIDs() {
		fi, err := os.Lstat(v.secretPath(id))
		if err == nil && id.String() != v.state.Key && !needed[id] && v.Now().Sub(fi.ModTime()) > (keyDays+keepDays)*24*time.Hour {
			_ = os.Remove(v.secretPath(id))
		}
	}
}

// sessionsKeys returns the keys that seal the sessions' states, which hooks read.
func (v *Vault) sessionsKeys() map[seal.KeyID]bool {
	keys := map[seal.KeyID]bool{}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(v.dir), "sessions", "*", "*.json"))
	for _, file := range files {
		data, err := durable.ReadPlain(file, maxSide)
		if id, kerr := seal.KeyOf(data); err == nil && kerr == nil {
			keys[id] = true
		}
	}
	return keys
}

// localWrapped returns the wrapped forms of a key that the clone has.
func (v *Vault) localWrapped(id seal.KeyID) (map[string][]byte, error) {
	dir := filepath.Join(v.dir, id.String())
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	forms := map[string][]byte{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), wrappedExt)
		if !ok {
			continue
		}
		if forms[name], err = durable.ReadPlain(filepath.Join(dir, e.Name()), maxState); err != nil {
			return nil, err
		}
	}
	return forms, nil
}

// Publish returns the wrapped forms, for the present recipients, of the clone's keys that the metadata branch
// does not have yet: has reports whether it has a key. A form's path begins below the key's folder there.
func (v *Vault) Publish(has func(seal.KeyID) bool) (map[string][]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.load()
	if !v.on || v.err != nil {
		return nil, v.err
	}
	files := map[string][]byte{}
	for _, id := range v.localIDs() {
		if has(id) {
			continue
		}
		if k := v.secret(id); k != nil {
			if err := v.wrap(k); err != nil {
				return nil, err
			}
		}
		forms, err := v.localWrapped(id)
		if err != nil {
			return nil, err
		}
		for _, r := range v.recipients {
			if form := forms[r.ID()]; form != nil {
				files[id.String()+"/"+r.ID()+wrappedExt] = form
			}
		}
	}
	return files, nil
}

// Switch remembers that the clone seals no more, or that it shall.
func (v *Vault) Switch(ctx context.Context, on bool) error {
	lock, err := durable.Acquire(ctx, filepath.Join(v.dir, lockName))
	if err != nil {
		return err
	}
	defer lock.Release()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known()
	v.state.Version, v.state.On = 1, on
	return v.save(*v.state)
}
