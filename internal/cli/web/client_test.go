package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client reads pages without a browser.
type client struct {
	*site
	t testing.TB
	http.Client
}

func (w *site) client() *client {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &client{site: w, t: w.t, Client: http.Client{Jar: jar, Transport: &http.Transport{DisableCompression: true}}}
	w.t.Cleanup(c.CloseIdleConnections)
	res := c.post(w.Origin+"/enter", url.Values{"token": {w.Link("/", 0)}, "to": {"/keys"}})
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("entering: %s", res.Status)
	}
	return c
}

func (c *client) do(r *http.Request) (*http.Response, []byte) {
	c.t.Helper()
	res, err := c.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, body
}

// get returns a page of the site.
func (c *client) get(page string, headers ...string) (*http.Response, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "GET", c.at+page, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return c.do(r)
}

func (c *client) post(address string, form url.Values) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Origin", c.Origin)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, _ := c.do(r)
	return res
}

// json returns the values of a page.
func (c *client) json(page string) map[string]any {
	c.t.Helper()
	path, query, found := strings.Cut(page, "?")
	if path += ".json"; found {
		path += "?" + query
	}
	res, body := c.get(path)
	var v map[string]any
	if err := json.Unmarshal(body, &v); res.StatusCode != http.StatusOK || err != nil {
		c.t.Fatalf("%s: %s, %v: %s", path, res.Status, err, body)
	}
	return v
}

// compareText shows that a document has a text.
func compareText(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("%s does not have\n%s", path, want)
	}
}
