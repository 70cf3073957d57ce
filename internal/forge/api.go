package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// comment is a comment as the forges write it: GitHub and Gitea have user, GitLab has author and system.
type comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
	} `json:"user"`
	Author struct {
		ID int64 `json:"id"`
	} `json:"author"`
	System bool `json:"system"`
}

// threadPath returns the path of the thread's comments, and the one below which a single comment is.
func (t *Thread) threadPath() (list, single string) {
	if t.Kind == GitLab {
		list = fmt.Sprintf("/projects/%s/merge_requests/%d/notes", url.PathEscape(t.Project), t.Number)
		return list, list
	}
	owner, name, _ := strings.Cut(t.Project, "/")
	repo := "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)
	return fmt.Sprintf("%s/issues/%d/comments", repo, t.Number), repo + "/issues/comments"
}

// list returns the thread's comments, the oldest first.
func (t *Thread) list(ctx context.Context) ([]note, error) {
	me, err := t.me(ctx)
	if err != nil {
		return nil, err
	}
	path, _ := t.threadPath()
	query := fmt.Sprintf("?per_page=%d", pageSize)
	if t.Kind == GitLab {
		query += "&sort=asc&order_by=created_at"
	}
	var out []note
	next := t.API + path + query
	for page := 0; next != ""; page++ {
		if page == pagesMost {
			return nil, fmt.Errorf("list the comments of %s: more than %d", t.name(), pageSize*pagesMost)
		}
		a, err := t.ask(ctx, http.MethodGet, next, nil, "list the comments of "+t.name())
		if err != nil {
			return nil, err
		}
		var list []comment
		if err := json.Unmarshal(a.body, &list); err != nil {
			return nil, fmt.Errorf("list the comments of %s: the answer is not a list: %w", t.name(), err)
		}
		for _, c := range list {
			out = append(out, note{id: c.ID, body: c.Body, url: c.URL, mine: !c.System && me.wrote(c)})
		}
		if next, err = t.nextPage(next, a.header); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// nextPage returns the address of the next page, "" after the last. It follows no link to another host.
func (t *Thread) nextPage(now string, h http.Header) (string, error) {
	if number := h.Get("X-Next-Page"); t.Kind == GitLab && number != "" {
		before, _, _ := strings.Cut(now, "&page=")
		return before + "&page=" + url.QueryEscape(number), nil
	}
	for link := range strings.SplitSeq(h.Get("Link"), ",") {
		address, rel, _ := strings.Cut(link, ";")
		if !strings.Contains(rel, `rel="next"`) {
			continue
		}
		address = strings.Trim(strings.TrimSpace(address), "<>")
		at, err := url.Parse(address)
		here, _ := url.Parse(now)
		if err != nil || at.Host != here.Host || at.Scheme != here.Scheme || address == now {
			return "", fmt.Errorf("list the comments of %s: the next page is at another host", t.name())
		}
		return address, nil
	}
	return "", nil
}

// identity is whom the token belongs to.
type identity struct {
	id   int64
	bots bool // an app's token, which may not ask: its comments are a bot's
}

func (i identity) wrote(c comment) bool {
	if i.bots {
		return c.User.Type == "Bot"
	}
	return i.id != 0 && (c.User.ID == i.id || c.Author.ID == i.id)
}

// me asks whom the token belongs to. The token of a job of GitHub may not ask that.
func (t *Thread) me(ctx context.Context) (identity, error) {
	a, err := t.ask(ctx, http.MethodGet, t.API+"/user", nil, "ask whose the token is")
	var refused *refusedError
	switch {
	case errors.As(err, &refused) && refused.status != http.StatusUnauthorized && t.Kind == GitHub:
		return identity{bots: true}, nil
	case err != nil:
		return identity{}, err
	}
	var user struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(a.body, &user); err != nil || user.ID == 0 {
		return identity{}, errors.New("ask whose the token is: the answer names no user")
	}
	return identity{id: user.ID}, nil
}

// create writes a comment and returns its page.
func (t *Thread) create(ctx context.Context, body string) (string, error) {
	path, _ := t.threadPath()
	a, err := t.ask(ctx, http.MethodPost, t.API+path, map[string]string{"body": body}, "comment on "+t.name())
	if err != nil {
		return "", err
	}
	var c comment
	_ = json.Unmarshal(a.body, &c) // the comment is there, whatever the answer says of it
	return c.URL, nil
}

func (t *Thread) update(ctx context.Context, id int64, body string) error {
	method := http.MethodPatch
	if t.Kind == GitLab {
		method = http.MethodPut
	}
	_, single := t.threadPath()
	_, err := t.ask(ctx, method, fmt.Sprintf("%s%s/%d", t.API, single, id), map[string]string{"body": body}, "change the comment on "+t.name())
	return err
}

func (t *Thread) remove(ctx context.Context, id int64) error {
	_, single := t.threadPath()
	_, err := t.ask(ctx, http.MethodDelete, fmt.Sprintf("%s%s/%d", t.API, single, id), nil, "delete an older comment on "+t.name())
	return err
}
