package filelog

import (
	"strings"

	"entire/agent"
)

// substitutes returns the files in which a command replaces texts (`sed -i s/old/new/ FILE`), and the changes; none if the
// command does anything else, or replaces what is no plain text.
func (c *simple) substitutes() (files []string, changes []agent.FileChange) {
	if !c.literal || c.piped || c.to != "" || len(c.words) < 4 || c.words[0] != "sed" {
		return nil, nil
	}
	words, inPlace, scripts := c.words[1:], false, []string(nil)
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		switch words[0] {
		case "-i", "--in-place":
			inPlace = true
		case "-e":
			if len(words) < 2 {
				return nil, nil
			}
			scripts, words = append(scripts, words[1]), words[1:]
		default:
			return nil, nil
		}
		words = words[1:]
	}
	if len(scripts) == 0 && len(words) > 0 {
		scripts, words = words[:1], words[1:]
	}
	if !inPlace || len(words) == 0 {
		return nil, nil
	}
	for _, script := range scripts {
		for one := range strings.SplitSeq(script, ";") {
			change, ok := substitution(strings.TrimSpace(one))
			if !ok {
				return nil, nil
			}
			changes = append(changes, change)
		}
	}
	return words, changes
}

// substitution reads `s/old/new/` and `s/old/new/g` with plain texts, and `^` and `$` at the ends of the old one.
func substitution(script string) (agent.FileChange, bool) {
	if len(script) < 5 || script[0] != 's' || strings.IndexByte("/|#,:!@%", script[1]) < 0 {
		return agent.FileChange{}, false
	}
	parts := strings.Split(script[2:], script[1:2])
	if len(parts) != 3 || parts[2] != "" && parts[2] != "g" {
		return agent.FileChange{}, false
	}
	c := agent.FileChange{EachLine: true, New: parts[1], All: parts[2] == "g"}
	c.Old, c.Begins = strings.CutPrefix(parts[0], "^")
	c.Old, c.Ends = strings.CutSuffix(c.Old, "$")
	plain := !strings.ContainsAny(c.Old, `.*[]^$\`) && !strings.ContainsAny(c.New, `&\`)
	return c, plain && c.Old != "" && !(c.All && (c.Begins || c.Ends))
}
