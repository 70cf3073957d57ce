package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire/internal/bounded"
	"entire/internal/git/object"
	"entire/internal/git/process"
	"entire/internal/git/store"
)

// ErrRejected is returned by Push, wrapped with git's reason, if the remote has commits
// that the sender does not have: fetch, merge, and push again.
var ErrRejected = errors.New("the remote has moved on")

// ErrNoRewrite is returned by PushOver, wrapped with git's reason, if the remote does not
// allow a branch to be replaced.
var ErrNoRewrite = errors.New("the remote does not let the branch be replaced")

// Network is how a Repo communicates with other repositories: only through its own
// methods. The context bounds every process, which is killed with all its descendants when
// the context is done. Network writes no FETCH_HEAD, tags, or configuration, and no ref
// except the given ones.
//
// Unless Ask is set, nothing can ask a question: git's own prompts, askpass programs and
// ssh's are turned off, and there is no terminal that a program could open.
type Network struct {
	Person
	repo *Repo
	ssh  *string // the ssh command that never asks; nil until it is needed
}

// A Person is who waits at the terminal while git reaches another repository. With the zero Person nobody does.
type Person struct {
	// Ask lets git and ssh ask the person at the terminal, Stdin.
	Ask   bool
	Stdin io.Reader

	// Progress receives git's progress messages; nil for none.
	Progress io.Writer
}

// Network returns a Network for the Repo. It connects to nothing yet.
func (r *Repo) Network() *Network { return &Network{repo: r} }

// networkGrace is the time that a command has to clean up after its context is done.
const networkGrace = 300 * time.Millisecond

// quietConfig limits a push or fetch to what was requested.
var quietConfig = []string{
	"-c", "fetch.writeCommitGraph=false", "-c", "push.followTags=false", "-c", "push.gpgSign=false",
	"-c", "push.pushOption=", "-c", "submodule.recurse=false", "-c", "credential.interactive=false",
}

// Tip returns the object that a ref names at url; ok is false if there is no such ref.
func (n *Network) Tip(ctx context.Context, url, ref string) (oid object.OID, ok bool, err error) {
	out, err := n.run(ctx, url, "ls-remote", "--quiet", "--refs", "--", url, ref)
	if err != nil {
		return object.OID{}, false, err
	}
	for _, line := range strings.Split(string(out), "\n") {
		hex, name, found := strings.Cut(line, "\t")
		if !found || name != ref {
			continue
		}
		oid, err := object.ParseOID(hex)
		return oid, err == nil, err
	}
	return object.OID{}, false, nil
}

// Fetch fetches the object that ref names at url, with all that it needs, and sets the
// local ref into to it, whatever it named before.
func (n *Network) Fetch(ctx context.Context, url, ref, into string) error {
	if err := errors.Join(store.ValidRef(ref), store.ValidRef(into)); err != nil {
		return err
	}
	args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
	_, err := n.run(ctx, url, append(n.shown(args), "--", url, "+"+ref+":"+into)...)
	return err
}

// Push sets ref at url to the commit if that is a descendant of what the ref names there;
// otherwise it returns [ErrRejected]. The repository's pre-push hook does not run.
func (n *Network) Push(ctx context.Context, url string, commit object.OID, ref string) error {
	return n.push(ctx, url, commit, ref, object.OID{})
}

// PushOver is Push without the requirement of a descendant: ref must name over at url, and
// the commit replaces it. If ref names something else, the error is [ErrRejected]; if the
// remote never allows this, [ErrNoRewrite].
func (n *Network) PushOver(ctx context.Context, url string, commit object.OID, ref string, over object.OID) error {
	return n.push(ctx, url, commit, ref, over)
}

func (n *Network) push(ctx context.Context, url string, commit object.OID, ref string, over object.OID) error {
	if err := store.ValidRef(ref); err != nil {
		return err
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	if !over.IsZero() {
		args = append(args, "--force-with-lease="+ref+":"+over.String())
	}
	out, err := n.run(ctx, url, append(n.shown(args), "--", url, commit.String()+":"+ref)...)
	var exit *store.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if reason, refused := refusedRefs(out)[ref]; refused {
		return refusal(reason, !over.IsZero())
	}
	if text := strings.TrimSpace(string(out)); text != "" {
		return fmt.Errorf("%w: %s", err, object.Clip(text))
	}
	return err
}

// refusedRefs returns why refs did not move, from the output of `git push --porcelain`.
func refusedRefs(out []byte) map[string]string {
	why := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 && f[0] == "!" {
			_, ref, _ := strings.Cut(f[1], ":")
			why[ref] = f[2]
		}
	}
	return why
}

// refusal returns the error for a ref that did not move. rewrites is set if it was to be replaced.
func refusal(reason string, rewrites bool) error {
	switch {
	case rewrites && refusesRewrite(reason):
		return fmt.Errorf("%s: %w", reason, ErrNoRewrite)
	case isBehind(reason):
		return fmt.Errorf("%s: %w", reason, ErrRejected)
	}
	return errors.New("git push: " + reason)
}

// isBehind reports whether a rejection can be resolved by merging.
func isBehind(reason string) bool {
	for _, r := range []string{"non-fast-forward", "fetch first", "stale info", "failed to update ref", "cannot lock ref", "incorrect old value",
		"reference already exists", "reference does not exist"} { // what git 2.55 says of a ref that it cannot lock, or that moved
		if strings.Contains(reason, r) {
			return true
		}
	}
	return false
}

// refusesRewrite reports whether the remote itself forbids a branch to go back, or to move
// at all.
func refusesRewrite(reason string) bool {
	if !strings.Contains(reason, "[remote rejected]") {
		return false
	}
	return strings.Contains(reason, "non-fast-forward") || strings.Contains(reason, "protected") || strings.Contains(reason, "hook declined")
}

func (n *Network) shown(args []string) []string {
	if n.Progress == nil {
		return append(args, "--quiet")
	}
	return append(args, "--progress")
}

// run runs one command that communicates with url. Git has resolved the URL already, so no
// insteadOf applies again. Its errors hold no credentials.
func (n *Network) run(ctx context.Context, url string, args ...string) ([]byte, error) {
	if strings.HasPrefix(url, "-") || url == "" {
		return nil, fmt.Errorf("%q is not a URL", object.Clip(url))
	}
	env, err := n.env(ctx, url)
	if err != nil {
		return nil, err
	}
	c := store.Command{Dir: n.repo.Dir(), Env: env, Flags: slices.Concat(quietConfig, store.DurableConfig)}
	cmd := c.Cmd(ctx, args...)
	cmd.WaitDelay = networkGrace
	if n.Ask {
		cmd.Stdin = n.Stdin
	} else {
		cmd.SysProcAttr = bounded.OwnSession()
		cmd.Cancel = func() error { return bounded.EndGroup(cmd.Process) }
	}
	stdout, stderr, err := bounded.Capture(cmd, networkGrace, n.Progress)
	if !n.Ask && cmd.Process != nil && ctx.Err() != nil {
		bounded.KillGroup(cmd.Process)
	}
	if err == nil {
		return stdout, nil
	}
	plain := n.repo.PlainURL(url)
	for i, arg := range args {
		if arg == url {
			args[i] = plain
		}
	}
	return stdout, store.WrapExit(ctx, err, args, withoutCredentials(strings.ReplaceAll(string(stderr), url, plain)))
}

// offline are the variables that forbid the network in every other command.
var offline = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// silent are the variables that turn off every question of git or ssh.
var silent = []string{"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never"}

// online returns the environment of commands that may use the network.
func (r *Repo) online() []string {
	return slices.DeleteFunc(slices.Clone(r.Env), func(kv string) bool { return slices.Contains(offline, kv) })
}

func (n *Network) env(ctx context.Context, url string) ([]string, error) {
	env := process.WithConfig(n.repo.online(), map[string]string{
		"url." + url + ".insteadOf":     url,
		"url." + url + ".pushInsteadOf": url,
	})
	if n.Ask {
		return append(env, "GIT_TERMINAL_PROMPT=1"), nil
	}
	if n.ssh == nil && mayUseSSH(url) {
		ssh, err := n.repo.batchSSH(ctx)
		if err != nil {
			return nil, err
		}
		n.ssh = &ssh
	}
	if n.ssh != nil && *n.ssh != "" {
		env = append(env, "GIT_SSH_COMMAND="+*n.ssh)
	}
	return append(env, silent...), nil
}

// mayUseSSH reports whether git may start ssh for a URL: for every form but those that are clearly another transport.
func mayUseSSH(url string) bool {
	for _, prefix := range []string{"/", "./", "../", "file://", "http://", "https://"} {
		if strings.HasPrefix(url, prefix) {
			return false
		}
	}
	return true
}

// List returns the refs at url below a prefix that ends with a slash.
func (n *Network) List(ctx context.Context, url, prefix string) ([]store.Ref, error) {
	out, err := n.run(ctx, url, "ls-remote", "--quiet", "--refs", "--", url, prefix+"*")
	if err != nil {
		return nil, err
	}
	var refs []store.Ref
	for line := range strings.Lines(string(out)) {
		hex, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		oid, err := object.ParseOID(hex)
		if err != nil || !strings.HasPrefix(name, prefix) {
			continue
		}
		refs = append(refs, store.Ref{Name: name, OID: oid})
	}
	return refs, nil
}

// Delete deletes ref at url if it names the commit there. was reports whether this call
// deleted it: if several delete it at once, was is true for one, and the others find it
// gone, which is no error.
func (n *Network) Delete(ctx context.Context, url string, commit object.OID, ref string) (was bool, err error) {
	if err := store.ValidRef(ref); err != nil {
		return false, err
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed", "--quiet",
		"--force-with-lease=" + ref + ":" + commit.String(), "--", url, ":" + ref}
	out, err := n.run(ctx, url, args...)
	if err == nil {
		return true, nil
	}
	refused := strings.HasPrefix(string(out), "!") || strings.Contains(string(out), "\n!")
	if !refused {
		return false, err // it is unknown whether the ref was deleted
	}
	if _, there, terr := n.Tip(ctx, url, ref); terr == nil && !there {
		return false, nil
	}
	return false, err
}
