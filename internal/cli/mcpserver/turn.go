package mcpserver

import (
	"context"
	"slices"

	"entire/agent"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

// A turn may be a whole session of an agent that works alone. reach is how far from a hit messages still
// belong to it, and turnRead how many are read.
const (
	reach    = 8
	turnRead = 2*reach + 1
)

// A group is the hits of one turn that are near each other, the best first, with what was asked and how that
// ended.
type group struct {
	hits       []searchlib.Hit
	prompt     *sessionlib.NumberedEntry // nil if it was not read, and for a hit that is no message
	end        *sessionlib.NumberedEntry // the agent's last words nearby; nil likewise
	from, last int                       // the turn's first and last message nearby
}

// groups joins the hits of one turn, in the order of the best of each.
func (t *tools) groups(ctx context.Context, l *sessionlib.Library, hits []searchlib.Hit) (list []group, err error) {
	here, err := l.Here(ctx) // once for all hits: it asks git
	if err != nil {
		return nil, err
	}
	err = l.Hold(func() error {
		list, err = t.groupsOf(ctx, l, here, hits)
		return err
	})
	return list, err
}

func (t *tools) groupsOf(ctx context.Context, l *sessionlib.Library, here []sessionlib.ListedSession, hits []searchlib.Hit) (list []group, err error) {
	for _, h := range hits {
		if h.Kind != "message" {
			list = append(list, group{hits: []searchlib.Hit{h}})
			continue
		}
		at := slices.IndexFunc(list, func(g group) bool {
			return g.hits[0].SessionID == h.SessionID && g.from <= h.Message && h.Message <= g.last
		})
		if at >= 0 {
			list[at].hits = append(list[at].hits, h)
			continue
		}
		s, err := l.FindAmong(ctx, here, h.SessionID)
		if err != nil {
			return nil, err
		}
		part, _, err := t.part.Part(ctx, l, s, h.Message, turnRead)
		if err != nil {
			return nil, err
		}
		list = append(list, turnOf(h, part))
	}
	return list, nil
}

// turnOf returns the group of a hit, given the messages around it.
func turnOf(h searchlib.Hit, part []sessionlib.NumberedEntry) group {
	g := group{hits: []searchlib.Hit{h}, from: h.Message, last: h.Message}
	at := slices.IndexFunc(part, func(e sessionlib.NumberedEntry) bool { return e.Number == h.Message })
	if at < 0 {
		return g
	}
	first, last := at, at
	for first > max(at-reach, 0) && !isPrompt(part[first]) {
		first--
	}
	for last+1 < min(at+reach+1, len(part)) && !isPrompt(part[last+1]) {
		last++
	}
	g.from, g.last = part[first].Number, part[last].Number
	if isPrompt(part[first]) {
		g.prompt = &part[first]
	}
	end := last
	for end > first && (part[end].Role != agent.RoleAssistant || part[end].Content == "") {
		end--
	}
	if end > first {
		g.end = &part[end]
	}
	return g
}

// isPrompt reports whether a person typed a message.
func isPrompt(e sessionlib.NumberedEntry) bool {
	return e.Role == agent.RoleUser && !e.Injected && e.ToolCallID == "" && e.Content != ""
}
