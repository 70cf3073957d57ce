package recipientscmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/seal"
	"entire/strategy/condense"
)

// maxFile bounds a file of public keys.
const maxFile = 1 << 20

func runAdd(ctx context.Context, env *cliui.Env, args []string) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	if err := possible(wp); err != nil {
		return err
	}
	have, err := parsedRecipients(wp)
	if err != nil {
		return err
	}
	was := wp.Settings.Sealed
	var added []seal.Recipient
	for _, arg := range args {
		more, err := recipientsIn(env, arg)
		if err != nil {
			return err
		}
		for _, r := range more {
			if find(have, r.ID()) < 0 {
				have, added = append(have, r), append(added, r)
			}
		}
	}
	if err := save(ctx, wp, true, false, have); err != nil {
		return err
	}
	for _, r := range added {
		fmt.Fprintf(env.Out, "Added %s.\n", cliui.ShownLine(r.Short()))
	}
	if !was {
		if err := tellEnabled(ctx, env, wp); err != nil {
			return err
		}
	}
	if len(have) == 1 {
		fmt.Fprintln(env.Err, "warning: there is one recipient. Whoever loses its private key loses everything that is encrypted to it: no other copy opens it. Add a second one, such as a key that is kept offline.")
	}
	left, err := rewrap(ctx, wp, have)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(env.Err, "warning: %s not opened with a private key here, so a new recipient cannot read what %s\n", cliui.Count(left, "data key")+cliui.Plural(left, " was", " were"), cliui.Plural(left, "it seals.", "they seal.")+" Somebody who can runs `entire recipients add` with the same key again.")
	}
	fmt.Fprintf(env.Out, "Commit %s, so that other clones encrypt to the same recipients.\n", cliui.ShownLine(shownPath(wp)))
	return nil
}

// possible returns why the project cannot encrypt.
func possible(wp *workplace.Workplace) error {
	switch {
	case wp.Settings.Strategy == condense.StrategyAuto:
		return cliui.Failf("`entire enable --strategy manual-commit` first", "the strategy auto-commit writes prompts into your commits' messages, which cannot be encrypted")
	case !wp.Place.SetUp:
		return cliui.Failf("run `entire enable` first", "Entire is not set up here")
	}
	return nil
}

// recipientsIn returns the public keys that an argument names: itself, or those in a file.
func recipientsIn(env *cliui.Env, arg string) ([]seal.Recipient, error) {
	r, err := seal.ParseRecipient(arg)
	if err == nil {
		return []seal.Recipient{r}, nil
	}
	if strings.HasPrefix(arg, "age1") || strings.HasPrefix(arg, "ssh-") || strings.HasPrefix(arg, "AGE-SECRET-KEY-") {
		return nil, cliui.Failf("`entire recipients add --help` shows what it takes", "%w", err)
	}
	path := arg
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(env.Home(), rest)
	}
	if path, err = env.Abs(path); err != nil {
		return nil, err
	}
	text, err := durable.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cliui.Failf("name a public key (age1…, ssh-ed25519 …) or a file of public keys", "not a public key, and no such file: %s", cliui.ShownName(arg))
	}
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(text), "PRIVATE KEY-----") || strings.Contains(string(text), "AGE-SECRET-KEY-") {
		return nil, cliui.Failf("name the file with the public key, as in "+cliui.ShownName(arg)+".pub", "%s has a private key, which stays with its holder", cliui.ShownName(arg))
	}
	var all []seal.Recipient
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := seal.ParseRecipient(line)
		if err != nil {
			return nil, cliui.Failf("a file has one public key on each line", "%s: %w", cliui.ShownName(arg), err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, cliui.Failf("a file has one public key on each line", "%s has no public key", cliui.ShownName(arg))
	}
	return all, nil
}

func find(all []seal.Recipient, name string) int {
	for i, r := range all {
		if r.ID() == name || r.String() == name || r.Name() != "" && r.Name() == name {
			return i
		}
	}
	return -1
}

// save writes the project's settings, and remembers them in the clone.
func save(ctx context.Context, wp *workplace.Workplace, on, removed bool, all []seal.Recipient) error {
	e, err := config.ReadEncryption(wp.Place.Settings)
	if err != nil {
		return err
	}
	e.Enabled, e.Recipients = on, nil
	for _, r := range all {
		e.Recipients = append(e.Recipients, strings.TrimSpace(r.String()+" "+r.Name()))
	}
	if removed {
		e.Generation++
	}
	err = config.Update(wp.Place.Settings, config.Project, func(f *config.File) error { return config.SetEncryption(f, e) })
	if err != nil {
		return err
	}
	return wp.Repo.Vault.Switch(ctx, on)
}

func shownPath(wp *workplace.Workplace) string {
	path := config.Path(wp.Place.Settings, config.Project)
	if rel, err := filepath.Rel(wp.Place.Top, path); err == nil {
		return rel
	}
	return path
}

// tellEnabled says what encryption does not reach, and removes the index of the search, which is in clear.
func tellEnabled(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	fmt.Fprintln(env.Out, "What is stored of conversations is encrypted from now on.")
	clear, err := clearCheckpoints(ctx, wp.Repo)
	if err != nil {
		return err
	}
	if clear > 0 {
		fmt.Fprintf(env.Out, "%s stored before, in clear, and stay%s so, here and where they were pushed to. `entire share forget CHECKPOINT` removes one from the history.\n",
			cliui.Count(clear, "checkpoint")+cliui.Plural(clear, " was", " were"), cliui.Plural(clear, "s", ""))
	}
	fmt.Fprintln(env.Out, "Steps that are not committed yet, and what `entire sessions` keeps on this machine, stay as they are; `entire sessions clean` removes the latter.")
	_, err = workplace.DropSearchIndexes(ctx, env, wp.Repo.Top)
	return err
}

// clearCheckpoints counts the checkpoints on the metadata branch. All of them are in clear before
// encryption is first switched on.
func clearCheckpoints(ctx context.Context, repo *git.Repo) (n int, err error) {
	rd := repo.Reader(ctx)
	c, found, err := rd.CommitOf(shadow.MetadataRef)
	if err != nil || !found {
		return 0, err
	}
	keys, err := metadata.ReadKeys(rd, c.Tree)
	if err != nil || len(keys) > 0 {
		return 0, err
	}
	shards, err := rd.Tree(c.Tree)
	if err != nil {
		return 0, err
	}
	var trees []git.OID
	for _, e := range shards {
		if len(e.Name) == 2 && e.Mode == git.ModeTree {
			trees = append(trees, e.OID)
		}
	}
	all, err := rd.Trees(trees...)
	for _, entries := range all {
		n += len(entries)
	}
	return n, err
}

// rewrap wraps the data keys on the metadata branch to recipients that they are not wrapped to yet. left is
// the number of data keys that nobody here opens.
func rewrap(ctx context.Context, wp *workplace.Workplace, all []seal.Recipient) (left int, err error) {
	err = metadata.ChangeKeys(ctx, wp.Repo, wp.Repo.Identity(ctx), "Add recipients", func(have metadata.Keys) (out []metadata.Rewrapped, err error) {
		left = 0
		for id, forms := range have {
			var missing []seal.Recipient
			for _, r := range all {
				if !forms[r.ID()] {
					missing = append(missing, r)
				}
			}
			if len(missing) == 0 {
				continue
			}
			key, err := wp.Repo.Vault.Key(ctx, id)
			if err != nil {
				wp.Log.Warn("data key not opened", "key", id.String(), "err", err)
				left++
				continue
			}
			for _, r := range missing {
				form, err := key.Wrap(r)
				if err != nil {
					return nil, err
				}
				out = append(out, metadata.Rewrapped{Key: id, Recipient: r.ID(), Form: form})
			}
		}
		return out, nil
	})
	return left, err
}

func runRemove(ctx context.Context, env *cliui.Env, args []string) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	all, err := parsedRecipients(wp)
	if err != nil {
		return err
	}
	var gone []seal.Recipient
	for _, arg := range args {
		name := arg
		if r, err := seal.ParseRecipient(arg); err == nil {
			name = r.ID()
		}
		i := find(all, name)
		if i < 0 {
			return cliui.Failf("`entire recipients` lists them", "no such recipient: %s", cliui.ShownName(arg))
		}
		gone = append(gone, all[i])
		all = append(all[:i:i], all[i+1:]...)
	}
	if len(all) == 0 {
		return cliui.Failf("add another first, or `entire recipients off` to store in clear", "nobody could read what is stored: this is the last recipient")
	}
	on := wp.Settings.Sealed
	if err := save(ctx, wp, on, true, all); err != nil {
		return err
	}
	err = metadata.ChangeKeys(ctx, wp.Repo, wp.Repo.Identity(ctx), "Remove recipients", func(have metadata.Keys) (out []metadata.Rewrapped, err error) {
		for id, forms := range have {
			for _, r := range gone {
				if forms[r.ID()] {
					out = append(out, metadata.Rewrapped{Key: id, Recipient: r.ID()})
				}
			}
		}
		return out, nil
	})
	if err != nil {
		return err
	}
	for _, r := range gone {
		fmt.Fprintf(env.Out, "Removed %s. What was encrypted before stays readable for its holder; what is stored from now on is not.\n", cliui.ShownLine(r.Short()))
	}
	if len(all) == 1 {
		fmt.Fprintln(env.Err, "warning: one recipient is left. Whoever loses its private key loses everything that is encrypted.")
	}
	fmt.Fprintf(env.Out, "Commit %s, so that other clones encrypt to the same recipients.\n", cliui.ShownLine(shownPath(wp)))
	return nil
}

func runOff(ctx context.Context, env *cliui.Env) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	e, err := config.ReadEncryption(wp.Place.Settings)
	if err != nil && !errors.As(err, new(config.WrongValue)) {
		return err
	}
	if !e.Said && !wp.Settings.Sealed {
		_, err := fmt.Fprintln(env.Out, "Conversations are stored in clear already.")
		return err
	}
	e.Enabled = false
	err = config.Update(wp.Place.Settings, config.Project, func(f *config.File) error { return config.SetEncryption(f, e) })
	if err == nil {
		err = wp.Repo.Vault.Switch(ctx, false)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "Conversations are stored in clear from now on. What is encrypted stays so.\nCommit %s, so that other clones do the same.\n", cliui.ShownLine(shownPath(wp)))
	return nil
}
