package workplace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/internal/cli/beside"
	"entire/internal/cli/cliui"
	"entire/internal/config"
	"entire/internal/keyring"
	"entire/internal/project"
	"entire/internal/vault"
	"entire/session"
	"entire/strategy/condense"
)

// identityVar names the file with a person's private key.
const identityVar = "ENTIRE_IDENTITY"

// openVault lets the repository seal as the settings of the place say, and tells the settings.
func (wp *Workplace) openVault(ctx context.Context, env *cliui.Env) {
	wp.Repo.Vault.UseSettings(wp.Place.Settings)
	wp.Repo.Vault.Now = env.Now
	wp.openBodies(env)
	if wp.Settings.Strategy == condense.StrategyAuto {
		wp.Repo.Vault.Refuse(errors.New("the strategy auto-commit writes prompts into commit messages, which cannot be encrypted"))
	}
	on, err := wp.Repo.Vault.On()
	wp.Settings.Sealed = on || err != nil
	if !wp.Settings.Sealed && !wp.Repo.Vault.Known() {
		return
	}
	// The store and the index hold clear text: nothing is added, and the index is made in memory.
	base := session.BaseIn(project.InRepo(ctx, wp.Repo).Dir(DataDir(env)))
	if err := session.Sealed(base, wp.Settings.Sealed); err != nil {
		wp.Log.Warn("session store not marked", "err", err)
	}
}

// openBodies lets the repository find the program that reaches the bucket.
func (wp *Workplace) openBodies(env *cliui.Env) {
	b := wp.Repo.Bodies
	b.UseSettings(wp.Place.Settings)
	b.Now, b.Environ = env.Now, env.Environ
	b.Program = func() (string, error) {
		return beside.Program(env, "entire-bucket", "which reaches the project's bucket")
	}
}

// Seals reports whether what is stored of conversations at a place is encrypted.
func (p Place) Seals() bool {
	if p.Common() == "" { // outside git, where only the session store keeps conversations
		e, err := config.ReadEncryption(p.Settings)
		return p.Settings != "" && (err != nil || e.Said && e.Enabled)
	}
	on, err := vault.New(p.Common(), p.Settings, nil).On()
	return on || err != nil
}

// States returns the states of the repository with git's common directory common, to be read without opening it.
func States(common string) *session.StateStore {
	store := session.NewStateStore(common)
	store.Open = vault.New(common, "", nil).OpenLocal
	return store
}

// UseIdentities lets a command open what is sealed with the person's private keys, and get from a bucket what is not in
// this clone. Hooks do without.
func (wp *Workplace) UseIdentities(env *cliui.Env) {
	named := env.Getenv(identityVar)
	if named == "" {
		named = config.Identity(wp.Place.Settings)
	}
	dir := env.Getenv("XDG_CONFIG_HOME")
	if home := env.Home(); !filepath.IsAbs(dir) && home != "" {
		dir = filepath.Join(home, ".config")
	}
	var ask func(file string) (string, error)
	if t := env.Terminal(); t.Interactive {
		ask = func(file string) (string, error) { return t.Secret("Passphrase of " + cliui.ShownLine(file)) }
	}
	ring := vault.NewRing(env.Home(), dir, named, ask)
	if config.Keyring(wp.Place.Settings) {
		ring.Keep, ring.Tell = Passphrases(env), func(file string, err error) { tellKept(env, file, err) }
	}
	wp.Repo.Vault.UseIdentities(ring)
	wp.Repo.Bodies.Fetch = true
	wp.Repo.Bodies.Tell = func(n int) { fmt.Fprintf(env.Err, "Fetching %s from the bucket...\n", cliui.Count(n, "part")) }
}

// Passphrases returns the system's keyring with the passphrases of private keys.
func Passphrases(env *cliui.Env) *keyring.Keyring { return keyring.New("entire", env.LookupEnv) }

// tellKept says where a passphrase is kept, or why not.
func tellKept(env *cliui.Env, file string, err error) {
	if err != nil {
		fmt.Fprintf(env.Err, "The passphrase of %s is asked for again the next time: %s.\n", cliui.ShownName(file), cliui.ShownLine(err.Error()))
		return
	}
	fmt.Fprintf(env.Err, "The passphrase of %s is in the keyring of the system now; `entire recipients lock` removes it.\n", cliui.ShownName(file))
}
