//go:build unix

package serve_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/settings"
)

// A provider is an OpenID provider that lets a person in without a question. Its members change what it does wrong.
type provider struct {
	*httptest.Server
	key    *rsa.PrivateKey
	codes  map[string]url.Values // what was asked for each code
	groups []string

	badNonce, badAudience, badKey, expired, unverified, noPKCE bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key, codes: map[string]url.Values{}, groups: []string{"shoppers", "others"}}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		e := big.NewInt(int64(key.E)).Bytes()
		answer(w, map[string]any{"keys": []map[string]string{{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e)}}})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		code := rand.Text()
		p.codes[code] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		q, ok := p.codes[r.PostFormValue("code")]
		delete(p.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !ok || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			p.noPKCE = true
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.idToken(q)})
	})
	return p
}

// idToken returns a signed token about the person.
func (p *provider) idToken(q url.Values) string {
	claims := map[string]any{"iss": p.URL, "sub": "ann", "aud": q.Get("client_id"), "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": q.Get("nonce"),
		"name": "Ann Other", "email": "ann@example.com", "email_verified": !p.unverified, "groups": p.groups}
	if p.badNonce {
		claims["nonce"] = "another"
	}
	if p.badAudience {
		claims["aud"] = "another"
	}
	if p.expired {
		claims["exp"] = time.Now().Add(-time.Hour).Unix()
	}
	part := func(v any) string {
		data, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := part(map[string]string{"alg": "RS256", "kid": "1", "typ": "JWT"}) + "." + part(claims)
	key := p.key
	if p.badKey {
		key, _ = rsa.GenerateKey(rand.Reader, 2048)
	}
	sum := sha256.Sum256([]byte(text))
	sign, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(sign)
}

// serveLogin serves two repositories to people who log in at the provider.
func serveLogin(t *testing.T, p *provider) *hubtest.Server {
	t.Helper()
	shop, secret := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "secret")
	shop.Add(3)
	secret.Add(3)
	port := httptest.NewUnstartedServer(nil)
	address := port.Listener.Addr().String()
	port.Listener.Close()
	return hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir, "secret": "file://" + secret.Dir}, hubtest.Options{Change: func(h *settings.Hub, env map[string]string) {
		h.Listen, h.URL = address, "http://"+address
		env["KEY"], env["CLIENT"] = strings.Repeat("k", 40), "client secret"
		h.OIDC = &settings.OIDC{Issuer: p.URL, ClientID: "hub", ClientSecretEnv: "CLIENT", SessionKeyEnv: "KEY",
			Access: []settings.Access{{Group: "shoppers", Repositories: []string{"shop"}}, {Email: "auditor@example.com", Repositories: []string{"*"}}}}
	}})
}

func jar(t *testing.T) *http.Client {
	t.Helper()
	j, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: j}
}

func get(t *testing.T, c *http.Client, address string) (*http.Response, string) {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res, readAll(t, res)
}

// TestLogin: a person logs in at the provider and sees what their group may see, and is nobody again after logging out.
func TestLogin(t *testing.T) {
	p := newProvider(t)
	s := serveLogin(t, p)
	c := jar(t)
	res, body := get(t, c, s.URL+"/login/begin?back=/search%3Frepository=shop")
	if res.StatusCode != http.StatusOK || res.Request.URL.RequestURI() != "/search?repository=shop" || !strings.Contains(body, "Ann Other") {
		t.Fatalf("%s: %d %s", res.Request.URL, res.StatusCode, body)
	}
	if _, me := get(t, c, s.URL+"/api/v1/me"); me != `{"kind":"person","name":"Ann Other","email":"ann@example.com","repositories":["shop"]}`+"\n" {
		t.Error(me)
	}
	if res, _ := get(t, c, s.URL+"/search?repository=secret"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the other repository: %d", res.StatusCode)
	}
	at, _ := url.Parse(s.URL)
	for _, cookie := range c.Jar.Cookies(at) {
		if plain, err := base64.RawURLEncoding.DecodeString(cookie.Value); err == nil && strings.Contains(string(plain), "ann@example") || strings.Contains(cookie.Value, "ann@example") {
			t.Errorf("the cookie %s can be read", cookie.Name)
		}
	}
	// A form of another site logs nobody out, our own does.
	r, err := http.NewRequest(http.MethodPost, s.URL+"/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://elsewhere.example")
	if res, err := c.Do(r); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", res, err)
	}
	r.Header.Set("Origin", s.URL)
	if _, err := c.Do(r); err != nil {
		t.Error(err)
	}
	if res, _ := get(t, c, s.URL+"/api/v1/me"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("after logging out: %d", res.StatusCode)
	}
}

// TestForgedLogins: whatever a provider or a browser does wrong, nobody gets in.
func TestForgedLogins(t *testing.T) {
	p := newProvider(t)
	s := serveLogin(t, p)
	for what, set := range map[string]*bool{"another nonce": &p.badNonce, "another audience": &p.badAudience, "another key": &p.badKey, "an old token": &p.expired} {
		*set = true
		c := jar(t)
		if res, body := get(t, c, s.URL+"/login/begin"); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d %s", what, res.StatusCode, body)
		}
		if res, _ := get(t, c, s.URL+"/api/v1/me"); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: in", what)
		}
		*set = false
	}
	// An answer that this browser did not ask for, and one with another state.
	if res, _ := get(t, jar(t), s.URL+"/login/callback?code=x&state=y"); res.StatusCode != http.StatusForbidden {
		t.Errorf("an answer without a question: %d", res.StatusCode)
	}
	c := jar(t)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, _ := get(t, c, s.URL+"/login/begin")
	sent, _ := url.Parse(res.Header.Get("Location"))
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(sent.Query().Get(name)) < 40 {
			t.Errorf("the provider is sent the %s %q", name, sent.Query().Get(name))
		}
	}
	if res, _ := get(t, c, s.URL+"/login/callback?code=x&state=another"); res.StatusCode != http.StatusForbidden {
		t.Errorf("another state: %d", res.StatusCode)
	}
	// An address that the provider has not verified gives nothing; an address elsewhere is not gone back to.
	p.unverified, p.groups = true, nil
	c = jar(t)
	if res, _ := get(t, c, s.URL+"/login/begin?back=https://elsewhere.example/"); res.Request.URL.Host != strings.TrimPrefix(s.URL, "http://") {
		t.Errorf("sent to %s", res.Request.URL)
	}
	if _, me := get(t, c, s.URL+"/api/v1/me"); strings.Contains(me, "shop") || strings.Contains(me, "ann@") {
		t.Error(me)
	}
	if p.noPKCE {
		t.Error("a code came without its verifier")
	}
}

// TestTokenForm: a browser can use a token, sent by our own form only.
func TestTokenForm(t *testing.T) {
	s, _, _ := two(t, hubtest.Options{})
	post := func(c *http.Client, token, origin string) int {
		r, err := http.NewRequest(http.MethodPost, s.URL+"/login", strings.NewReader(url.Values{"token": {token}, "back": {"/audit"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
		res, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	if status := post(jar(t), "eht_wrong", s.URL); status != http.StatusForbidden {
		t.Errorf("a wrong token: %d", status)
	}
	if status := post(jar(t), s.Tokens["shop"], "https://elsewhere.example"); status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", status)
	}
	c := jar(t)
	if status := post(c, s.Tokens["shop"], s.URL); status != http.StatusOK {
		t.Errorf("a token: %d", status)
	}
	if _, body := get(t, c, s.URL+"/"); !strings.Contains(body, ">shop<") || strings.Contains(body, ">secret<") {
		t.Errorf("the page says %s", body)
	}
}
