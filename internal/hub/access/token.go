package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"entire/internal/hub/settings"
)

// tokenPrefix lets people and scanners of secrets recognise a token.
const tokenPrefix = "eht_"

// NewToken returns a token and the SHA-256 that the configuration has of it.
func NewToken() (token, sum string) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return TokenOf(string(secret))
}

// TokenOf returns the token of a secret, and its SHA-256.
func TokenOf(secret string) (token, sum string) {
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString([]byte(secret))
	return token, digest(token)
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// byToken returns whose token it is.
func byToken(tokens []settings.Token, token string, now time.Time) (Principal, bool) {
	if len(token) > 200 || !strings.HasPrefix(token, tokenPrefix) {
		return Principal{}, false
	}
	sum := digest(token)
	for _, t := range tokens {
		if strings.EqualFold(t.SHA256, sum) && (t.Expires.IsZero() || now.Before(t.Expires)) {
			return Principal{Kind: "token", Name: t.Name, repos: t.Repositories}, true
		}
	}
	return Principal{}, false
}
