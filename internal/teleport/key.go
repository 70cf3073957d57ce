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

// The cost of trying a code: scrypt with 2^17 rounds and 128 MiB. The salt is fixed, because the
// receiver only knows the code; see docs/teleport.md. These values are part of the format.
const (
	codeRounds = 1 << 17
	codeSalt   = "entire teleport 1"

	sealFactor    = 10 // for age's own scrypt, on a passphrase of 256 bits
	maxSealFactor = 18 // most that a sender can make the receiver compute
)

// IDDigits is the length of a bundle's name in hex digits.
const IDDigits = 32

// Key is derived from a code: the bundle's name and the passphrase that seals it. Neither reveals the
// other or the code, except by trying codes.
type Key struct {
	ID         string // IDDigits hex digits
	passphrase string
}

// Key derives the code's keys. This takes part of a second on purpose.
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
	// ErrWrongCode is returned by Open for data sealed with another code or in another way.
	ErrWrongCode = errors.New("the code does not open it")

	// ErrTampered is returned for data that was changed after it was sealed.
	ErrTampered = errors.New("it was changed or cut off on its way")
)

// seal returns a writer whose output only the code opens. Its Close completes the output.
func (k Key) seal(w io.Writer) (io.WriteCloser, error) {
	to, err := age.NewScryptRecipient(k.passphrase)
	if err != nil {
		return nil, err
	}
	to.SetWorkFactor(sealFactor)
	return age.Encrypt(w, to)
}

// open returns a reader for sealed data. All data it returns is authentic; only io.EOF shows that the
// data is complete.
func (k Key) open(r io.Reader) (io.Reader, error) {
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

// opened translates errors while reading.
type opened struct{ r io.Reader }

func (o *opened) Read(b []byte) (int, error) {
	n, err := o.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", ErrTampered, err)
	}
	return n, err
}
