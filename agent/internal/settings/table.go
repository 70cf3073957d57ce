package settings

import (
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Hook is one command in an agent's settings: the event that runs it, the matcher of its group, and
// the verb that it passes to this program.
type Hook struct {
	Event, Matcher, Verb string
	// Name is the name of the entry, "" for an entry without one.
	Name string
	// Space is the white space before the entry's command, "" for the usual one.
	Space string
	// Guard says how the hook takes part in the guard.
	Guard Guard
	// Also is a word that the filter lets through, beside what may lose work; "" for none.
	Also string
}

// Table describes the hooks of an agent whose settings list commands by event.
type Table struct {
	Agent agent.AgentName // in the command, `entire hooks <agent> <verb>`
	Hooks []Hook          // in the order in which they are written; those of an event together
	// Stop is the verb at the end of a turn, the most important one. Older are the ends of the commands
	// for it that older versions installed.
	Stop  string
	Older []string
	// Dev is the prefix of commands that run this program from its source tree, "" for LocalDev.
	Dev string
	// Matchers says that every group has a matcher, "" for one that matches everything.
	Matchers bool
	// Flat says that an event has a list of commands, not of groups with a matcher.
	Flat bool
	// UserShell says that the agent runs a command in its user's own shell, which may be any.
	UserShell bool
	// Head are members that a new file begins with.
	Head []jsontext.Render
	// Entry returns a command's entry; nil for {"name":…,"type":"command","command":…}.
	Entry func(command string) jsontext.Render
}

// LocalDev is the prefix of commands that run this program from its source tree.
const LocalDev = "go run ./cmd/entire "

// Command returns the command of a hook.
func (t Table) Command(opts agent.InstallOptions, h Hook) string {
	command := installedPrefix + t.words(h.Verb)
	if opts.LocalDev {
		command = t.dev() + t.words(h.Verb)
	}
	if h.filters(opts) {
		return t.filtered(command, h.Also)
	}
	return command
}

// words are those of a command after the program.
func (t Table) words(verb string) string { return "hooks " + string(t.Agent) + " " + verb }

func (t Table) dev() string {
	if t.Dev == "" {
		return LocalDev
	}
	return t.Dev
}

func (t Table) entry(h Hook, command string) jsontext.Render {
	if t.Entry != nil {
		return t.Entry(command)
	}
	var fields []jsontext.Render
	if h.Name != "" {
		fields = append(fields, jsontext.Field("name", jsontext.Quoted(h.Name)))
	}
	run := jsontext.Field("command", jsontext.Quoted(command))
	if h.Space != "" {
		run = func(jsontext.Style, string) string { return `"command":` + h.Space + jsontext.Quote(command) }
	}
	return jsontext.Object(append(fields, jsontext.Field("type", jsontext.Quoted("command")), run)...)
}

// group returns what an event's list holds for one command.
func (t Table) group(h Hook, command string) jsontext.Render {
	entries := jsontext.Field("hooks", jsontext.Array(t.entry(h, command)))
	switch {
	case t.Flat:
		return t.entry(h, command)
	case h.Matcher == "" && !t.Matchers:
		return jsontext.Object(entries)
	}
	return jsontext.Object(jsontext.Field("matcher", jsontext.Quoted(h.Matcher)), entries)
}

// Install returns src with the hooks added, and their number. Every other byte of src stays as it is.
// It returns an error for settings that are not strict JSON, or whose hooks are in another place.
func (t Table) Install(src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	text := src
	if opts.Force {
		var err error
		if text, _, err = t.Uninstall(src); err != nil {
			return nil, 0, err
		}
	}
	if jsontext.Blank(text) {
		return t.newFile(text, opts)
	}
	added := 0
	for _, h := range t.Hooks {
		if h.Guard != NoGuard {
			out, changes, err := t.update(text, opts, h, h.wanted(opts))
			if err != nil {
				return nil, 0, err
			}
			text, added = out, added+changes
			continue
		}
		out, did, err := t.add(text, h, t.Command(opts, h))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

// add adds one command, unless the event has it under the hook's matcher. Where hooks stand in groups, it adds the entry to
// a group with that matcher or, if there is none, a group.
func (t Table) add(text []byte, h Hook, command string) ([]byte, bool, error) {
	whole := t.group(h, command)
	root, err := Parse(text)
	if err != nil {
		return nil, false, err
	}
	s := jsontext.StyleOf(text, root)
	hooks, ok, err := Container(root, "hooks", '{')
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return jsontext.Insert(text, s, root, jsontext.Field("hooks", jsontext.Object(jsontext.Field(h.Event, jsontext.Array(whole))))), true, nil
	}
	list, ok, err := Container(hooks, h.Event, '[')
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return jsontext.Insert(text, s, hooks, jsontext.Field(h.Event, jsontext.Array(whole))), true, nil
	}
	if t.Flat {
		if slices.ContainsFunc(list.Items, func(e jsontext.TextItem) bool { return commandOf(text, e) == command }) {
			return text, false, nil
		}
	} else if hasCommand(text, list, h.Matcher, command) {
		return text, false, nil
	} else if entries, ok := entriesFor(text, list, h.Matcher); ok {
		return jsontext.Insert(text, s, entries, t.entry(h, command)), true, nil
	}
	return jsontext.Insert(text, s, list, whole), true, nil
}

// newFile returns the settings for a src that is nil or only white space, and the number of hooks.
func (t Table) newFile(src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	var events, groups []jsontext.Render
	var hooks []Hook
	for _, h := range t.Hooks {
		if h.wanted(opts) {
			hooks = append(hooks, h)
		}
	}
	for i, h := range hooks {
		groups = append(groups, t.group(h, t.Command(opts, h)))
		if i+1 == len(hooks) || hooks[i+1].Event != h.Event {
			events = append(events, jsontext.Field(h.Event, jsontext.Array(groups...)))
			groups = nil
		}
	}
	return NewFile(src, "\n", append(t.Head[:len(t.Head):len(t.Head)], jsontext.Field("hooks", jsontext.Object(events...)))...), len(hooks), nil
}

// NewFile returns settings with these members for a src that is nil or only white space. end ends a file
// that was not there.
func NewFile(src []byte, end string, fields ...jsontext.Render) []byte {
	doc := jsontext.Object(fields...)(jsontext.DefaultStyle, "")
	if src == nil {
		return []byte(doc + end)
	}
	return []byte(string(src) + doc + BlankEnd)
}

// Uninstall returns src without the hooks, and their number; nil if the file held nothing else. It
// removes the groups and keys that held nothing else, unless they were there, empty, before Install.
func (t Table) Uninstall(src []byte) ([]byte, int, error) {
	return t.Remove(src, func(*jsontext.Eraser, string, jsontext.TextValue) bool { return false })
}

// Remove is Uninstall, and removes more: drop gets the other members of the settings, see Remove.
func (t Table) Remove(src []byte, drop func(e *jsontext.Eraser, key string, v jsontext.TextValue) bool) ([]byte, int, error) {
	removed := 0
	out, err := Remove(src, func(e *jsontext.Eraser, key string, v jsontext.TextValue) bool {
		if key == "hooks" {
			return t.erase(e, v, t.isOurs, &removed)
		}
		return drop(e, key, v)
	})
	if err != nil || removed == 0 || !t.isHeadOnly(out) {
		return out, removed, err
	}
	root, err := Parse(src)
	return withoutObject(src, root), removed, err
}

func (t Table) erase(e *jsontext.Eraser, events jsontext.TextValue, isOurs func(command string) bool, removed *int) bool {
	if !t.Flat {
		return hooksIn(e, events, isOurs, removed)
	}
	if events.Open != '{' {
		return false
	}
	return e.Items(events, func(i int, it jsontext.TextItem) bool {
		return i == events.Index(it.Key) && it.Value.Open == '[' && e.Items(it.Value, func(_ int, entry jsontext.TextItem) bool {
			if !isOurs(commandOf(e.Text, entry)) {
				return false
			}
			*removed++
			return true
		})
	})
}

// isHeadOnly reports whether a file holds only what newFile began it with.
func (t Table) isHeadOnly(text []byte) bool {
	if len(t.Head) == 0 {
		return false
	}
	return strings.TrimSpace(string(text)) == strings.TrimSpace(jsontext.Object(t.Head...)(jsontext.DefaultStyle, ""))
}

func (t Table) isOurs(command string) bool { return runsHook(unfiltered(command), t.dev()) }

// Installed reports whether src has the command at the end of a turn, in its present form or that of
// older versions.
func (t Table) Installed(src []byte) bool {
	found := false
	t.eachCommand(src, func(h Hook, command string, _ jsontext.TextItem) {
		found = found || h.Verb == t.Stop && t.stops(command)
	})
	return found
}

func (t Table) stops(command string) bool {
	ends := append([]string{" " + t.words(t.Stop)}, t.Older...)
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(command, end) })
}

// eachCommand calls fn with each hook and each of our commands in the list of its event, and the entry.
func (t Table) eachCommand(src []byte, fn func(h Hook, command string, entry jsontext.TextItem)) {
	if jsontext.Blank(src) {
		return
	}
	root, err := Parse(src)
	if err != nil {
		return
	}
	hooks, _ := root.Member("hooks")
	for _, h := range t.Hooks {
		list, _ := hooks.Member(h.Event)
		for _, it := range list.Items {
			entries := []jsontext.TextItem{it}
			if !t.Flat {
				group, _ := it.Value.Member("hooks")
				entries = group.Items
			}
			for _, e := range entries {
				if c := commandOf(src, e); t.isOurs(c) {
					fn(h, c, e)
				}
			}
		}
	}
}

// First returns the first of our commands for the table's first hook, and the white space before it.
func (t Table) First(src []byte) (command, space string, found bool) {
	t.eachCommand(src, func(h Hook, c string, e jsontext.TextItem) {
		if found || h != t.Hooks[0] {
			return
		}
		v, _ := e.Value.Member("command")
		from := v.Start
		for from > 0 && src[from-1] == ' ' {
			from--
		}
		command, space, found = c, string(src[from:v.Start]), true
		if src[from-1] != ':' {
			space = ""
		}
	})
	return command, space, found
}
