package settings

import (
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Matcher returns the named tools, with more if all, as a matcher, "" for none.
func Matcher(named, more []string, all bool) string {
	list := slices.Clone(named)
	if all {
		list = append(list, more...)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "|")
}

// InstallTools updates the hooks around calls of tools to these, each with its matcher, "" for no hook: it
// removes those with another matcher and keeps correct ones. It returns the number of changes.
func (t Table) InstallTools(text []byte, opts agent.InstallOptions, hooks ...Hook) ([]byte, int, error) {
	changes := 0
	for _, h := range hooks {
		command := t.Command(opts, h)
		there, err := t.PlacesOf(text, h.Event, h.Verb)
		if err != nil {
			return nil, 0, err
		}
		want := [][2]string{{h.Matcher, command}}
		if h.Matcher == "" {
			want = nil
		}
		if slices.Equal(there, want) {
			continue
		}
		if len(there) > 0 {
			if text, err = t.removeTool(text, h.Verb); err != nil {
				return nil, 0, err
			}
		}
		if h.Matcher == "" {
			changes++ // a removal counts as a change
			continue
		}
		out, did, err := t.add(text, h, command)
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			changes++
		}
	}
	return text, changes, nil
}

// PlacesOf returns the matchers and commands of our hooks with a verb.
func (t Table) PlacesOf(text []byte, event, verb string) ([][2]string, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	hooks, _ := root.Member("hooks")
	groups, _ := hooks.Member(event)
	var out [][2]string
	for _, g := range groups.Items {
		for _, command := range CommandsOf(text, g.Value) {
			if t.hasVerb(command, verb) {
				out = append(out, [2]string{MatcherOf(text, g.Value), command})
			}
		}
	}
	return out, nil
}

func (t Table) hasVerb(command, verb string) bool {
	return t.isOurs(command) && strings.HasSuffix(command, " "+t.words(verb))
}

// removeTool removes our hooks with a verb and keeps our other ones.
func (t Table) removeTool(text []byte, verb string) ([]byte, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	e, removed := &jsontext.Eraser{Text: text}, 0
	e.Items(root, func(i int, it jsontext.TextItem) bool {
		return i == root.Index(it.Key) && it.Key == "hooks" &&
			Hooks(e, it.Value, func(command string) bool { return t.hasVerb(command, verb) }, &removed)
	})
	return e.Result(), nil
}
