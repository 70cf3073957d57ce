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
		out, did, err := t.update(text, opts, h, h.Matcher != "")
		if err != nil {
			return nil, 0, err
		}
		text, changes = out, changes+did
	}
	return text, changes, nil
}

// update makes a hook the only one of ours with its verb, or, if it is not wanted, removes ours. It returns
// the number of changes.
func (t Table) update(text []byte, opts agent.InstallOptions, h Hook, wanted bool) ([]byte, int, error) {
	command := t.Command(opts, h)
	there, err := t.PlacesOf(text, h.Event, h.Verb)
	if err != nil {
		return nil, 0, err
	}
	var want [][2]string
	if wanted {
		want = [][2]string{{h.Matcher, command}}
	}
	if slices.Equal(there, want) {
		return text, 0, nil
	}
	if len(there) > 0 {
		if text, err = t.removeTool(text, h.Verb); err != nil {
			return nil, 0, err
		}
	}
	if !wanted {
		return text, 1, nil // a removal counts as a change
	}
	out, _, err := t.add(text, h, command)
	return out, 1, err
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
		if command := commandOf(text, g); t.Flat && t.hasVerb(command, verb) {
			out = append(out, [2]string{"", command})
		}
		for _, command := range commandsOf(text, g.Value) {
			if t.hasVerb(command, verb) {
				out = append(out, [2]string{matcherOf(text, g.Value), command})
			}
		}
	}
	return out, nil
}

func (t Table) hasVerb(command, verb string) bool {
	return t.isOurs(command) && strings.HasSuffix(unfiltered(command), " "+t.words(verb))
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
			t.erase(e, it.Value, func(command string) bool { return t.hasVerb(command, verb) }, &removed)
	})
	return e.Result(), nil
}
