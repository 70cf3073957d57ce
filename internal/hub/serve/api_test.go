//go:build unix

package serve_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"entire/internal/hub/api"
	"entire/internal/hub/hubtest"
)

// questions are addresses of the API that have an answer.
func questions(shop *hubtest.Repository) []string {
	return []string{
		"/api/v1/me", "/api/v1/repositories", "/api/v1/checkpoints", "/api/v1/checkpoints?limit=7", "/api/v1/checkpoints?q=invoice", "/api/v1/checkpoints?q=%22fix+search%22+-docs",
		"/api/v1/checkpoints?q=ticket7", "/api/v1/checkpoints?repository=shop", "/api/v1/checkpoints?repository=shop,secret&limit=200", "/api/v1/checkpoints?agent=Codex", "/api/v1/checkpoints?team=web",
		"/api/v1/checkpoints?branch=main&limit=3", "/api/v1/checkpoints?path=docs/", "/api/v1/checkpoints?path=docs/file1.go", "/api/v1/checkpoints?since=2026-01-05&until=2026-01-05",
		"/api/v1/repositories/shop/checkpoints/" + shop.ID(0), "/api/v1/repositories/shop/checkpoints/" + shop.ID(10),
		"/api/v1/attribution", "/api/v1/attribution?by=path&path=services", "/api/v1/attribution?by=path&path=services/pay/api", "/api/v1/attribution?by=team", "/api/v1/attribution?by=repository",
		"/api/v1/attribution?by=author", "/api/v1/attribution?by=agent", "/api/v1/attribution?by=month&since=2026-01&until=2026-02", "/api/v1/attribution?team=web",
		"/api/v1/usage", "/api/v1/usage?by=day&since=2026-01-05", "/api/v1/usage?by=author", "/api/v1/usage?by=team", "/api/v1/usage?by=agent", "/api/v1/usage?by=model", "/api/v1/usage?by=repository&until=2026-02",
		"/api/v1/audit", "/api/v1/audit?repository=shop",
	}
}

// mistakes are addresses that are refused.
var mistakes = map[string]int{
	"/api/v1/checkpoints?limit=0": 400, "/api/v1/checkpoints?limit=201": 400, "/api/v1/checkpoints?limit=x": 400, "/api/v1/checkpoints?colour=red": 400, "/api/v1/checkpoints?q=a&q=b": 400,
	"/api/v1/checkpoints?after=zzz": 400, "/api/v1/checkpoints?since=yesterday": 400, "/api/v1/checkpoints?q=%00": 400, "/api/v1/checkpoints?q=%ff": 400, "/api/v1/checkpoints?q=%zz": 400,
	"/api/v1/checkpoints?repository=none": 404, "/api/v1/repositories/shop/checkpoints/000000000000": 404, "/api/v1/repositories/shop/checkpoints/x": 404, "/api/v1/repositories/none/checkpoints/000000000000": 404,
	"/api/v1/attribution?by=colour": 400, "/api/v1/attribution?by=author&path=x": 400, "/api/v1/usage?by=colour": 400, "/api/v1/usage?by=day&team=web": 400, "/api/v1/usage?since=2026": 400,
	"/api/v1/nothing": 404, "/api/v2/me": 404, "/api/v1/me?x=1": 400,
}

// TestAnswersAreAsDescribed: every answer, and every refusal, has the form that the OpenAPI document says, and every
// operation of the document is asked.
func TestAnswersAreAsDescribed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Document())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	databases(t, func(t *testing.T, o hubtest.Options) {
		s, shop, _ := two(t, o)
		asked := map[string]bool{}
		for _, q := range questions(shop) {
			status, body := s.Get(s.Tokens["all"], q)
			if status != http.StatusOK {
				t.Errorf("%s: %d %s", q, status, body)
				continue
			}
			r, err := http.NewRequest(http.MethodGet, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			route, params, err := router.FindRoute(r)
			if err != nil {
				t.Errorf("%s: %v", q, err)
				continue
			}
			asked[route.Operation.OperationID] = true
			in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
			if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
				t.Errorf("%s: %v", q, err)
			}
			out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewBufferString(body))}
			if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
				t.Errorf("%s: %v", q, err)
			}
		}
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				if !asked[op.OperationID] {
					t.Errorf("nothing asks %s %s", method, path)
				}
			}
		}
		for q, want := range mistakes {
			if status, body := s.Get(s.Tokens["all"], q); status != want || !strings.Contains(body, `"detail"`) {
				t.Errorf("%s: %d %s, not %d", q, status, body, want)
			}
		}
	})
}

// TestPagesGoOn: following next leads through every checkpoint once.
func TestPagesGoOn(t *testing.T) {
	databases(t, func(t *testing.T, o hubtest.Options) {
		s, _, _ := two(t, o)
		seen, next := map[string]bool{}, ""
		for range 100 {
			var got api.Checkpoints
			decode(t, s, "/api/v1/checkpoints?limit=7"+next, &got)
			for _, c := range got.Checkpoints {
				if seen[c.Repository+c.ID] {
					t.Errorf("%s is listed twice", c.ID)
				}
				seen[c.Repository+c.ID] = true
			}
			if got.Next == "" {
				break
			}
			next = "&after=" + got.Next
		}
		if len(seen) != 100 {
			t.Errorf("%d checkpoints", len(seen))
		}
	})
}
