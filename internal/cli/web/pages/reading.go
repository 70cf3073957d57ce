package pages

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
	"entire/session"
)

const (
	partMax     = 80 // messages of one page
	promptsMax  = 2000
	readingsMax = 16 // sessions whose places are remembered
)

// A reading is what is known of the log of one session: its places, and the prompts.
type reading struct {
	sessionlib.Places
	prompts []heard
}

// heard is a prompt with the number of its message.
type heard struct {
	Number int    `json:"message"`
	Text   string `json:"prompt"`
}

// readings are those of the sessions that were read last.
type readings struct {
	mu    sync.Mutex
	of    map[string]*reading
	order []string
}

// get returns what is known of a session's log, brought up to date.
func (rs *readings) get(ctx context.Context, store *session.Store, key, id string) (reading, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.of[key+id]
	if r == nil {
		r = &reading{}
	}
	if stale, err := r.Stale(ctx, store, id); err != nil {
		return reading{}, err
	} else if stale {
		r = &reading{}
	}
	next := *r
	if err := next.read(ctx, store, id); err != nil {
		return reading{}, err
	}
	rs.keep(key+id, &next)
	return next, nil
}

func (rs *readings) keep(key string, r *reading) {
	if rs.of == nil {
		rs.of = map[string]*reading{}
	}
	rs.of[key] = r
	rs.order = append(slices.DeleteFunc(rs.order, func(k string) bool { return k == key }), key)
	if len(rs.order) > readingsMax {
		delete(rs.of, rs.order[0])
		rs.order = rs.order[1:]
	}
}

// read reads what the log has got since.
func (r *reading) read(ctx context.Context, store *session.Store, id string) error {
	return r.Follow(ctx, store, id, func(line sessionlib.NumberedLine) {
		if len(r.prompts) < promptsMax && gjson.GetBytes(line.Data, "role").Str == agent.RoleUser {
			var m session.Message
			if json.Unmarshal(line.Data, &m) == nil && m.IsPrompt() {
				r.prompts = append(slices.Clip(r.prompts), heard{line.Number, agent.ShortPrompt(m.Content, 120)})
			}
		}
	})
}

// part returns the messages from number from on, at most n of them.
func (r reading) part(ctx context.Context, store *session.Store, id string, from, n int) (out []view.Said, err error) {
	for line, err := range r.From(ctx, store, id, from) {
		if err != nil {
			return nil, err
		}
		if len(out) == n {
			break
		}
		out = append(out, said(line.Number, line.LogLine))
	}
	return out, nil
}

func said(number int, line session.LogLine) view.Said {
	m := view.Said{Number: number}
	if err := json.Unmarshal(line.Data, &m.SaidEntry.Message); err != nil {
		m.Bad = "this message is damaged"
	}
	m.Rewound = line.Rewound
	return m
}

// find returns the messages that contain a text, whatever the case of its letters, at most n of them.
func (r reading) find(ctx context.Context, store *session.Store, id, text string, n int) (found []heard, more bool, err error) {
	number := 0
	for line, err := range store.LogFrom(ctx, id, 0) {
		if err != nil {
			return nil, false, err
		}
		number++
		m := said(number, line)
		hit, ok := holds(m, text)
		if !ok {
			continue
		}
		if len(found) == n {
			return found, true, nil
		}
		found = append(found, heard{number, hit})
	}
	return found, false, nil
}

// holds returns what is around a text in a message.
func holds(m view.Said, text string) (around string, ok bool) {
	for _, said := range append([]string{m.Content}, callTexts(m)...) {
		if i := strings.Index(strings.ToLower(said), strings.ToLower(text)); i >= 0 && i <= len(said) {
			from, to := max(i-60, 0), min(i+len(text)+100, len(said))
			around = strings.ToValidUTF8(said[from:to], "")
			if from > 0 {
				around = "… " + around
			}
			return around, true
		}
	}
	return "", false
}

func callTexts(m view.Said) (out []string) {
	for _, c := range m.ToolCalls {
		out = append(out, sessionlib.CallLine(c), view.InputText(c.Input))
	}
	return out
}

// walked is reading for a conversation that the store does not have: all of it is read each time.
func walked(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, do func(view.Said) bool) error {
	number := 0
	for m, err := range l.Entries(ctx, s, true) {
		number++
		one := view.Said{Number: number, SaidEntry: m}
		if bad := sessionlib.BadLine(err); bad != nil {
			one.Bad = "this message is damaged"
		} else if err != nil {
			return err
		}
		if !do(one) {
			return nil
		}
	}
	return nil
}
