//go:build unix

package serve_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/settings"
)

// hook returns a webhook as a forge sends it.
func hook(t *testing.T, s *hubtest.Server, repository, forge, secret, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+"/hooks/"+repository, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	sum := hex.EncodeToString(mac.Sum(nil))
	switch forge {
	case "github":
		r.Header.Set("X-Hub-Signature-256", "sha256="+sum)
	case "gitea":
		r.Header.Set("X-Gitea-Signature", sum)
	case "gitlab":
		r.Header.Set("X-Gitlab-Token", secret)
	}
	return r
}

// TestWebhooks: only the webhook of the right forge with the right secret is believed.
func TestWebhooks(t *testing.T) {
	shop := hubtest.NewRepository(t, "shop")
	shop.Add(1)
	urls := map[string]string{"bare": "file://" + shop.Dir}
	for _, forge := range settings.Forges {
		urls[forge] = "file://" + shop.Dir
	}
	s := hubtest.Serve(t, urls, hubtest.Options{Change: func(h *settings.Hub, env map[string]string) {
		for i := range h.Repositories {
			if r := &h.Repositories[i]; r.Name != "bare" {
				r.Forge, r.WebhookSecretEnv = r.Name, "SECRET_"+r.Name
				env[r.WebhookSecretEnv] = "secret of " + r.Name
			}
		}
	}})
	const body = `{"ref":"refs/heads/main"}`
	for _, forge := range settings.Forges {
		secret := "secret of " + forge
		if status, said := s.Do(hook(t, s, forge, forge, secret, body)); status != http.StatusAccepted {
			t.Errorf("%s: %d %s", forge, status, said)
		}
		changed := hook(t, s, forge, forge, secret, body)
		if forge != "gitlab" { // whose secret says nothing of the body
			changed.Body = http.NoBody
		} else {
			changed.Header.Set("X-Gitlab-Token", secret+" ")
			changed.Header.Set("X-Gitlab-Token", "secret of gitla")
		}
		unsigned, err := http.NewRequest(http.MethodPost, s.URL+"/hooks/"+forge, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for what, r := range map[string]*http.Request{
			"another secret": hook(t, s, forge, forge, "secret", body), "no secret": hook(t, s, forge, forge, "", body), "another body": changed, "unsigned": unsigned,
			"another repository's": hook(t, s, "bare", forge, secret, body), "a missing repository's": hook(t, s, "absent", forge, secret, body),
		} {
			if status, said := s.Do(r); status != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d %s", forge, what, status, said)
			}
		}
	}
	if status, _ := s.Do(hook(t, s, "github", "gitea", "secret of github", body)); status != http.StatusUnauthorized {
		t.Errorf("another forge's signature: %d", status)
	}
	if status, _ := s.Do(hook(t, s, "github", "github", "secret of github", strings.Repeat("x", 2<<20))); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of 2 MiB: %d", status)
	}
	if status, _ := s.Get(s.Tokens["all"], "/hooks/github"); status == http.StatusAccepted {
		t.Error("a GET was accepted")
	}
}
