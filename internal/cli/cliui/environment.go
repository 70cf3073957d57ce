package cliui

import (
	"strings"

	"entire/internal/redact"
)

// maxVariable bounds how much of a variable's value is kept.
const maxVariable = 1 << 10

// withoutPassword blanks the password of each URL in a variable's value, even if it does not look
// like a secret.
func withoutPassword(value string) string {
	rest, out := value, ""
	for {
		i := strings.Index(rest, "://")
		if i < 0 {
			return out + rest
		}
		out, rest = out+rest[:i+3], rest[i+3:]
		end := strings.IndexAny(rest, "/?# \t\r\n,;\"'")
		if end < 0 {
			end = len(rest)
		}
		at := strings.LastIndexByte(rest[:end], '@')
		user := strings.IndexByte(rest[:max(at, 0)], ':')
		if user < 0 {
			continue
		}
		out, rest = out+rest[:user+1]+redact.Token, rest[at:]
	}
}

// ChosenVariables returns the named variables of the environment with their secrets blanked; nil for none.
func (env *Env) ChosenVariables(names []string) map[string]string {
	var out map[string]string
	for _, name := range names {
		value, set := env.LookupEnv(name)
		if !set {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		value = strings.ToValidUTF8(value[:min(len(value), maxVariable)], "")
		if clean, same := strings.CutPrefix(redact.Text(name+"="+value), name+"="); same {
			out[name] = withoutPassword(clean)
		} else {
			out[name] = redact.Token
		}
	}
	return out
}
