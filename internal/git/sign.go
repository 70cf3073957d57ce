package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/bounded"
)

// errNoSigningKey is returned by SigningKey if git is not configured to sign.
var errNoSigningKey = errors.New("git has no key to sign with")

// signingTime bounds one signature. A program that waits for a passphrase is ended after it.
const signingTime = 10 * time.Second

// SigningKey is the key with which git signs in this repository.
type SigningKey struct {
	repo    *Repo
	format  string // openpgp, x509 or ssh
	key     string // as user.signingkey has it
	program string
	person  string // the committer, for gpg without a key
}

// SigningKey returns the key that git's configuration names: user.signingkey and gpg.format, and for SSH
// gpg.ssh.defaultKeyCommand. It returns errNoSigningKey if there is none.
func (r *Repo) SigningKey(ctx context.Context) (*SigningKey, error) {
	values, err := r.ConfigMatching(ctx, `^(user\.(signingkey|name|email)|gpg\..*)$`)
	if err != nil {
		return nil, err
	}
	k := &SigningKey{repo: r, format: cmp.Or(values["gpg.format"], "openpgp"), key: values["user.signingkey"]}
	switch k.format {
	case "openpgp":
		k.program = cmp.Or(values["gpg.openpgp.program"], values["gpg.program"], "gpg")
		k.person = fmt.Sprintf("%s <%s>", values["user.name"], values["user.email"])
	case "x509":
		k.program = cmp.Or(values["gpg.x509.program"], "gpgsm")
	case "ssh":
		k.program = cmp.Or(values["gpg.ssh.program"], "ssh-keygen")
		if k.key == "" {
			k.key = k.firstKey(ctx, values["gpg.ssh.defaultkeycommand"])
		}
	default:
		return nil, fmt.Errorf("git signs in the format %q (gpg.format), which is unknown here", k.format)
	}
	if k.key == "" && k.format != "openpgp" {
		return nil, errNoSigningKey
	}
	return k, nil
}

// firstKey returns the first key that the user's command prints, as git does.
func (k *SigningKey) firstKey(ctx context.Context, command string) string {
	if command == "" {
		return ""
	}
	out, _, err := k.start("sh", nil, "-c", command).Run(ctx)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

func (k *SigningKey) start(path string, in []byte, args ...string) bounded.Program {
	return bounded.Program{Path: path, Args: args, Dir: k.repo.Dir(), Environ: k.repo.Env, In: bytes.NewReader(in),
		Timeout: signingTime, Grace: time.Second / 4, Out: 64 << 10, Err: 4 << 10}
}

// Sign returns the armoured, detached signature of a text. The namespace says what the text is; only SSH signatures
// have one, and git's own is "git".
func (k *SigningKey) Sign(ctx context.Context, namespace string, text []byte) (string, error) {
	if k.format != "ssh" {
		key := cmp.Or(k.key, k.person)
		return k.run(ctx, text, "--status-fd=2", "-bsau", key)
	}
	file, remove, err := k.keyFile()
	if err != nil {
		return "", err
	}
	defer remove()
	args := []string{"-Y", "sign", "-n", namespace, "-f", file}
	if k.literal() != "" {
		args = append(args, "-U") // the key itself is with the agent
	}
	return k.run(ctx, text, args...)
}

func (k *SigningKey) run(ctx context.Context, text []byte, args ...string) (string, error) {
	out, told, err := k.start(k.program, text, args...).Run(ctx)
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(told)), "\n")
		return "", fmt.Errorf("sign with %s: %w (%s)", k.program, err, line)
	}
	if !bytes.Contains(out, []byte("-----BEGIN ")) {
		return "", fmt.Errorf("sign with %s: it printed no signature", k.program)
	}
	return string(out), nil
}

// literal returns the key if the configuration has a public key in the place of a file.
func (k *SigningKey) literal() string {
	if key, ok := strings.CutPrefix(k.key, "key::"); ok {
		return key
	}
	if strings.HasPrefix(k.key, "ssh-") {
		return k.key
	}
	return ""
}

// keyFile returns the key's file, and a function that removes it if it was made for this purpose.
func (k *SigningKey) keyFile() (file string, remove func(), err error) {
	if key := k.literal(); key != "" {
		f, err := os.CreateTemp("", "entire-signing-key-")
		if err != nil {
			return "", nil, err
		}
		_, err = f.WriteString(key + "\n")
		return f.Name(), func() { _ = os.Remove(f.Name()) }, errors.Join(err, f.Close())
	}
	file = k.key
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		for _, kv := range k.repo.Env {
			if home, ok := strings.CutPrefix(kv, "HOME="); ok {
				file = filepath.Join(home, rest)
			}
		}
	}
	return file, func() {}, nil
}
