package teleport

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"golang.org/x/crypto/scrypt"
)

// What it costs to try a code: scrypt with 2^17 rounds over 128 MiB. The salt is
// fixed, as the receiver knows nothing but the code; see docs/teleport.md. These
// are part of the format.
const (
	codeRounds = 1 << 17
	codeSalt   = "entire teleport 1"

	sealFactor    = 10 // of age's own scrypt, over a passphrase of 256 bits
	maxSealFactor = 18 // that is worked off for whoever sends something
)

// IDDigits is how many digits the name of a parcel has.
const IDDigits = 32

// Key is what a code opens: the name under which a parcel is found, and what it
// is sealed with. Neither tells anything of the other or of the code, short of
// trying codes.
type Key struct {
	ID         string // IDDigits hex digits
	passphrase string
}

// Key works the code's keys out, which takes part of a second on purpose.
func (c Code) Key() (Key, error) {
	master, err := scrypt.Key([]byte(c.String()), []byte(codeSalt), codeRounds, 8, 1, 64)
	if err != nil {
		return Key{}, err
	}
	name, err := hkdf.Key(sha256.New, master, nil, "ref", IDDigits/2)
	if err != nil {
		return Key{}, err
	}
	pass, err := hkdf.Key(sha256.New, master, nil, "passphrase", 32)
	if err != nil {
		return Key{}, err
	}
	return Key{hex.EncodeToString(name), hex.EncodeToString(pass)}, nil
}

var (
	// ErrWrongCode is returned by Open for what was sealed with another code, or
	// by other means.
	ErrWrongCode = errors.New("the code does not open it")

	// ErrTampered is returned for what is not as it was sealed.
	ErrTampered = errors.New("it was changed or cut off on its way")
)

// Seal returns a writer whose content only the code opens. Close ends it.
func (k Key) Seal(w io.Writer) (io.WriteCloser, error) {
	to, err := age.NewScryptRecipient(k.passphrase)
	if err != nil {
		return nil, err
	}
	to.SetWorkFactor(sealFactor)
	return age.Encrypt(w, to)
}

// Open returns a reader of what was sealed. Each piece of it is proven to be what
// was written; that it is all of it is known at io.EOF.
func (k Key) Open(r io.Reader) (io.Reader, error) {
	by, err := age.NewScryptIdentity(k.passphrase)
	if err != nil {
		return nil, err
	}
	by.SetMaxWorkFactor(maxSealFactor)
	in, err := age.Decrypt(r, by)
	var wrong *age.NoIdentityMatchError
	switch {
	case errors.As(err, &wrong):
		return nil, ErrWrongCode
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTampered, err)
	}
	return &opened{in}, nil
}

// opened names what goes wrong while it is read.
type opened struct{ r io.Reader }

func (o *opened) Read(b []byte) (int, error) {
	n, err := o.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", ErrTampered, err)
	}
	return n, err
}

// IsSealed reports whether a file that begins with head may be a parcel.
func IsSealed(head []byte) bool {
	const magic = "age-encryption.org/v1\n"
	return len(head) >= len(magic) && string(head[:len(magic)]) == magic
}
