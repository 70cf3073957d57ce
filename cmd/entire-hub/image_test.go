//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
)

// TestImage runs the image that HUB_IMAGE names as the compose file does: read-only, without capabilities, as a user that is
// not root. It must index what a git server has, answer with a token and not without, and end with status 0 when it is told to.
func TestImage(t *testing.T) {
	image := os.Getenv("HUB_IMAGE")
	if image == "" {
		t.Skip("HUB_IMAGE names no image; `make hub-image` builds and names one")
	}
	l := newLab(t)
	l.confs = nil // the container is the only replica
	socket, _, _ := strings.Cut(strings.TrimPrefix(l.database, "host="), " ")
	if err := os.Chmod(socket, 0o711); err != nil {
		t.Fatal(err)
	}
	token, sum := hubtest.Token("image")
	address := fmt.Sprint("127.0.0.1:", freePort(t))
	conf, err := json.Marshal(map[string]any{"listen": address, "data": "/var/lib/entire-hub", "database_env": "HUB_DATABASE", "poll": "30ms",
		"repositories": []map[string]string{{"name": "shop", "url": l.git.URL + "/shop.git", "user": l.git.User, "password_env": "HUB_PASSWORD"}},
		"tokens":       []map[string]any{{"name": "all", "sha256": sum, "repositories": []string{"*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hub.json")
	if err := os.WriteFile(file, conf, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(deploy, "image.sh"), "run", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges",
		"--tmpfs=/tmp", "--tmpfs=/var/lib/entire-hub:mode=1777", "--volume="+file+":/etc/entire-hub/hub.json:ro", "--volume="+socket+":"+socket,
		"--env=HUB_DATABASE="+l.database, "--env=HUB_PASSWORD="+l.git.Password, image)
	cmd.Stderr = l.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer hubtest.Own(cmd.Process)()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM) }) // podman ends the container
	l.whole()
	l.shop.Add(50)
	l.whole()
	for _, try := range []struct {
		path, token string
		status      int
		says        string
	}{
		{"/readyz", "", http.StatusOK, ""},
		{"/api/v1/repositories", "", http.StatusUnauthorized, ""},
		{"/api/v1/repositories", token, http.StatusOK, `"shop"`},
		{"/", token, http.StatusOK, "shop"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+try.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if try.token != "" {
			r.Header.Set("Authorization", "Bearer "+try.token)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != try.status || !strings.Contains(string(body), try.says) {
			t.Errorf("%s with token %q: %d, %v: %s", try.path, try.token, res.StatusCode, err, body)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		if err != nil {
			said, _ := os.ReadFile(l.log.Name())
			t.Errorf("told to end: %v: %s", err, said)
		}
	case <-time.After(2 * time.Minute):
		t.Error("told to end, it goes on")
	}
}
