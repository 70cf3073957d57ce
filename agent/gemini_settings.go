package agent

import (
	"errors"
	"strings"
)

// Other tools search the settings for these strings.
const (
	geminiLocalDev = "go run ${GEMINI_PROJECT_DIR}/cmd/entire/main.go "
	geminiCommand  = "hooks gemini "
)

// geminiHook is one entry of .gemini/settings.json.
type geminiHook struct{ event, matcher, name, verb string }

// geminiHooks are the entries of .gemini/settings.json, in the order in which they are
// written.
var geminiHooks = []geminiHook{
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
func (g Gemini) Install(src []byte, opts InstallOptions) ([]byte, int, error) {
	prefix := installedPrefix
	if opts.LocalDev {
		prefix = geminiLocalDev
	}
	text := src
	if opts.Force || g.runsOtherwise(src, prefix) {
		var err error
		if text, _, err = g.Uninstall(src); err != nil {
			return nil, 0, err
		}
	}
	if blank(text) {
		return newGeminiSettings(text, prefix), len(geminiHooks), nil
	}
	text, was, err := enableGeminiHooks(text)
	if err != nil {
		return nil, 0, err
	}
	added := 0
	for i, h := range geminiHooks {
		mark := ""
		if i == 0 {
			mark = was
		}
		out, did, err := addHook(text, h.event, h.matcher, h.command(prefix), h.entry(prefix, mark), h.group(prefix, mark))
		if err != nil {
			return nil, 0, err
		}
		if text = out; did {
			added++
		}
	}
	return text, added, nil
}

func (h geminiHook) command(prefix string) string { return prefix + geminiCommand + h.verb }

// entry returns an entry with a mark of white space before the command, or the usual space
// if the mark is empty.
func (h geminiHook) entry(prefix, mark string) render {
	command := field("command", quoted(h.command(prefix)))
	if mark != "" {
		command = func(style, string) string { return `"command":` + mark + quote(h.command(prefix)) }
	}
	return object(field("name", quoted(h.name)), field("type", quoted("command")), command)
}

func (h geminiHook) group(prefix, mark string) render {
	entries := field("hooks", array(h.entry(prefix, mark)))
	if h.matcher == "" {
		return object(entries)
	}
	return object(field("matcher", quoted(h.matcher)), entries)
}

// newGeminiSettings returns the settings for a src that is nil or only white space.
func newGeminiSettings(src []byte, prefix string) []byte {
	var events, groups []render
	for i, h := range geminiHooks {
		mark := ""
		if i == 0 {
			mark = wasAbsent
		}
		groups = append(groups, h.group(prefix, mark))
		if i+1 == len(geminiHooks) || geminiHooks[i+1].event != h.event {
			events = append(events, field(h.event, array(groups...)))
			groups = nil
		}
	}
	doc := object(
		field("hooksConfig", object(field("enabled", literal("true")))),
		field("hooks", object(events...)),
	)(defaultStyle, "")
	if src == nil {
		return []byte(doc)
	}
	return []byte(string(src) + doc + blankEnd)
}

// literal is a value that is written without quotes.
func literal(text string) render { return func(style, string) string { return text } }

// enableGeminiHooks sets hooksConfig.enabled to true and returns the mark for its old
// value.
func enableGeminiHooks(text []byte) (out []byte, was string, err error) {
	root, err := parseSettings(text)
	if err != nil {
		return nil, "", err
	}
	s := styleOf(text, root)
	enabled := field("enabled", literal("true"))
	conf, ok, err := container(root, "hooksConfig", '{')
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return insert(text, s, root, field("hooksConfig", object(enabled))), wasAbsent, nil
	}
	value, ok := conf.member("enabled")
	if !ok {
		return insert(text, s, conf, enabled), wasAbsent, nil
	}
	switch string(text[value.start:value.end]) {
	case "true":
		return text, wasTrue, nil
	case "false":
		return splice(text, value.start, value.end, "true"), wasFalse, nil
	}
	return nil, "", errors.New("settings: hooksConfig.enabled is neither true nor false")
}

// runsOtherwise reports whether the first of our commands at a session's start has another
// prefix.
func (Gemini) runsOtherwise(src []byte, prefix string) bool {
	command, _, found := ourStart(src)
	return found && command != geminiHooks[0].command(prefix)
}

// ourStart returns the first of our commands at a session's start, and the mark in its
// entry.
func ourStart(src []byte) (command, mark string, found bool) {
	if blank(src) {
		return "", "", false
	}
	root, err := parseSettings(src)
	if err != nil {
		return "", "", false
	}
	hooks, _ := root.member("hooks")
	groups, _ := hooks.member("SessionStart")
	for _, g := range groups.items {
		entries, _ := g.value.member("hooks")
		for _, e := range entries.items {
			if c := commandOf(src, e); isOurGeminiCommand(c) {
				return c, markBefore(src, e.value), true
			}
		}
	}
	return "", "", false
}

// markBefore returns the white space before an entry's command.
func markBefore(text []byte, entry textValue) string {
	v, _ := entry.member("command")
	from := v.start
	for from > 0 && text[from-1] == ' ' {
		from--
	}
	if space := string(text[from:v.start]); text[from-1] == ':' && (space == wasAbsent || space == wasFalse) {
		return space
	}
	return wasTrue
}

func isOurGeminiCommand(command string) bool { return calls(command, geminiLocalDev) }

// Uninstall implements Agent: it removes our commands, with the groups and keys that held
// nothing else, unless they were there, empty, before Install, and restores
// hooksConfig.enabled. It counts the commands.
func (Gemini) Uninstall(src []byte) ([]byte, int, error) {
	if blank(src) {
		return src, 0, nil
	}
	root, err := parseSettings(src)
	if err != nil {
		return nil, 0, err
	}
	_, mark, _ := ourStart(src)
	e := &eraser{text: src}
	removed := 0
	emptied := e.items(root, func(i int, it textItem) bool {
		switch {
		case i != root.index(it.key):
			return false
		case it.key == "hooks":
			return e.hooks(it.value, isOurGeminiCommand, &removed)
		case it.key == "hooksConfig":
			return e.disable(it.value, mark)
		}
		return false
	})
	if !emptied {
		return e.result(), removed, nil
	}
	if string(src[root.end:]) == blankEnd {
		return src[:root.start:root.start], removed, nil
	}
	return nil, removed, nil
}

// disable removes or restores the value that the mark says Install changed.
func (e *eraser) disable(conf textValue, mark string) bool {
	i := conf.index("enabled")
	if i < 0 {
		return false
	}
	value := conf.items[i].value
	switch {
	case string(e.text[value.start:value.end]) != "true":
		return false
	case mark == wasFalse:
		e.replace(value.start, value.end, "false")
	case mark == wasAbsent:
		return e.items(conf, func(at int, _ textItem) bool { return at == i })
	}
	return false
}

// Installed implements Agent: it searches for the command at the end of a turn.
func (Gemini) Installed(src []byte) bool {
	if blank(src) {
		return false
	}
	root, err := parseSettings(src)
	if err != nil {
		return false
	}
	hooks, _ := root.member("hooks")
	groups, _ := hooks.member("AfterAgent")
	for _, g := range groups.items {
		for _, c := range commandsOf(src, g.value) {
			if isOurGeminiCommand(c) && strings.HasSuffix(c, geminiCommand+"after-agent") {
				return true
			}
		}
	}
	return false
}
