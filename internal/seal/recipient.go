package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
)

// Recipient is a public key that data keys are wrapped to.
type Recipient struct {
	text string // without a comment
	name string // the comment, "" for none
	age  age.Recipient
}

// ParseRecipient reads one public key: an age recipient (age1…), or an ssh-ed25519 or ssh-rsa key as
// in a .pub file. What follows the key is its holder's name.
func ParseRecipient(line string) (Recipient, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return Recipient{}, fmt.Errorf("read recipient: it is empty")
	}
	var r Recipient
	var err error
	switch {
	case strings.HasPrefix(fields[0], "age1"):
		r.text, r.name = fields[0], strings.Join(fields[1:], " ")
		var all []age.Recipient
		if all, err = age.ParseRecipients(strings.NewReader(fields[0])); err == nil {
			r.age = all[0]
		}
	case fields[0] == "ssh-ed25519" || fields[0] == "ssh-rsa":
		if len(fields) < 2 {
			return Recipient{}, fmt.Errorf("read recipient: %s is not followed by a key", fields[0])
		}
		r.text, r.name = fields[0]+" "+fields[1], strings.Join(fields[2:], " ")
		r.age, err = agessh.ParseRecipient(r.text)
	case strings.HasPrefix(fields[0], "AGE-SECRET-KEY-"):
		return Recipient{}, fmt.Errorf("read recipient: this is a private key; name the public key that belongs to it (age1…)")
	default:
		return Recipient{}, fmt.Errorf("read recipient %q: it is neither an age recipient (age1…) nor an ssh-ed25519 or ssh-rsa public key", clip(fields[0]))
	}
	if err != nil {
		return Recipient{}, fmt.Errorf("read recipient %q: %w", clip(line), err)
	}
	return r, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// String returns the public key without its holder's name.
func (r Recipient) String() string { return r.text }

// Name returns the holder's name that followed the key, "" for none.
func (r Recipient) Name() string { return r.name }

// ID returns the name of the files that are wrapped to the recipient: 16 hex digits of its SHA-256.
func (r Recipient) ID() string { return recipientID(r.text) }

func recipientID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Short returns the recipient in a form for messages.
func (r Recipient) Short() string {
	text := r.text
	if kind, key, ssh := strings.Cut(text, " "); ssh {
		text = kind + " …" + key[max(0, len(key)-8):]
	} else if len(text) > 16 {
		text = text[:12] + "…" + text[len(text)-4:]
	}
	if r.name != "" {
		return text + " (" + r.name + ")"
	}
	return text
}
