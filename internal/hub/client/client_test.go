//go:build unix

package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"entire/internal/hub/api"
	"entire/internal/hub/hubtest"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// bearer sends a token with every request.
func bearer(token string) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

// TestEveryQuestion asks a running hub all that the client can ask.
func TestEveryQuestion(t *testing.T) {
	shop := hubtest.NewRepository(t, "shop")
	shop.Add(60)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir}, hubtest.Options{})
	s.Await(map[string]int{"shop": 60})
	c, err := NewClientWithResponses(s.URL, WithRequestEditorFn(bearer(s.Tokens["shop"])))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if me, err := c.GetMeWithResponse(ctx); err != nil || me.JSON200 == nil || me.JSON200.Name != "shop" || me.JSON200.Kind != Token {
		t.Errorf("me: %+v, %v", me, err)
	}
	if list, err := c.ListRepositoriesWithResponse(ctx); err != nil || list.JSON200 == nil || len(list.JSON200.Repositories) != 1 || list.JSON200.Repositories[0].Checkpoints != 60 {
		t.Errorf("repositories: %+v, %v", list, err)
	}
	count, limit, after := 0, 25, (*string)(nil)
	for {
		part, err := c.ListCheckpointsWithResponse(ctx, &ListCheckpointsParams{Limit: &limit, After: after})
		if err != nil || part.JSON200 == nil {
			t.Fatalf("checkpoints: %+v, %v", part, err)
		}
		count += len(part.JSON200.Checkpoints)
		if after = part.JSON200.Next; after == nil {
			break
		}
	}
	if count != 60 {
		t.Errorf("%d checkpoints", count)
	}
	if one, err := c.GetCheckpointWithResponse(ctx, "shop", shop.ID(10)); err != nil || one.JSON200 == nil || one.JSON200.Checkpoint.Id != shop.ID(10) || len(one.JSON200.Statements) != 1 {
		t.Errorf("one: %+v, %v", one, err)
	}
	if none, err := c.GetCheckpointWithResponse(ctx, "shop", "000000000000"); err != nil || none.ApplicationproblemJSON404 == nil || none.ApplicationproblemJSON404.Detail == "" {
		t.Errorf("none: %+v, %v", none, err)
	}
	lines, err := c.GetAttributionWithResponse(ctx, &GetAttributionParams{})
	if err != nil || lines.JSON200 == nil {
		t.Fatalf("attribution: %+v, %v", lines, err)
	}
	if used, err := c.GetUsageWithResponse(ctx, &GetUsageParams{}); err != nil || used.JSON200 == nil || len(used.JSON200.Groups) == 0 {
		t.Errorf("usage: %+v, %v", used, err)
	}
	if audit, err := c.GetAuditWithResponse(ctx, &GetAuditParams{}); err != nil || audit.JSON200 == nil || len(audit.JSON200.Repositories) != 1 {
		t.Errorf("audit: %+v, %v", audit, err)
	}
	guest, err := NewClientWithResponses(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if me, err := guest.GetMeWithResponse(ctx); err != nil || me.ApplicationproblemJSON401 == nil {
		t.Errorf("without a token: %+v, %v", me, err)
	}
}

// TestClientIsFresh: the client was made from the document that the hub serves now.
func TestClientIsFresh(t *testing.T) {
	sum := sha256.Sum256(api.Document())
	noted, err := os.ReadFile("document.sha256")
	if err != nil || strings.TrimSpace(string(noted)) != hex.EncodeToString(sum[:]) {
		t.Fatalf("the document has changed: `make hub-client` makes the client again (%v)", err)
	}
	have, err := os.ReadFile("client.gen_test.go")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`oapi-codegen/v2 version (v\S+)`).FindSubmatch(have)
	if version == nil {
		t.Fatal("the client does not say what made it")
	}
	out := filepath.Join(t.TempDir(), "client.gen_test.go")
	cmd := exec.CommandContext(t.Context(), "go", "run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@"+string(version[1]), "-generate", "client,models", "-package", "client_test", "-o", out, "../api/openapi.json")
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "GOPROXY=file://"+strings.TrimSpace(string(cache))+"/cache/download", "GOSUMDB=off", "GOFLAGS=-mod=mod") // no network
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the generator is not in the module cache: %v: %.200s", err, said)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, made, _ = bytes.Cut(made, []byte("//\n")) // as the Makefile does
	made = bytes.Replace(made, []byte("\npackage client_test\n"), []byte("\n\npackage client_test\n"), 1)
	if !bytes.Equal(made, have) {
		t.Error("the generator makes another client of the document: `make hub-client`")
	}
}
