package seal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"
)

// Identity is a private key that opens what was wrapped to its recipient.
type Identity struct {
	age    age.Identity
	id     string
	failed *error // set to why a protected key could not be opened, which age hides; nil for other keys
}

// RecipientID returns the ID of the identity's recipient.
func (i Identity) RecipientID() string { return i.id }

// ErrNeedsPassphrase is returned for a protected identity if there is nobody to ask.
var ErrNeedsPassphrase = errors.New("the identity is protected by a passphrase, and there is no terminal to ask for it")

// maxWorkFactor is the most that a protected identity file can make us compute: some seconds.
const maxWorkFactor = 22

// ParseIdentities reads an identity file: lines of AGE-SECRET-KEY-…, the same encrypted with a
// passphrase by age, or an OpenSSH private key. ask returns a passphrase; nil means that there is nobody
// to ask. A protected SSH key asks only when it is used.
func ParseIdentities(data []byte, ask func() (string, error)) ([]Identity, error) {
	if ask == nil {
		ask = func() (string, error) { return "", ErrNeedsPassphrase }
	}
	switch {
	case bytes.Contains(data, []byte("PRIVATE KEY-----")):
		return sshIdentity(data, ask)
	case bytes.HasPrefix(data, []byte("age-encryption.org/")), bytes.HasPrefix(bytes.TrimSpace(data), []byte(armor.Header)):
		return protectedIdentities(data, ask)
	}
	return ageIdentities(bytes.NewReader(data))
}

func ageIdentities(r io.Reader) ([]Identity, error) {
	all, err := age.ParseIdentities(r)
	if err != nil {
		return nil, err
	}
	var out []Identity
	for _, one := range all {
		switch key := one.(type) {
		case *age.X25519Identity:
			out = append(out, Identity{age: one, id: recipientID(key.Recipient().String())})
		case *age.HybridIdentity:
			out = append(out, Identity{age: one, id: recipientID(key.Recipient().String())})
		}
	}
	return out, nil
}

func sshIdentity(data []byte, ask func() (string, error)) ([]Identity, error) {
	var locked *ssh.PassphraseMissingError
	key, err := ssh.ParseRawPrivateKey(data)
	switch {
	case errors.As(err, &locked) && locked.PublicKey == nil:
		return nil, errors.New("the private key is protected in an old format, which does not name its public key; ssh-keygen -p rewrites it")
	case errors.As(err, &locked):
		var failed error
		one, err := agessh.NewEncryptedSSHIdentity(locked.PublicKey, data, func() ([]byte, error) {
			pass, err := ask()
			if err == nil {
				if _, bad := ssh.ParseRawPrivateKeyWithPassphrase(data, []byte(pass)); bad != nil {
					err = errors.New("the passphrase does not open the private key")
				}
			}
			failed = err
			return []byte(pass), err
		})
		return []Identity{{one, sshID(locked.PublicKey), &failed}}, err
	case err != nil:
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, err
	}
	one, err := agessh.ParseIdentity(data)
	return []Identity{{age: one, id: sshID(signer.PublicKey())}}, err
}

// sshID returns the recipient ID of an SSH public key.
func sshID(key ssh.PublicKey) string {
	return recipientID(strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))))
}

func protectedIdentities(data []byte, ask func() (string, error)) ([]Identity, error) {
	pass, err := ask()
	if err != nil {
		return nil, err
	}
	by, err := age.NewScryptIdentity(pass)
	if err != nil {
		return nil, err
	}
	by.SetMaxWorkFactor(maxWorkFactor)
	var r io.Reader = bytes.NewReader(data)
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte(armor.Header)) {
		r = armor.NewReader(bytes.NewReader(trimmed))
	}
	r, err = age.Decrypt(r, by)
	var none *age.NoIdentityMatchError
	switch {
	case errors.As(err, &none):
		return nil, errors.New("the passphrase does not open the identity file")
	case err != nil:
		return nil, fmt.Errorf("open the identity file: %w", err)
	}
	return ageIdentities(io.LimitReader(r, 1<<20))
}
