//go:build unix

package serve_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"entire/internal/hub/access"
	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
)

func decode(t *testing.T, s *hubtest.Server, path string, into any) {
	t.Helper()
	status, body := s.Get(s.Tokens["all"], path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err)
	}
}

// An attempt is a request that tries to read the repository "secret" with what the reader of "shop" has.
type attempt struct {
	what, path string
	token      string // "" is that of shop
	header     http.Header
}

// injections are texts that would change a query they were pasted into.
var injections = []string{
	`' OR '1'='1`, `') OR 1=1 --`, `"; SELECT set_config('hub.repositories','1,2',true); --`, `'; RESET ROLE; SELECT * FROM checkpoint; --`, `shop' UNION SELECT * FROM checkpoint --`,
	`%' OR repo <> 0 OR '%'='`, `$1 OR TRUE`, `? OR 1`, `* OR prompts:secret`, `" OR "secret`, `{1,2}`, `\' OR 1=1 #`,
}

func attempts(s *hubtest.Server, shop, secret *hubtest.Repository) []attempt {
	var list []attempt
	add := func(what, path string) { list = append(list, attempt{what: what, path: path}) }
	// Guessed names and IDs.
	for _, name := range []string{"secret", "shop,secret", "secret,shop", " secret", "SECRET", "*", "secret%00", fmt.Sprint(index.Number("secret"))} {
		add("the name of the repository", "/api/v1/checkpoints?repository="+url.QueryEscape(name))
	}
	add("the name of the repository", "/api/v1/attribution?by=repository&repository=secret")
	add("the name of the repository", "/api/v1/usage?by=repository&repository=secret")
	add("the name of the repository", "/api/v1/audit?repository=secret")
	add("the ID of its checkpoint", "/api/v1/repositories/secret/checkpoints/"+secret.ID(0))
	add("its ID in the other repository", "/api/v1/repositories/shop/checkpoints/"+secret.ID(0))
	add("a path out of the repository", "/api/v1/repositories/shop%2F..%2Fsecret/checkpoints/"+secret.ID(0))
	add("a path out of the repository", "/api/v1/repositories/shop/checkpoints/..%2F..%2Fsecret%2Fcheckpoints%2F"+secret.ID(0))
	add("its page", "/checkpoint/secret/"+secret.ID(0))
	add("its page", "/search?repository=secret")
	add("its page", "/audit?repository=secret")
	// What everything is asked for.
	for _, path := range []string{"/", "/search", "/search?q=secret", "/attribution?by=repository", "/usage?by=repository", "/audit", "/api/v1/repositories", "/api/v1/me", "/api/v1/checkpoints?limit=200", "/api/v1/checkpoints?q=secret", "/api/v1/checkpoints?q=-nothing"} {
		add("everything", path)
	}
	// A place to go on from that points into the other repository.
	data := fmt.Sprintf(`{"a":9999999999999,"r":%d,"i":"0"}`, index.Number("secret"))
	add("a forged place to go on from", "/api/v1/checkpoints?after="+base64.RawURLEncoding.EncodeToString([]byte(data)))
	// SQL in every field.
	fields := []string{"q", "author", "agent", "team", "branch", "path", "since", "until", "limit", "after", "repository"}
	for i, text := range injections {
		for _, field := range []string{fields[i%len(fields)], fields[(i+5)%len(fields)]} {
			add("SQL in "+field, "/api/v1/checkpoints?"+field+"="+url.QueryEscape(text))
		}
	}
	for i, field := range []string{"by", "repository", "path", "team", "author", "agent", "since", "until"} {
		add("SQL in "+field, "/api/v1/attribution?"+field+"="+url.QueryEscape(injections[i]))
		add("SQL in "+field, "/api/v1/usage?"+field+"="+url.QueryEscape(injections[i+2]))
	}
	add("SQL in the path", "/api/v1/repositories/"+url.PathEscape(injections[0])+"/checkpoints/"+url.PathEscape(injections[1]))
	add("SQL in an audit", "/api/v1/audit?repository="+url.QueryEscape(injections[4]))
	return append(list, forged(s)...)
}

// forged are requests with tokens and cookies that nobody was given.
func forged(s *hubtest.Server) []attempt {
	other, _ := access.NewToken()
	_, sum := access.TokenOf("hubtest all")
	all := "/api/v1/checkpoints?limit=200"
	list := []attempt{
		{"no scheme", all, "-", http.Header{"Authorization": {s.Tokens["secret"]}}},
		{"another scheme", all, "-", http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("all:"+s.Tokens["all"]))}}},
		{"a token in the address", all + "&token=" + s.Tokens["all"], "-", nil},
		{"a cookie of a session", all, "-", http.Header{"Cookie": {"entire_hub_session=" + base64.RawURLEncoding.EncodeToString([]byte(`{"n":"entire_hub_session","e":9999999999,"v":{"s":"x","g":["admins"]}}`))}}},
		{"a cookie with another's hash", all, "-", http.Header{"Cookie": {"entire_hub_token=" + sum}}},
		{"headers of a proxy", all, "", http.Header{"X-Forwarded-User": {"admin"}, "X-Remote-User": {"all"}, "X-Forwarded-For": {"127.0.0.1"}}},
		{"another host", all, "", http.Header{"X-Forwarded-Host": {"secret"}}},
	}
	for _, token := range []string{other, "eht_", sum, s.Tokens["secret"] + "x", s.Tokens["secret"][:20], strings.ToUpper(s.Tokens["secret"]), "hubtest all", "' OR '1'='1", "eht_' OR 1=1 --", "null", strings.Repeat("eht_", 5000)} {
		list = append(list, attempt{"a forged token", all, token, nil})
	}
	return list
}

// TestTenancy: whoever may read one repository sees nothing of another one, whatever they try.
func TestTenancy(t *testing.T) {
	databases(t, func(t *testing.T, o hubtest.Options) {
		s, shop, secret := two(t, o)
		marks := []string{`"repository":"secret"`, `"name":"secret"`, "ticket1 secret", "session-secret", "/checkpoint/secret/", ">secret<", "the hub failed"}
		for i := range secret.Count() {
			marks = append(marks, `"id":"`+secret.ID(i)+`"`)
		}
		list := attempts(s, shop, secret)
		for _, a := range list {
			r, err := http.NewRequest(http.MethodGet, s.URL+a.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			switch a.token {
			case "":
				r.Header.Set("Authorization", "Bearer "+s.Tokens["shop"])
			case "-":
			default:
				r.Header.Set("Authorization", "Bearer "+a.token)
			}
			maps.Copy(r.Header, a.header)
			status, body := s.Do(r)
			for _, mark := range marks {
				if strings.Contains(body, mark) {
					t.Errorf("%s: %s tells %q", a.what, a.path, mark)
				}
			}
			if status >= 500 {
				t.Errorf("%s: %s: %d %s", a.what, a.path, status, body)
			}
		}
		if len(list) < 50 {
			t.Errorf("only %d attempts", len(list))
		}
		t.Logf("%d attempts, all refused", len(list))
		// The same marks are there for who may read it, so the test could fail.
		if _, body := s.Get(s.Tokens["secret"], "/api/v1/checkpoints?limit=200"); !strings.Contains(body, marks[0]) || !strings.Contains(body, marks[len(marks)-1]) {
			t.Errorf("the reader of secret sees %s", body)
		}
		// Forbidden and missing are told alike.
		_, a := s.Get(s.Tokens["shop"], "/api/v1/checkpoints?repository=secret")
		_, b := s.Get(s.Tokens["shop"], "/api/v1/checkpoints?repository=absent")
		if strings.ReplaceAll(a, "secret", "absent") != b {
			t.Errorf("forbidden: %s, missing: %s", a, b)
		}
	})
}

// TestNobody: without a token there is nothing but the way in.
func TestNobody(t *testing.T) {
	s, shop, _ := two(t, hubtest.Options{})
	for _, q := range questions(shop) {
		if status, body := s.Get("", q); status != http.StatusUnauthorized || strings.Contains(body, "shop") && !strings.Contains(q, "shop") {
			t.Errorf("%s: %d %s", q, status, body)
		}
	}
	for _, page := range []string{"/", "/search", "/attribution", "/usage", "/audit", "/checkpoint/shop/" + shop.ID(0), "/metrics"} {
		if status, _ := s.Get("", page); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", page, status)
		}
	}
}
