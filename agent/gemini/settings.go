package gemini

import (
	"errors"
	"slices"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

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
func (a Adapter) Install(path string, src []byte, opts agent.InstallOptions) ([]byte, int, error) {
	t, text := a.Hooks, src
	command, _, found := t.First(src)
	if opts.Force || found && command != t.Command(opts, t.Hooks[0]) {
		var err error
		if text, _, err = a.Uninstall(path, src); err != nil {
			return nil, 0, err
		}
		opts.Force = false
	}
	text, was, err := enable(text)
	if err != nil {
		return nil, 0, err
	}
	t.Hooks = slices.Clone(t.Hooks)
	t.Hooks[0].Space = was
	return t.Install(text, opts)
}

// enable sets hooksConfig.enabled to true and returns the mark for its old value.
func enable(text []byte) (out []byte, was string, err error) {
	enabled := jsontext.Field("enabled", func(jsontext.Style, string) string { return "true" })
	whole := jsontext.Field("hooksConfig", jsontext.Object(enabled))
	if jsontext.Blank(text) {
		return settings.NewFile(text, "", whole), wasAbsent, nil
	}
	root, err := settings.Parse(text)
	if err != nil {
		return nil, "", err
	}
	s := jsontext.StyleOf(text, root)
	conf, ok, err := settings.Container(root, "hooksConfig", '{')
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return jsontext.Insert(text, s, root, whole), wasAbsent, nil
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

// Uninstall implements Agent: it removes our commands, with the groups and keys that held
// nothing else, unless they were there, empty, before Install, and restores
// hooksConfig.enabled. It counts the commands.
func (a Adapter) Uninstall(_ string, src []byte) ([]byte, int, error) {
	_, mark, _ := a.Hooks.First(src)
	return a.Hooks.Remove(src, func(e *jsontext.Eraser, key string, conf jsontext.TextValue) bool {
		return key == "hooksConfig" && disable(e, conf, mark)
	})
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
