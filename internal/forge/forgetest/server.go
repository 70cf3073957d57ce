// Package forgetest stands in for the comments of GitHub, Gitea and GitLab: the endpoints that their
// documentation describes, with pages, users and refusals, on a real HTTP server. It has no use outside of
// tests.
package forgetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Comment is a stored comment.
type Comment struct {
	ID   int64
	User int64
	Bot  bool
	Body string
}

// Request is a request that the server got.
type Request struct{ Method, Path, Body string }

// Server is a forge with one pull request, number 12, of the project ann/app (GitLab: the project 34). Its
// users: 1 owns the token "token-of-ann", 2 is the app of GitHub's token "token-of-job", which may not ask
// who it is; the token "token-that-reads" may only read.
type Server struct {
	*httptest.Server
	PageMost int // of a page; 0 is what the request asks for

	mu       sync.Mutex
	comments []Comment
	next     int64
	requests []Request
	fail     []int // statuses of the next answers to writing requests, which are not carried out
	lose     int   // the number of writing requests that are carried out and then answered with 502
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{next: 100}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Fail makes the next writing requests fail with these statuses.
func (s *Server) Fail(statuses ...int) { s.locked(func() { s.fail = statuses }) }

// Lose makes the server carry out the next n writing requests and answer 502.
func (s *Server) Lose(n int) { s.locked(func() { s.lose = n }) }

// Add adds comments.
func (s *Server) Add(list ...Comment) {
	s.locked(func() {
		for _, c := range list {
			s.next++
			c.ID = s.next
			s.comments = append(s.comments, c)
		}
	})
}

// Comments returns the comments, the oldest first.
func (s *Server) Comments() (out []Comment) {
	s.locked(func() { out = slices.Clone(s.comments) })
	return out
}

// Writes returns the requests so far that were to write something.
func (s *Server) Writes() (out []Request) {
	s.locked(func() {
		for _, r := range s.requests {
			if r.Method != http.MethodGet {
				out = append(out, r)
			}
		}
	})
	return out
}

func (s *Server) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// GitHub, Gitea and GitLab are the addresses of the three interfaces.
func (s *Server) GitHub() string { return s.URL + "/github" }
func (s *Server) Gitea() string  { return s.URL + "/gitea/api/v1" }
func (s *Server) GitLab() string { return s.URL + "/gitlab/api/v4" }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, string(body)})
	user, token := s.who(r)
	switch {
	case user == 0:
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	case strings.HasSuffix(r.URL.Path, "/user"):
		if token == "token-of-job" {
			refuse(w, http.StatusForbidden, "Resource not accessible by integration")
			return
		}
		write(w, http.StatusOK, map[string]any{"id": user, "login": "ann", "username": "ann"})
		return
	}
	id, known := s.route(r.URL.EscapedPath())
	switch {
	case !known:
		refuse(w, http.StatusNotFound, "Not Found")
	case r.Method == http.MethodGet && id == 0:
		s.list(w, r)
	case token == "token-that-reads":
		refuse(w, http.StatusForbidden, "Resource not accessible by integration: "+token)
	case len(s.fail) > 0:
		status := s.fail[0]
		s.fail = s.fail[1:]
		refuse(w, status, "try later")
	default:
		s.change(w, r, user, token == "token-of-job", id, body)
	}
}

// who returns the user and the token of a request; 0 if the token is in the wrong place or unknown.
func (s *Server) who(r *http.Request) (int64, string) {
	token := ""
	switch {
	case strings.HasPrefix(r.URL.Path, "/github/"):
		token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	case strings.HasPrefix(r.URL.Path, "/gitea/"):
		token = strings.TrimPrefix(r.Header.Get("Authorization"), "token ")
	default:
		token = r.Header.Get("PRIVATE-TOKEN") // GitLab's token of a job may not use these
	}
	return map[string]int64{"token-of-ann": 1, "token-of-job": 2, "token-that-reads": 1}[token], token
}

// route returns the comment that a path is about, 0 for the list of all.
func (s *Server) route(path string) (int64, bool) {
	if slices.Contains([]string{"/github/repos/ann/app/issues/12/comments", "/gitea/api/v1/repos/ann/app/issues/12/comments", "/gitlab/api/v4/projects/34/merge_requests/12/notes"}, path) {
		return 0, true
	}
	for _, one := range []string{"/github/repos/ann/app/issues/comments/", "/gitea/api/v1/repos/ann/app/issues/comments/", "/gitlab/api/v4/projects/34/merge_requests/12/notes/"} {
		if rest, ok := strings.CutPrefix(path, one); ok {
			id, err := strconv.ParseInt(rest, 10, 64)
			return id, err == nil
		}
	}
	return 0, false
}

// list writes a page of the comments. Gitea has no pages.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if size = min(max(size, 1), 100); s.PageMost > 0 {
		size = min(size, s.PageMost)
	}
	page = max(page, 1)
	all := s.comments
	if strings.HasPrefix(r.URL.Path, "/gitea/") {
		page, size = 1, max(len(all), 1)
	}
	first := min((page-1)*size, len(all))
	last := min(first+size, len(all))
	if last < len(all) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next", <%s>; rel="first"`, s.URL, r.URL.Path, q.Encode(), s.URL))
		w.Header().Set("X-Next-Page", strconv.Itoa(page+1))
	}
	out := []any{}
	for _, c := range all[first:last] {
		out = append(out, s.view(c))
	}
	write(w, http.StatusOK, out)
}

func (s *Server) view(c Comment) map[string]any {
	kind := "User"
	if c.Bot {
		kind = "Bot"
	}
	return map[string]any{"id": c.ID, "body": c.Body, "html_url": fmt.Sprintf("%s/comment/%d", s.URL, c.ID), "system": false,
		"user": map[string]any{"id": c.User, "type": kind}, "author": map[string]any{"id": c.User}}
}

// change creates, changes or deletes a comment.
func (s *Server) change(w http.ResponseWriter, r *http.Request, user int64, bot bool, id int64, body []byte) {
	var content struct {
		Body string `json:"body"`
	}
	verb := map[bool]string{true: http.MethodPut, false: http.MethodPatch}[strings.HasPrefix(r.URL.Path, "/gitlab/")]
	i := slices.IndexFunc(s.comments, func(c Comment) bool { return c.ID == id })
	status, answer := http.StatusOK, any(nil)
	switch {
	case r.Method == http.MethodDelete && i >= 0:
		s.comments = slices.Delete(s.comments, i, i+1)
		status = http.StatusNoContent
	case json.Unmarshal(body, &content) != nil || content.Body == "" || len([]rune(content.Body)) > 65536:
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	case r.Method == http.MethodPost && id == 0:
		s.next++
		s.comments = append(s.comments, Comment{s.next, user, bot, content.Body})
		status, answer = http.StatusCreated, s.view(s.comments[len(s.comments)-1])
	case r.Method == verb && i >= 0:
		s.comments[i].Body = content.Body
		answer = s.view(s.comments[i])
	default:
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if s.lose > 0 {
		s.lose--
		refuse(w, http.StatusBadGateway, "the answer was lost")
		return
	}
	write(w, status, answer)
}

func refuse(w http.ResponseWriter, status int, message string) {
	if status >= 500 || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "0")
	}
	write(w, status, map[string]string{"message": message})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if v != nil {
		_ = json.NewEncoder(w).Encode(v)
	}
}
