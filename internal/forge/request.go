package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"entire/internal/durable"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is what a forge answered.
type answer struct {
	body   []byte
	header http.Header
}

// refusedError is an answer that asking again does not change.
type refusedError struct {
	doing, text string
	status      int
}

func (e *refusedError) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.doing, e.status, http.StatusText(e.status))
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

// Is makes a refusedError an ErrRefused if a better token would help. A forge calls what a token may not see
// not found.
func (e *refusedError) Is(target error) bool {
	return target == ErrRefused && (e.status == http.StatusUnauthorized || e.status == http.StatusForbidden || e.status == http.StatusNotFound)
}

// unsureError says that a request may have written a comment, or not: its answer did not arrive.
type unsureError struct{ error }

func (e *unsureError) Unwrap() error { return e.error }

// ask sends a request, again if the forge is busy or cannot be reached. It does not repeat a POST.
func (t *Thread) ask(ctx context.Context, method, address string, content any, doing string) (answer, error) {
	var data []byte
	if content != nil {
		var err error
		if data, err = json.Marshal(content); err != nil {
			return answer{}, fmt.Errorf("%s: %w", doing, err)
		}
	}
	wait := firstPause
	for try := 1; ; try++ {
		a, after, err := t.once(ctx, method, address, data, doing)
		if after < 0 || err == nil {
			return a, err
		}
		if method == http.MethodPost {
			return a, &unsureError{err}
		}
		if try == tries {
			return a, fmt.Errorf("%w (tried %d times)", err, tries)
		}
		if after == 0 {
			after = wait
			wait *= 2
		}
		if err := durable.Pause(ctx, after); err != nil {
			return a, err
		}
	}
}

// once sends a request. after is negative if asking again is of no use, and how long the forge asks to wait.
func (t *Thread) once(ctx context.Context, method, address string, data []byte, doing string) (a answer, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(data))
	if err != nil {
		return a, -1, fmt.Errorf("%s: %s", doing, t.hide(err.Error()))
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "entire")
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	t.authorise(req.Header)
	res, err := t.client().Do(req)
	if errors.Is(err, errRedirected) {
		return a, -1, fmt.Errorf("%s: %w", doing, errRedirected)
	}
	if err != nil {
		return a, 0, fmt.Errorf("%s: %s", doing, t.hide(err.Error()))
	}
	defer res.Body.Close()
	a.header = res.Header
	if a.body, err = io.ReadAll(io.LimitReader(res.Body, answerMost+1)); err != nil {
		return a, 0, fmt.Errorf("%s: %s", doing, t.hide(err.Error()))
	}
	switch {
	case len(a.body) > answerMost:
		return a, -1, fmt.Errorf("%s: the answer is longer than %d bytes", doing, answerMost)
	case res.StatusCode/100 == 2:
		return a, -1, nil
	case method == http.MethodDelete && res.StatusCode == http.StatusNotFound:
		return a, -1, nil
	}
	err = &refusedError{doing, t.hide(said(a.body)), res.StatusCode}
	if wait, asked := askedToWait(res); asked || res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests {
		return a, wait, err
	}
	return a, -1, err
}

// askedToWait returns how long a forge asks to wait.
func askedToWait(res *http.Response) (time.Duration, bool) {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0, false
	}
	return min(max(time.Duration(seconds)*time.Second, time.Millisecond), longest), true
}

// said returns what an answer says of an error, in a line.
func said(body []byte) string {
	var told struct {
		Message any    `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(body, &told) != nil {
		return ""
	}
	text := told.Error
	if told.Message != nil {
		text = fmt.Sprint(told.Message)
	}
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 300)]
}

func (t *Thread) authorise(h http.Header) {
	switch {
	case t.Kind == GitLab && t.OfJob:
		h.Set("JOB-TOKEN", t.Token)
	case t.Kind == GitLab:
		h.Set("PRIVATE-TOKEN", t.Token)
	case t.Kind == Gitea:
		h.Set("Authorization", "token "+t.Token)
	default:
		h.Set("Authorization", "Bearer "+t.Token)
		h.Set("X-GitHub-Api-Version", "2022-11-28")
		h.Set("Accept", "application/vnd.github+json")
	}
}

// hide takes the token out of a text.
func (t *Thread) hide(text string) string {
	if t.Token == "" {
		return text
	}
	return strings.ReplaceAll(text, t.Token, "[token]")
}

var errRedirected = errors.New("the forge redirects, which is not followed")

// client returns the client, which follows no redirection: the token would go along.
func (t *Thread) client() *http.Client {
	if t.Client == nil {
		t.Client = &http.Client{}
	}
	t.Client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errRedirected
	}
	return t.Client
}
