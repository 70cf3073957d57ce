package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// A sealer makes cookies that only the replicas can read and make.
type sealer struct{ aead cipher.AEAD }

// newSealer returns a sealer with a key made from a secret of at least 32 bytes.
func newSealer(secret string) (sealer, error) {
	if len(secret) < 32 {
		return sealer{}, errors.New("the key of the sessions has fewer than 32 bytes; `openssl rand -base64 48` makes one")
	}
	key := sha256.Sum256([]byte("entire hub session 1\x00" + secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead}, err
}

// envelope is what a cookie holds. Name is the cookie's, so that one is not taken for another.
type envelope struct {
	Name    string          `json:"n"`
	Expires int64           `json:"e"`
	Value   json.RawMessage `json:"v"`
}

func (s sealer) seal(name string, value any, expires time.Time) (string, error) {
	inner, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(envelope{name, expires.Unix(), inner})
	if err != nil {
		return "", err
	}
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, data, nil)), nil
}

var errCookie = errors.New("the cookie is not ours, or its time is over")

func (s sealer) open(name, text string, value any, now time.Time) error {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) < s.aead.NonceSize() {
		return errCookie
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, data[:n], data[n:], nil)
	if err != nil {
		return errCookie
	}
	var e envelope
	if err := json.Unmarshal(plain, &e); err != nil || e.Name != name || now.Unix() >= e.Expires {
		return errCookie
	}
	return json.Unmarshal(e.Value, value)
}

// setCookie sets a cookie that scripts cannot read and pages of other sites cannot make a browser send, except with a
// link that a person follows.
func (d *Door) setCookie(w http.ResponseWriter, name string, value any, lasts time.Duration) error {
	text, err := d.sealer.seal(name, value, d.now().Add(lasts))
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: text, Path: "/", MaxAge: int(lasts.Seconds()), HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteLaxMode})
	return nil
}

func (d *Door) endCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteLaxMode})
}

// cookie reads one of our cookies.
func (d *Door) cookie(r *http.Request, name string, value any) error {
	c, err := r.Cookie(name)
	if err != nil {
		return errCookie
	}
	return d.sealer.open(name, c.Value, value, d.now())
}
