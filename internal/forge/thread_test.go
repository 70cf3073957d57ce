package forge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"entire/internal/forge"
	"entire/internal/forge/forgetest"
)

const mark = "<!-- a mark -->"

// threads returns the pull request of a server at each kind of forge.
func threads(s *forgetest.Server) []forge.Thread {
	return []forge.Thread{
		{Kind: forge.GitHub, API: s.GitHub(), Project: "ann/app", Number: 12, Token: "token-of-ann"},
		{Kind: forge.GitHub, API: s.GitHub(), Project: "ann/app", Number: 12, Token: "token-of-job"},
		{Kind: forge.Gitea, API: s.Gitea(), Project: "ann/app", Number: 12, Token: "token-of-ann"},
		{Kind: forge.GitLab, API: s.GitLab(), Project: "34", Number: 12, Token: "token-of-ann"},
	}
}

// each runs a test with a server for each kind of forge and token.
func each(t *testing.T, test func(t *testing.T, s *forgetest.Server, thread forge.Thread)) {
	for i := range 4 {
		s := forgetest.New(t)
		thread := threads(s)[i]
		t.Run(fmt.Sprint(thread.Kind, " ", thread.Token), func(t *testing.T) { test(t, s, thread) })
	}
}

func did(t *testing.T, thread forge.Thread, body string) forge.Outcome {
	t.Helper()
	out, err := thread.Keep(t.Context(), mark, mark+body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// One comment is written, changed, and left alone if nothing changed; it is found on a later page, and
// comments of others stay, with the mark or without.
func TestKeep(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Server, thread forge.Thread) {
		s.PageMost = 3
		s.Add(forgetest.Comment{User: 9, Body: mark + " of somebody else"})
		for i := range 7 {
			s.Add(forgetest.Comment{User: 9, Body: fmt.Sprint("chat ", i)})
		}
		s.Add(forgetest.Comment{User: 1, Body: "see " + mark}, forgetest.Comment{User: 2, Bot: true, Body: "see " + mark})
		if out := did(t, thread, " one"); out.Did != "created" {
			t.Errorf("%+v", out)
		}
		if out := did(t, thread, " one\n"); out.Did != "unchanged" {
			t.Errorf("%+v", out)
		}
		s.Add(forgetest.Comment{User: 9, Body: "more chat"})
		if out := did(t, thread, " two"); out.Did != "updated" {
			t.Errorf("%+v", out)
		}
		if n := len(s.Writes()); n != 2 {
			t.Errorf("%d requests that write", n)
		}
		list := s.Comments()
		if len(list) != 12 || list[10].Body != mark+" two" || list[0].Body != mark+" of somebody else" {
			t.Errorf("%+v", list)
		}
	})
}

// Two jobs at the same time leave two comments; the next run leaves one.
func TestKeepDeletesFurtherOnes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Server, thread forge.Thread) {
		did(t, thread, " one")
		first := s.Comments()[0]
		s.Add(first, first)
		if out := did(t, thread, " two"); out.Removed != 2 || len(s.Comments()) != 1 || s.Comments()[0].Body != mark+" two" {
			t.Errorf("%+v, %+v", out, s.Comments())
		}
	})
}

// A forge that is busy is asked again; an answer that got lost does not make a second comment.
func TestKeepTriesAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Server, thread forge.Thread) {
		s.Lose(1)
		if out := did(t, thread, " one"); out.Did != "unchanged" || len(s.Comments()) != 1 {
			t.Errorf("%+v, %+v", out, s.Comments())
		}
		s.Fail(http.StatusServiceUnavailable, http.StatusTooManyRequests)
		if out := did(t, thread, " two"); out.Did != "updated" || s.Comments()[0].Body != mark+" two" {
			t.Errorf("%+v, %+v", out, s.Comments())
		}
	})
}

// A token that may not write is named as the reason, and is in no error.
func TestKeepRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Server, thread forge.Thread) {
		for _, token := range []string{"token-that-reads", "token-of-nobody"} {
			thread.Token = token
			_, err := thread.Keep(t.Context(), mark, mark)
			if !errors.Is(err, forge.ErrRefused) || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "40") {
				t.Errorf("%s: %v", token, err)
			}
		}
		thread.Token = "token-of-ann"
		if _, err := thread.Keep(t.Context(), mark, mark+strings.Repeat("x", 70_000)); err == nil || errors.Is(err, forge.ErrRefused) {
			t.Errorf("a comment that is too long: %v", err)
		}
		if len(s.Comments()) != 0 {
			t.Error("a comment is there")
		}
	})
}

// The token goes to no other host: not by a redirection, not by the link to the next page.
func TestTheTokenStays(t *testing.T) {
	t.Parallel()
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.URL.Path) }))
	defer other.Close()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/user"):
			fmt.Fprint(w, `{"id": 1}`)
		case r.URL.Query().Get("page") == "" && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/one/"):
			w.Header().Set("Link", "<"+other.URL+"/stolen>; rel=\"next\"")
			fmt.Fprint(w, `[]`)
		default:
			http.Redirect(w, r, other.URL+"/stolen", http.StatusTemporaryRedirect)
		}
	}))
	defer evil.Close()
	for _, project := range []string{"ann/one", "ann/two"} {
		thread := forge.Thread{Kind: forge.GitHub, API: evil.URL, Project: project, Number: 1, Token: "token-of-ann"}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := thread.Keep(ctx, mark, mark); err == nil || strings.Contains(err.Error(), "token-of-ann") {
			t.Errorf("%s: %v", project, err)
		}
		cancel()
	}
	if len(got) > 0 {
		t.Errorf("the other host was asked for %q", got)
	}
}
