package forge

import (
	"context"
	"entire/internal/durable"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Thread is the comments of a pull request. All fields but Client are needed; a nil Client means one with
// time limits.
type Thread struct {
	Kind    Kind
	API     string // as in https://api.github.com or https://gitlab.com/api/v4
	Project string // owner/name, or the ID of GitLab's project
	Number  int
	Token   string
	OfJob   bool // Token is GitLab's own token of a job
	Client  *http.Client
}

// Outcome is what Keep did.
type Outcome struct {
	Did     string // created, updated or unchanged
	URL     string // of the comment, "" if the forge does not say
	Removed int    // further comments of ours with the mark
}

// ErrRefused is in the error of a token that may not do what was asked.
var ErrRefused = errors.New("the token does not permit it")

const (
	tries      = 4
	firstPause = 500 * time.Millisecond
	longest    = 30 * time.Second // that is waited because the forge asks for it
	timeLimit  = 30 * time.Second // of one request
	pageSize   = 100
	pagesMost  = 100
	answerMost = 64 << 20 // bytes of a page of comments
)

// note is a comment of the thread.
type note struct {
	id        int64
	body, url string
	mine      bool
}

// Keep makes body, which begins with mark, the one comment of ours with that mark: it changes the comment
// that there is, writes one if there is none, and does nothing if the comment says so already. It deletes
// further ones of ours, and touches no comment of others.
func (t *Thread) Keep(ctx context.Context, mark, body string) (Outcome, error) {
	if !strings.HasPrefix(body, mark) || mark == "" {
		return Outcome{}, errors.New("the comment does not begin with its mark")
	}
	for try := 1; ; try++ {
		own, err := t.own(ctx, mark)
		if err != nil {
			return Outcome{}, err
		}
		out, err := t.put(ctx, own, body)
		var unsure *unsureError
		if !errors.As(err, &unsure) || try == tries {
			return out, err
		}
		if err := durable.Pause(ctx, firstPause<<try); err != nil { // then look whether the comment is there
			return Outcome{}, err
		}
	}
}

// put writes the body into the first comment, or into a new one, and deletes the others.
func (t *Thread) put(ctx context.Context, own []note, body string) (Outcome, error) {
	if len(own) == 0 {
		url, err := t.create(ctx, body)
		return Outcome{Did: "created", URL: url}, err
	}
	out := Outcome{Did: "unchanged", URL: own[0].url}
	if same(own[0].body) != same(body) {
		out.Did = "updated"
		if err := t.update(ctx, own[0].id, body); err != nil {
			return out, err
		}
	}
	for _, n := range own[1:] {
		if err := t.remove(ctx, n.id); err != nil {
			return out, err
		}
		out.Removed++
	}
	return out, nil
}

// same returns a body without what a forge changes when it stores it.
func same(body string) string {
	return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// own returns our comments that begin with the mark, the oldest first.
func (t *Thread) own(ctx context.Context, mark string) ([]note, error) {
	all, err := t.list(ctx)
	if err != nil {
		return nil, err
	}
	var out []note
	for _, n := range all {
		if n.mine && strings.HasPrefix(strings.TrimSpace(n.body), mark) {
			out = append(out, n)
		}
	}
	return out, nil
}

// name says what the thread is, for errors.
func (t *Thread) name() string {
	if t.Kind == GitLab {
		return fmt.Sprintf("merge request %d", t.Number)
	}
	return fmt.Sprintf("pull request %d", t.Number)
}
