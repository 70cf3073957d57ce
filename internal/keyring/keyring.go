// Package keyring keeps passphrases in the keyring of the operating system: the secret service of a Linux desktop
// over D-Bus, the keychain of macOS, the credential manager of Windows.
//
// It connects to nothing before it is asked, and starts no bus of its own. It guarantees that a call ends, also where
// the keyring asks its owner in a window and nobody answers.
package keyring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	lib "github.com/zalando/go-keyring"
)

// ErrNone is returned for an account that the keyring does not have.
var ErrNone = errors.New("the keyring does not have it")

// ErrUnavailable is returned, wrapped, where no keyring can be used.
var ErrUnavailable = errors.New("no keyring of the system can be used here")

// patience is how long a keyring may take: its owner may have to unlock it in a window.
const patience = 20 * time.Second

// Keyring is the part of the keyring that belongs to one service.
type Keyring struct {
	service string
	env     func(string) (string, bool)
}

// New returns the keyring's part of a service. env looks variables up.
func New(service string, env func(string) (string, bool)) *Keyring { return &Keyring{service, env} }

// Get returns what an account has; ErrNone or ErrUnavailable otherwise.
func (k *Keyring) Get(ctx context.Context, account string) (secret string, err error) {
	err = k.within(ctx, func() (err error) {
		secret, err = lib.Get(k.service, account)
		return err
	})
	return secret, err
}

// Set stores a secret under an account.
func (k *Keyring) Set(ctx context.Context, account, secret string) error {
	return k.within(ctx, func() error { return lib.Set(k.service, account, secret) })
}

// Clear removes all accounts of the service.
func (k *Keyring) Clear(ctx context.Context) error {
	err := k.within(ctx, func() error { return lib.DeleteAll(k.service) })
	if errors.Is(err, ErrNone) {
		return nil
	}
	return err
}

// within runs a call, and gives up when it takes too long: the call then ends by itself, or with the process.
func (k *Keyring) within(ctx context.Context, do func() error) error {
	if why := k.missing(); why != "" {
		return fmt.Errorf("%w: %s", ErrUnavailable, why)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		switch {
		case errors.Is(err, lib.ErrNotFound):
			return ErrNone
		case err != nil:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: it does not answer", ErrUnavailable)
	}
}

// missing says what a system without a keyring lacks. Asking D-Bus where there is none would start one.
func (k *Keyring) missing() string {
	switch runtime.GOOS {
	case "darwin", "windows":
		return ""
	}
	if address, _ := k.env("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return ""
	}
	if dir, _ := k.env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if fi, err := os.Lstat(filepath.Join(dir, "bus")); err == nil && fi.Mode()&os.ModeSocket != 0 {
			return ""
		}
	}
	return "there is no D-Bus session"
}
