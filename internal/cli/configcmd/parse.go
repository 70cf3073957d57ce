package configcmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/config"
)

// parse returns the words of a command line as the value of a setting, or why they are none.
func parse(s config.Setting, key string, words []string) (json.RawMessage, error) {
	raw, ok := read(s, words)
	if ok {
		if want := s.WrongFor(key, raw); want != "" {
			return nil, cliui.Failf("for example: "+example(s, key), "%s must be %s", cliui.ShownLine(s.Name()), cliui.ShownLine(want))
		}
		return raw, nil
	}
	return nil, cliui.Failf("for example: "+example(s, key), "%s is %s: it takes one value, not %d", cliui.ShownLine(s.Name()), article(s.Kind), len(words))
}

// read returns the JSON of words; ok is false if there are too many of them.
func read(s config.Setting, words []string) (raw json.RawMessage, ok bool) {
	one := strings.TrimSpace(words[0])
	isJSON := json.Valid([]byte(one))
	switch s.Kind {
	case config.Texts:
		if len(words) == 1 && strings.HasPrefix(one, "[") && isJSON {
			return json.RawMessage(one), true
		}
		return marshal(words), true
	case config.String:
		return marshal(words[0]), len(words) == 1
	case config.Remotes:
		if len(words) > 1 {
			return marshal(words), true
		}
		if isJSON && (one[0] == '[' || one[0] == '{') {
			return json.RawMessage(one), true
		}
		return marshal(words[0]), true
	}
	if isJSON {
		return json.RawMessage(one), len(words) == 1
	}
	return marshal(words[0]), len(words) == 1
}

func marshal(v any) json.RawMessage {
	raw, _ := json.Marshal(v) // texts always marshal
	return raw
}

func article(k config.Kind) string { return "a " + string(k) }

// example returns a command that sets it.
func example(s config.Setting, key string) string {
	value := s.Example
	var text string
	if json.Unmarshal([]byte(value), &text) == nil {
		value = text
	}
	if strings.ContainsAny(value, " \"[{*") {
		value = "'" + value + "'"
	}
	return fmt.Sprintf("entire config set %s %s", cliui.ShownLine(strings.TrimPrefix(key, "strategy_options.")), value)
}

// completeName completes the names of settings.
func completeName(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, s := range config.Table {
		name := strings.TrimSuffix(s.Name(), "*")
		if strings.HasPrefix(name, begun) && !s.Foreign() {
			found = append(found, name+"\t"+s.About)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeValue completes the name of a setting that may be set, and then its values.
func completeValue(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeName(cmd, args, begun)
	}
	s, _, ok := config.Find(args[0])
	if !ok || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	values := s.Values
	if s.Kind == config.Bool || s.Kind == config.Switch {
		values = []string{"true", "false"}
	}
	var found []string
	for _, v := range values {
		if strings.HasPrefix(v, begun) {
			found = append(found, v)
		}
	}
	if strings.HasSuffix(s.Key, ".identity") || strings.HasSuffix(s.Key, ".command") {
		return found, cobra.ShellCompDirectiveDefault
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
