package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"golang.org/x/crypto/chacha20poly1305"
)

// The parts of a sealed text, in this order: magic, key ID, stream, nonce, ciphertext with tag.
const (
	magic     = "entire sealed 1\n"
	idSize    = 16
	headSize  = len(magic) + idSize + idSize
	nonceSize = chacha20poly1305.NonceSizeX
	minSize   = headSize + nonceSize + 1 + chacha20poly1305.Overhead
)

// maxText is the most bytes that Open returns.
const maxText = 256 << 20

// The first byte of what is encrypted says how the text is stored behind it.
const (
	stored   = 0
	deflated = 1
)

var (
	// ErrTampered is returned for data that was changed, cut off or damaged after it was sealed.
	ErrTampered = errors.New("the sealed data was changed, cut off or damaged after it was sealed")

	// ErrOtherKey is returned for data that another key sealed.
	ErrOtherKey = errors.New("another key sealed the data")
)

// Is reports whether data begins as sealed data does.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// KeyOf returns the ID of the key that sealed data.
func KeyOf(data []byte) (KeyID, error) {
	var k KeyID
	if !Is(data) || len(data) < minSize {
		return k, ErrTampered
	}
	copy(k[:], data[len(magic):])
	return k, nil
}

// KeyID names a data key; it is derived from the key.
type KeyID [idSize]byte

func (k KeyID) String() string { return hex.EncodeToString(k[:]) }

// ParseKeyID reads the form that String returns.
func ParseKeyID(s string) (k KeyID, ok bool) {
	b, err := hex.DecodeString(s)
	return KeyID(append(b, make([]byte, idSize)...)[:idSize]), err == nil && len(b) == idSize && hex.EncodeToString(b) == s
}

// Seal seals a text. Texts of one stream, such as a session, that are equal give equal data.
func (k *DataKey) Seal(stream string, text []byte) ([]byte, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("seal %d bytes: more than %d", len(text), maxText)
	}
	name := k.streamName(stream)
	encKey, nonceKey, err := k.streamKeys(name)
	if err != nil {
		return nil, err
	}
	inner, err := k.packed(text)
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(encKey)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, headSize+nonceSize+len(inner)+aead.Overhead())
	out = append(out, magic...)
	out = append(out, k.id[:]...)
	out = append(out, name...)
	nonce := nonceOf(nonceKey, inner)
	out = append(out, nonce...)
	return aead.Seal(out, nonce, inner, out[:headSize]), nil
}

// Open returns the text of sealed data.
func (k *DataKey) Open(data []byte) ([]byte, error) {
	id, err := KeyOf(data)
	if err != nil {
		return nil, err
	}
	if id != k.id {
		return nil, ErrOtherKey
	}
	encKey, nonceKey, err := k.streamKeys(data[len(magic)+idSize : headSize])
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(encKey)
	if err != nil {
		return nil, err
	}
	nonce := data[headSize : headSize+nonceSize]
	inner, err := aead.Open(nil, nonce, data[headSize+nonceSize:], data[:headSize])
	if err != nil || subtle.ConstantTimeCompare(nonce, nonceOf(nonceKey, inner)) != 1 {
		return nil, ErrTampered
	}
	return unpacked(inner)
}

func nonceOf(key, inner []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(inner)
	return h.Sum(nil)[:nonceSize]
}

// streamName returns what stands for a stream in sealed data. Without the key it says nothing about
// the stream.
func (k *DataKey) streamName(stream string) []byte {
	h := hmac.New(sha256.New, k.naming)
	h.Write([]byte(stream))
	return h.Sum(nil)[:idSize]
}

func (k *DataKey) streamKeys(name []byte) (encKey, nonceKey []byte, err error) {
	both, err := hkdf.Key(sha256.New, k.secret[:], name, "entire seal 1 stream", 64)
	if err != nil {
		return nil, nil, err
	}
	return both[:32], both[32:], nil
}

// packed returns the text in the form that is encrypted, compressed if that makes it shorter.
func (k *DataKey) packed(text []byte) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte(deflated)
	var err error
	if k.deflate == nil {
		k.deflate, err = flate.NewWriter(&out, flate.BestSpeed)
	} else {
		k.deflate.Reset(&out)
	}
	z := k.deflate
	if err == nil {
		_, err = z.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	if out.Len() > len(text) {
		return append([]byte{stored}, text...), nil
	}
	return out.Bytes(), nil
}

func unpacked(inner []byte) ([]byte, error) {
	if len(inner) == 0 {
		return nil, ErrTampered
	}
	switch inner[0] {
	case stored:
		return inner[1:], nil
	case deflated:
		text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(inner[1:])), maxText+1))
		if err != nil || len(text) > maxText {
			return nil, ErrTampered
		}
		return text, nil
	}
	return nil, ErrTampered
}
