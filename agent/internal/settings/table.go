package settings

import (
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Hook is one command in an agent's settings: the event that runs it, the matcher of its group, and
// the verb that it passes to this program.
type Hook struct{ Event, Matcher, Verb string }

// Table describes the hooks of an agent whose settings list commands by event.
type Table struct {
	Agent agent.AgentName // in the command, `entire hooks <agent> <verb>`
	Hooks []Hook          // in the order in which they are written; those of an event together
	// Stop is the verb at the end of a turn, the most important one.
	Stop string
	// Flat says that an event has a list of commands, not of groups with a matcher.
	Flat bool
	// Head are members that a new file begins with.
	Head []jsontext.Render
	// Entry returns a command's entry; nil for {"type":"command","command":…}.
	Entry func(command string) jsontext.Render
}

// LocalDev is the prefix of commands that run this program from its source tree.
const LocalDev = "go run ./cmd/entire "

func (t Table) command(prefix, verb string) string {
	return prefix + "hooks " + string(t.Agent) + " " + verb
}

func (t Table) entry(command string) jsontext.Render {
	if t.Entry != nil {
		return t.Entry(command)
	}
	return jsontext.Object(jsontext.Field("type", jsontext.Quoted("command")), jsontext.Field("command", jsontext.Quoted(command)))
}

// group returns what an event's list holds for one command.
func (t Table) group(matcher, command string) jsontext.Render {
	entries := jsontext.Field("hooks", jsontext.Array(t.entry(command)))
	switch {
	case t.Flat:
		return t.entry(command)
	case matcher == "":
		return jsontext.Object(entries)
	}
	return jsontext.Object(jsontext.Field("matcher", jsontext.Quoted(matcher)), entries)
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
	prefix := InstalledPrefix
	if opts.LocalDev {
		prefix = LocalDev
	}
	if jsontext.Blank(text) {
		return t.newFile(text, prefix), len(t.Hooks), nil
	}
	added := 0
	for _, h := range t.Hooks {
		command := t.command(prefix, h.Verb)
		out, did, err := t.add(text, h, command)
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

func (t Table) add(text []byte, h Hook, command string) ([]byte, bool, error) {
	if !t.Flat {
		return AddHook(text, h.Event, h.Matcher, command, t.entry(command), t.group(h.Matcher, command))
	}
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
		return jsontext.Insert(text, s, root, jsontext.Field("hooks", jsontext.Object(jsontext.Field(h.Event, jsontext.Array(t.entry(command)))))), true, nil
	}
	entries, ok, err := Container(hooks, h.Event, '[')
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return jsontext.Insert(text, s, hooks, jsontext.Field(h.Event, jsontext.Array(t.entry(command)))), true, nil
	}
	for _, e := range entries.Items {
		if CommandOf(text, e) == command {
			return text, false, nil
		}
	}
	return jsontext.Insert(text, s, entries, t.entry(command)), true, nil
}

// newFile returns the settings for a src that is nil or only white space.
func (t Table) newFile(src []byte, prefix string) []byte {
	var events, groups []jsontext.Render
	for i, h := range t.Hooks {
		groups = append(groups, t.group(h.Matcher, t.command(prefix, h.Verb)))
		if i+1 == len(t.Hooks) || t.Hooks[i+1].Event != h.Event {
			events = append(events, jsontext.Field(h.Event, jsontext.Array(groups...)))
			groups = nil
		}
	}
	fields := append(t.Head[:len(t.Head):len(t.Head)], jsontext.Field("hooks", jsontext.Object(events...)))
	doc := jsontext.Object(fields...)(jsontext.DefaultStyle, "")
	if src == nil {
		return []byte(doc + "\n")
	}
	return []byte(string(src) + doc + BlankEnd)
}

// Uninstall returns src without the hooks, and their number; nil if the file held nothing else. It
// removes the groups and keys that held nothing else, unless they were there, empty, before Install.
func (t Table) Uninstall(src []byte) ([]byte, int, error) {
	if jsontext.Blank(src) {
		return src, 0, nil
	}
	root, err := Parse(src)
	if err != nil {
		return nil, 0, err
	}
	e := &jsontext.Eraser{Text: src}
	removed := 0
	emptied := e.Items(root, func(i int, it jsontext.TextItem) bool {
		return i == root.Index(it.Key) && it.Key == "hooks" && t.erase(e, it.Value, &removed)
	})
	rest := e.Result()
	switch {
	case !emptied && !t.isHeadOnly(rest):
		return rest, removed, nil
	case removed == 0:
		return src, 0, nil
	case string(src[root.End:]) == BlankEnd:
		return src[:root.Start:root.Start], removed, nil
	}
	return nil, removed, nil
}

func (t Table) erase(e *jsontext.Eraser, events jsontext.TextValue, removed *int) bool {
	if !t.Flat {
		return Hooks(e, events, t.isOurs, removed)
	}
	if events.Open != '{' {
		return false
	}
	return e.Items(events, func(i int, it jsontext.TextItem) bool {
		return i == events.Index(it.Key) && it.Value.Open == '[' && e.Items(it.Value, func(_ int, entry jsontext.TextItem) bool {
			if !t.isOurs(CommandOf(e.Text, entry)) {
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

func (t Table) isOurs(command string) bool { return RunsHook(command, LocalDev) }

// Installed reports whether src has the command at the end of a turn.
func (t Table) Installed(src []byte) bool {
	if jsontext.Blank(src) {
		return false
	}
	root, err := Parse(src)
	if err != nil {
		return false
	}
	hooks, _ := root.Member("hooks")
	for _, h := range t.Hooks {
		if h.Verb != t.Stop {
			continue
		}
		list, _ := hooks.Member(h.Event)
		for _, it := range list.Items {
			commands := []string{CommandOf(src, it)}
			if !t.Flat {
				commands = CommandsOf(src, it.Value)
			}
			for _, c := range commands {
				if t.isOurs(c) && strings.HasSuffix(c, " hooks "+string(t.Agent)+" "+t.Stop) {
					return true
				}
			}
		}
	}
	return false
}
