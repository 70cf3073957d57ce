package gemini

import (
	"errors"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

// Other tools search the settings for these strings.
const (
	geminiLocalDev = "go run ${GEMINI_PROJECT_DIR}/cmd/entire/main.go "
	geminiCommand  = "hooks gemini "
)

// Hook is one entry of .gemini/settings.json.
type Hook struct{ Event, Matcher, Name, Verb string }

// Hooks are the entries of .gemini/settings.json, in the order in which they are
// written.
var Hooks = []Hook{
	{"SessionStart", "", "entire-session-start", "session-start"},
	{"SessionEnd", "exit", "entire-session-end-exit", "session-end"},
	{"SessionEnd", "logout", "entire-session-end-logout", "session-end"},
	{"BeforeAgent", "", "entire-before-agent", "before-agent"},
	{"AfterAgent", "", "entire-after-agent", "after-agent"},
	{"BeforeModel", "", "entire-before-model", "before-model"},
	{"AfterModel", "", "entire-after-model", "after-model"},
	{"BeforeToolSelection", "", "entire-before-tool-selection", "before-tool-selection"},
	{"BeforeTool", "*", "entire-before-tool", "before-tool"},
	{"AfterTool", "*", "entire-after-tool", "after-tool"},
	{"PreCompress", "", "entire-pre-compress", "pre-compress"},
	{"Notification", "", "entire-notification", "notification"},
}

// Gemini's hooks run only while hooksConfig.enabled is true. The width of the white space
// after the colon of our first command stores what the setting was before Install, because
// only those bytes are ours.
const (
	wasTrue   = ""
	wasAbsent = "  "
	wasFalse  = "   "
)

// Install implements Agent. It leaves every other byte of src as it is. It returns an
// error for settings that are not strict JSON, or whose hooks are not where Gemini reads
// them. It replaces hooks that run this program in another way.
func (g Adapter) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	prefix := settings.InstalledPrefix
	if opts.LocalDev {
		prefix = geminiLocalDev
	}
	text := src
	if opts.Force || g.runsOtherwise(src, prefix) {
		var err error
		if text, _, err = g.Uninstall(path, src); err != nil {
			return nil, 0, err
		}
	}
	if jsontext.Blank(text) {
		return newGeminiSettings(text, prefix), len(Hooks), nil
	}
	text, was, err := enableGeminiHooks(text)
	if err != nil {
		return nil, 0, err
	}
	added := 0
	for i, h := range Hooks {
		mark := ""
		if i == 0 {
			mark = was
		}
		out, did, err := settings.AddHook(text, h.Event, h.Matcher, h.command(prefix), h.entry(prefix, mark), h.group(prefix, mark))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

func (h Hook) command(prefix string) string { return prefix + geminiCommand + h.Verb }

// entry returns an entry with a mark of white space before the command, or the usual space
// if the mark is empty.
func (h Hook) entry(prefix, mark string) jsontext.Render {
	command := jsontext.Field("command", jsontext.Quoted(h.command(prefix)))
	if mark != "" {
		command = func(jsontext.Style, string) string { return `"command":` + mark + jsontext.Quote(h.command(prefix)) }
	}
	return jsontext.Object(jsontext.Field("name", jsontext.Quoted(h.Name)), jsontext.Field("type", jsontext.Quoted("command")), command)
}

func (h Hook) group(prefix, mark string) jsontext.Render {
	entries := jsontext.Field("hooks", jsontext.Array(h.entry(prefix, mark)))
	if h.Matcher == "" {
		return jsontext.Object(entries)
	}
	return jsontext.Object(jsontext.Field("matcher", jsontext.Quoted(h.Matcher)), entries)
}

// newGeminiSettings returns the settings for a src that is nil or only white space.
func newGeminiSettings(src []byte, prefix string) []byte {
	var events, groups []jsontext.Render
	for i, h := range Hooks {
		mark := ""
		if i == 0 {
			mark = wasAbsent
		}
		groups = append(groups, h.group(prefix, mark))
		if i+1 == len(Hooks) || Hooks[i+1].Event != h.Event {
			events = append(events, jsontext.Field(h.Event, jsontext.Array(groups...)))
			groups = nil
		}
	}
	doc := jsontext.Object(
		jsontext.Field("hooksConfig", jsontext.Object(jsontext.Field("enabled", literal("true")))),
		jsontext.Field("hooks", jsontext.Object(events...)),
	)(jsontext.DefaultStyle, "")
	if src == nil {
		return []byte(doc)
	}
	return []byte(string(src) + doc + settings.BlankEnd)
}

// literal is a value that is written without quotes.
func literal(text string) jsontext.Render { return func(jsontext.Style, string) string { return text } }

// enableGeminiHooks sets hooksConfig.enabled to true and returns the mark for its old
// value.
func enableGeminiHooks(text []byte) (out []byte, was string, err error) {
	root, err := settings.Parse(text)
	if err != nil {
		return nil, "", err
	}
	s := jsontext.StyleOf(text, root)
	enabled := jsontext.Field("enabled", literal("true"))
	conf, ok, err := settings.Container(root, "hooksConfig", '{')
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return jsontext.Insert(text, s, root, jsontext.Field("hooksConfig", jsontext.Object(enabled))), wasAbsent, nil
	}
	value, ok := conf.Member("enabled")
	if !ok {
		return jsontext.Insert(text, s, conf, enabled), wasAbsent, nil
	}
	switch string(text[value.Start:value.End]) {
	case "true":
		return text, wasTrue, nil
	case "false":
		return jsontext.Splice(text, value.Start, value.End, "true"), wasFalse, nil
	}
	return nil, "", errors.New("settings: hooksConfig.enabled is neither true nor false")
}

// runsOtherwise reports whether the first of our commands at a session's start has another
// prefix.
func (Adapter) runsOtherwise(src []byte, prefix string) bool {
	command, _, found := ourStart(src)
	return found && command != Hooks[0].command(prefix)
}

// ourStart returns the first of our commands at a session's start, and the mark in its
// entry.
func ourStart(src []byte) (command, mark string, found bool) {
	if jsontext.Blank(src) {
		return "", "", false
	}
	root, err := settings.Parse(src)
	if err != nil {
		return "", "", false
	}
	hooks, _ := root.Member("hooks")
	groups, _ := hooks.Member("SessionStart")
	for _, g := range groups.Items {
		entries, _ := g.Value.Member("hooks")
		for _, e := range entries.Items {
			if c := settings.CommandOf(src, e); isOurGeminiCommand(c) {
				return c, markBefore(src, e.Value), true
			}
		}
	}
	return "", "", false
}

// markBefore returns the white space before an entry's command.
func markBefore(text []byte, entry jsontext.TextValue) string {
	v, _ := entry.Member("command")
	from := v.Start
	for from > 0 && text[from-1] == ' ' {
		from--
	}
	if space := string(text[from:v.Start]); text[from-1] == ':' && (space == wasAbsent || space == wasFalse) {
		return space
	}
	return wasTrue
}

func isOurGeminiCommand(command string) bool { return settings.RunsHook(command, geminiLocalDev) }

// Uninstall implements Agent: it removes our commands, with the groups and keys that held
// nothing else, unless they were there, empty, before Install, and restores
// hooksConfig.enabled. It counts the commands.
func (Adapter) Uninstall(_ string, src []byte) ([]byte, int, error) {
	if jsontext.Blank(src) {
		return src, 0, nil
	}
	root, err := settings.Parse(src)
	if err != nil {
		return nil, 0, err
	}
	_, mark, _ := ourStart(src)
	e := &jsontext.Eraser{Text: src}
	removed := 0
	emptied := e.Items(root, func(i int, it jsontext.TextItem) bool {
		switch {
		case i != root.Index(it.Key):
			return false
		case it.Key == "hooks":
			return settings.Hooks(e, it.Value, isOurGeminiCommand, &removed)
		case it.Key == "hooksConfig":
			return disable(e, it.Value, mark)
		}
		return false
	})
	if !emptied {
		return e.Result(), removed, nil
	}
	if string(src[root.End:]) == settings.BlankEnd {
		return src[:root.Start:root.Start], removed, nil
	}
	return nil, removed, nil
}

// disable removes or restores the value that the mark says Install changed.
func disable(e *jsontext.Eraser, conf jsontext.TextValue, mark string) bool {
	i := conf.Index("enabled")
	if i < 0 {
		return false
	}
	value := conf.Items[i].Value
	switch {
	case string(e.Text[value.Start:value.End]) != "true":
		return false
	case mark == wasFalse:
		e.Replace(value.Start, value.End, "false")
	case mark == wasAbsent:
		return e.Items(conf, func(at int, _ jsontext.TextItem) bool { return at == i })
	}
	return false
}

// Installed implements Agent: it searches for the command at the end of a turn.
func (Adapter) Installed(src []byte) bool {
	if jsontext.Blank(src) {
		return false
	}
	root, err := settings.Parse(src)
	if err != nil {
		return false
	}
	hooks, _ := root.Member("hooks")
	groups, _ := hooks.Member("AfterAgent")
	for _, g := range groups.Items {
		for _, c := range settings.CommandsOf(src, g.Value) {
			if isOurGeminiCommand(c) && strings.HasSuffix(c, geminiCommand+"after-agent") {
				return true
			}
		}
	}
	return false
}
