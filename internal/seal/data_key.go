package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/klauspost/compress/flate"
)

// DataKey seals texts. Make one with NewDataKey, and read one with Unwrap or ParseSecret. Only one goroutine
// may use it at a time.
type DataKey struct {
	secret  [32]byte
	id      KeyID
	naming  []byte
	deflate *flate.Writer // to use again: making one costs more than a short text
}

// NewDataKey returns a random key.
func NewDataKey() (*DataKey, error) {
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, err
	}
	return keyOf(secret)
}

func keyOf(secret [32]byte) (*DataKey, error) {
	k := &DataKey{secret: secret}
	id, err := hkdf.Key(sha256.New, secret[:], nil, "entire seal 1 id", idSize)
	if err != nil {
		return nil, err
	}
	k.id = KeyID(id)
	k.naming, err = hkdf.Key(sha256.New, secret[:], nil, "entire seal 1 names", 32)
	return k, err
}

// ID returns the key's name, which reveals nothing of it.
func (k *DataKey) ID() KeyID { return k.id }

// secretPrefix begins the text of a key.
const secretPrefix = "entire-data-key-1 "

// Secret returns the key as one line of text that ParseSecret reads.
func (k *DataKey) Secret() string { return secretPrefix + hex.EncodeToString(k.secret[:]) + "\n" }

// ParseSecret reads what Secret returned.
func ParseSecret(text string) (*DataKey, error) {
	digits, found := strings.CutPrefix(strings.TrimSuffix(text, "\n"), secretPrefix)
	raw, err := hex.DecodeString(digits)
	if !found || err != nil || len(raw) != 32 {
		return nil, errors.New("not the text of a data key")
	}
	return keyOf([32]byte(raw))
}

// Wrap encrypts the key to one recipient.
func (k *DataKey) Wrap(to Recipient) ([]byte, error) {
	var out bytes.Buffer
	text := armor.NewWriter(&out)
	w, err := age.Encrypt(text, to.age)
	if err == nil {
		_, err = io.WriteString(w, k.Secret())
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = text.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("wrap a data key for %s: %w", to.Short(), err)
	}
	return out.Bytes(), nil
}

// maxWrapped bounds a wrapped key: an RSA recipient of 16,384 bits needs 4 KiB.
const maxWrapped = 16 << 10

// Unwrap returns the key with the given ID from a wrapped one. It returns ErrNoIdentity if the identity
// is not the recipient's.
func Unwrap(id KeyID, wrapped []byte, by Identity) (*DataKey, error) {
	if len(wrapped) > maxWrapped {
		return nil, ErrTampered
	}
	r, err := age.Decrypt(armor.NewReader(bytes.NewReader(wrapped)), by.age)
	var none *age.NoIdentityMatchError
	switch {
	case err != nil && by.failed != nil && *by.failed != nil:
		return nil, *by.failed
	case errors.As(err, &none):
		return nil, ErrNoIdentity
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, 1024))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	k, err := ParseSecret(string(text))
	if err != nil || k.id != id {
		return nil, fmt.Errorf("%w: it holds another key than its name says", ErrTampered)
	}
	return k, nil
}

// ErrNoIdentity is returned for a key that was wrapped to others.
var ErrNoIdentity = errors.New("no identity here opens the data key")
