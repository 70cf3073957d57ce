package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// ErrRejected is returned by Push, wrapped with git's reason, when the remote
// has what the sender does not: fetch, merge, and push again.
var ErrRejected = errors.New("the remote has moved on")

// ErrNoRewrite is returned by PushOver, wrapped with git's reason, where the remote
// does not let a branch be replaced.
var ErrNoRewrite = errors.New("the remote does not let the branch be replaced")

// Network is how a Repo talks to other repositories: only through its own
// methods. What it starts is bounded by the context, and killed with everything
// it started when that is done. It never writes FETCH_HEAD, tags, configuration
// or any ref but those it is told to.
//
// Unless Ask is set nothing can be asked for: git's own prompts, askpass programs
// and ssh's are all turned off, and there is no terminal that a program could
// open.
type Network struct {
	repo *Repo

	// Ask lets git and ssh ask the person at the terminal, Stdin.
	Ask   bool
	Stdin io.Reader

	// Progress is where git shows its progress; nil for nowhere.
	Progress io.Writer
}

// Network returns the Repo's way out. Nothing is contacted yet.
func (r *Repo) Network() *Network { return &Network{repo: r} }

// networkGrace is what a command has to clean up in when its time is over.
const networkGrace = 300 * time.Millisecond

// quietConfig keeps a push or fetch to what was asked for.
var quietConfig = []string{
	"-c", "fetch.writeCommitGraph=false", "-c", "push.followTags=false", "-c", "push.gpgSign=false",
	"-c", "push.pushOption=", "-c", "submodule.recurse=false", "-c", "credential.interactive=false",
}

// Tip asks url for the object that a ref names there; ok is false when it has no
// such ref.
func (n *Network) Tip(ctx context.Context, url, ref string) (oid OID, ok bool, err error) {
	out, err := n.run(ctx, url, "ls-remote", "--quiet", "--refs", "--", url, ref)
	if err != nil {
		return OID{}, false, err
	}
	for _, line := range strings.Split(string(out), "\n") {
		hex, name, found := strings.Cut(line, "\t")
		if !found || name != ref {
			continue
		}
		oid, err := ParseOID(hex)
		return oid, err == nil, err
	}
	return OID{}, false, nil
}

// Fetch brings the object that ref names at url, and all it needs, and makes the
// local ref into name it, whatever it named before.
func (n *Network) Fetch(ctx context.Context, url, ref, into string) error {
	if err := errors.Join(validRef(ref), validRef(into)); err != nil {
		return err
	}
	args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
	_, err := n.run(ctx, url, append(n.shown(args), "--", url, "+"+ref+":"+into)...)
	return err
}

// Push makes ref at url name the commit, if that goes forward from what it names
// there; otherwise the error is [ErrRejected]. The repository's pre-push hook
// does not run.
func (n *Network) Push(ctx context.Context, url string, commit OID, ref string) error {
	return n.push(ctx, url, commit, ref, OID{})
}

// PushOver is Push where ref may go back: it must name over at url, which the
// commit takes the place of. If it names something else the error is
// [ErrRejected]; if the remote allows that to nobody, [ErrNoRewrite].
func (n *Network) PushOver(ctx context.Context, url string, commit OID, ref string, over OID) error {
	return n.push(ctx, url, commit, ref, over)
}

func (n *Network) push(ctx context.Context, url string, commit OID, ref string, over OID) error {
	if err := validRef(ref); err != nil {
		return err
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	if !over.IsZero() {
		args = append(args, "--force-with-lease="+ref+":"+over.String())
	}
	out, err := n.run(ctx, url, append(n.shown(args), "--", url, commit.String()+":"+ref)...)
	var exit *ExitError
	if !errors.As(err, &exit) {
		return err
	}
	for _, line := range strings.Split(string(out), "\n") {
		flag, reason, found := strings.Cut(line, "\t")
		if flag != "!" || !found {
			continue
		}
		if _, text, ok := strings.Cut(reason, "\t"); ok {
			reason = text
		}
		if !over.IsZero() && refusesRewrite(reason) {
			return fmt.Errorf("%s: %w", reason, ErrNoRewrite)
		}
		if isBehind(reason) {
			return fmt.Errorf("%s: %w", reason, ErrRejected)
		}
		return errors.New("git push: " + reason)
	}
	return err
}

// isBehind reports whether a refusal can be answered by merging.
func isBehind(reason string) bool {
	for _, r := range []string{"non-fast-forward", "fetch first", "stale info", "failed to update ref", "cannot lock ref", "incorrect old value"} {
		if strings.Contains(reason, r) {
			return true
		}
	}
	return false
}

// refusesRewrite reports whether the remote itself will not have a branch go back,
// or move at all.
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

// run is one command that talks to url. The URL is the one that git resolved
// already: no insteadOf applies to it again. Its errors hold no credentials.
func (n *Network) run(ctx context.Context, url string, args ...string) ([]byte, error) {
	if strings.HasPrefix(url, "-") || url == "" {
		return nil, fmt.Errorf("%q is not a URL", clip(url))
	}
	env, err := n.env(ctx, url)
	if err != nil {
		return nil, err
	}
	c := command{dir: n.repo.dir(), env: env, flags: slices.Concat(quietConfig, durableConfig)}
	cmd := c.cmd(ctx, args...)
	cmd.WaitDelay = networkGrace
	if n.Ask {
		cmd.Stdin = n.Stdin
	} else {
		cmd.SysProcAttr = ownSession()
		cmd.Cancel = func() error { return terminateGroup(cmd.Process) }
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if n.Progress != nil {
		cmd.Stderr = io.MultiWriter(&stderr, n.Progress)
	}
	err = cmd.Run()
	if !n.Ask && cmd.Process != nil && ctx.Err() != nil {
		killGroup(cmd.Process)
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		return stdout.Bytes(), nil
	}
	plain := n.repo.PlainURL(url)
	for i, arg := range args {
		if arg == url {
			args[i] = plain
		}
	}
	return stdout.Bytes(), wrapExit(ctx, err, args, withoutCredentials(strings.ReplaceAll(stderr.String(), url, plain)))
}

// offline are the variables of every other command that forbid the network.
var offline = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// silent turn every question off that git or ssh could ask.
var silent = []string{"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never"}

// online is the environment of commands that may use the network.
func (r *Repo) online() []string {
	return slices.DeleteFunc(slices.Clone(r.env), func(kv string) bool { return slices.Contains(offline, kv) })
}

func (n *Network) env(ctx context.Context, url string) ([]string, error) {
	env := withConfig(n.repo.online(), map[string]string{
		"url." + url + ".insteadOf":     url,
		"url." + url + ".pushInsteadOf": url,
	})
	if n.Ask {
		return append(env, "GIT_TERMINAL_PROMPT=1"), nil
	}
	ssh, err := n.repo.batchSSH(ctx)
	if err != nil {
		return nil, err
	}
	if ssh != "" {
		env = append(env, "GIT_SSH_COMMAND="+ssh)
	}
	return append(env, silent...), nil
}

// List asks url for the refs below a prefix that ends with a slash.
func (n *Network) List(ctx context.Context, url, prefix string) ([]Ref, error) {
	out, err := n.run(ctx, url, "ls-remote", "--quiet", "--refs", "--", url, prefix+"*")
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		hex, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		oid, err := ParseOID(hex)
		if err != nil || !strings.HasPrefix(name, prefix) {
			continue
		}
		refs = append(refs, Ref{Name: name, OID: oid})
	}
	return refs, nil
}

// Delete takes ref away at url if it names the commit there. Of several who do so at once
// it was there, as was says, for one; for the others it is gone, which is no error.
func (n *Network) Delete(ctx context.Context, url string, commit OID, ref string) (was bool, err error) {
	if err := validRef(ref); err != nil {
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
		return false, err // nobody knows whether it was done
	}
	if _, there, terr := n.Tip(ctx, url, ref); terr == nil && !there {
		return false, nil
	}
	return false, err
}
