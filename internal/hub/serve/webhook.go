package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"

	"entire/internal/hub/settings"
)

// hookMax is the most bytes of a webhook that are read.
const hookMax = 1 << 20

// webhook makes the hub read a repository soon. Of what the forge says, only its signature counts: what has changed is
// seen by fetching.
func (h *Hub) webhook(w http.ResponseWriter, r *http.Request) {
	repo, secret := h.hookOf(r.PathValue("repository"))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hookMax))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		plain(w, http.StatusRequestEntityTooLarge, "the body is too large")
	case err != nil:
		plain(w, http.StatusBadRequest, "the body cannot be read")
	case secret == "" || !signed(repo.Forge, secret, r.Header, body):
		h.metrics.hooks.WithLabelValues("refused").Inc()
		plain(w, http.StatusUnauthorized, "the signature is not that of a webhook that is known here")
	default:
		h.metrics.hooks.WithLabelValues("accepted").Inc()
		h.Runner.Wake(repo.Name)
		plain(w, http.StatusAccepted, "the repository will be read")
	}
}

// hookOf returns a repository and the secret of its webhook; "" if it has none or does not exist.
func (h *Hub) hookOf(name string) (settings.Repository, string) {
	for _, r := range h.Conf.Repositories {
		if r.Name == name && r.WebhookSecretEnv != "" {
			return r, h.world.Getenv(r.WebhookSecretEnv)
		}
	}
	return settings.Repository{}, ""
}

// signed reports whether a webhook is from whoever knows the secret. It compares in constant time.
func signed(forge, secret string, head http.Header, body []byte) bool {
	switch forge {
	case "github":
		given, ok := strings.CutPrefix(head.Get("X-Hub-Signature-256"), "sha256=")
		return ok && fits(secret, given, body)
	case "gitea":
		return fits(secret, head.Get("X-Gitea-Signature"), body)
	case "gitlab":
		// GitLab sends the secret itself. Hashed first, so that the time says nothing of its length.
		a, b := sha256.Sum256([]byte(head.Get("X-Gitlab-Token"))), sha256.Sum256([]byte(secret))
		return subtle.ConstantTimeCompare(a[:], b[:]) == 1
	}
	return false
}

func fits(secret, given string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	sum, err := hex.DecodeString(given)
	return err == nil && hmac.Equal(sum, mac.Sum(nil))
}
