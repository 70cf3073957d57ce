package audit

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Signers are the keys that are trusted, from a file in OpenSSH's form of allowed signers (ssh-keygen(1)).
type Signers struct {
	list []signer

	// PassedOver are the numbers of lines that cannot be used: certificate authorities, and lines of no known form.
	PassedOver []int
}

type signer struct {
	principals    string
	key           []byte // in the wire form
	namespaces    []string
	after, before time.Time // zero for none
}

// ReadSigners reads a file of allowed signers.
func ReadSigners(data []byte) *Signers {
	s := &Signers{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		one, err := parseSigner(line)
		if err != nil {
			s.PassedOver = append(s.PassedOver, n)
			continue
		}
		s.list = append(s.list, one)
	}
	return s
}

func parseSigner(line string) (signer, error) {
	var s signer
	rest := ""
	if after, quoted := strings.CutPrefix(line, `"`); quoted {
		s.principals, rest, _ = strings.Cut(after, `"`)
	} else {
		s.principals, rest, _ = strings.Cut(line, " ")
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(rest)))
	if err != nil {
		return s, err
	}
	s.key = key.Marshal()
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			s.namespaces = strings.Split(value, ",")
		case "valid-after":
			s.after, err = signerTime(value)
		case "valid-before":
			s.before, err = signerTime(value)
		default:
			err = fmt.Errorf("the option %q is not known", name)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// signerTime reads YYYYMMDD[HHMM[SS]][Z]; without Z it is local time.
func signerTime(text string) (time.Time, error) {
	zone := time.Local
	if digits, utc := strings.CutSuffix(text, "Z"); utc {
		text, zone = digits, time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil && len(layout) == len(text) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.20q is no time", text)
}

// signature is what is known of a signature that fits its text.
type signature struct {
	key      string // its fingerprint, "SHA256:…"
	whose    string // the principals of the trusted key; "" if the key is not trusted
	checking string // why it cannot be checked here; the other fields are then empty
}

// check checks an SSH signature of a text. An error says that it does not fit the text.
func (s *Signers) check(text, armoured []byte, namespace string, at time.Time) (signature, error) {
	if !bytes.Contains(armoured, []byte("BEGIN SSH SIGNATURE")) {
		return signature{checking: "it is not an SSH signature, and only git can check it"}, nil
	}
	sig, err := sshsig.Unarmor(armoured)
	if err != nil {
		return signature{}, fmt.Errorf("its signature cannot be read: %w", err)
	}
	if err := sshsig.Verify(bytes.NewReader(text), sig, sig.PublicKey, sig.HashAlgorithm, namespace); err != nil {
		return signature{}, fmt.Errorf("its signature does not fit: %w", err)
	}
	out := signature{key: ssh.FingerprintSHA256(sig.PublicKey)}
	if s == nil {
		return out, nil
	}
	wire := sig.PublicKey.Marshal()
	for _, one := range s.list {
		if bytes.Equal(one.key, wire) && one.allows(namespace, at) {
			out.whose = one.principals
			break
		}
	}
	return out, nil
}

func (s signer) allows(namespace string, at time.Time) bool {
	if !s.after.IsZero() && at.Before(s.after) || !s.before.IsZero() && at.After(s.before) {
		return false
	}
	return len(s.namespaces) == 0 || slices.ContainsFunc(s.namespaces, func(pattern string) bool {
		ok, err := path.Match(strings.TrimSpace(pattern), namespace)
		return ok && err == nil
	})
}
