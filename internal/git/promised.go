package git

import (
	"bytes"
	"context"
	"strings"

	"entire/internal/git/store"
)

// FetchPromised lets git fetch promised objects from now on, as each is needed. Nobody is asked for a password.
func (r *Repo) FetchPromised() {
	r.Env = append(r.online(), silent...)
	r.StopReader()
}

// Promised returns the promised objects that the trees of commits lack here, and the remote that promised them.
func (r *Repo) Promised(ctx context.Context, tips ...OID) (lack []string, remote string, err error) {
	args := []string{"rev-list", "--objects", "--no-walk", "--missing=print"}
	for _, tip := range tips {
		args = append(args, tip.String())
	}
	out, err := store.Command{Dir: r.Dir(), Env: append(r.Env[:len(r.Env):len(r.Env)], offline...)}.Output(ctx, append(args, "--")...)
	if err != nil {
		return nil, "", err
	}
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			lack = append(lack, name)
		}
	}
	if len(lack) == 0 {
		return nil, "", nil
	}
	out, err = r.Run(ctx, "config", "-z", "--get-regexp", `^remote\..*\.promisor$`)
	if err != nil {
		return nil, "", err
	}
	name, _, _ := bytes.Cut(out, []byte("\n"))
	return lack, strings.TrimSuffix(strings.TrimPrefix(string(name), "remote."), ".promisor"), nil
}

// FetchObjects fetches promised objects together.
func (r *Repo) FetchObjects(ctx context.Context, remote string, names []string) error {
	_, err := store.Command{Dir: r.Dir(), Env: append(r.online(), silent...), Stdin: strings.NewReader(strings.Join(names, "\n") + "\n"),
		Flags: []string{"-c", "fetch.negotiationAlgorithm=noop"}}.Output(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--recurse-submodules=no", "--filter=blob:none", "--stdin", "--", remote)
	return err
}
