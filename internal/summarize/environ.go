package summarize

import "strings"

// sessionVariables are variables that would make the program act as a part of the session that runs it: it would
// refuse to start, or call that session's hooks.
var sessionVariables = map[string]bool{
	"CLAUDECODE": true, "CLAUDE_CODE_ENTRYPOINT": true, "CLAUDE_CODE_SSE_PORT": true, "CLAUDE_PROJECT_DIR": true,
	"CLAUDE_ENV_FILE": true, "GEMINI_CLI": true, "GEMINI_PROJECT_DIR": true, "GEMINI_SESSION_ID": true, "GEMINI_CWD": true,
	"PWD": true, "OLDPWD": true,
}

// childEnviron returns environ without the variables of a repository or a running session.
func childEnviron(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "ENTIRE_") && !sessionVariables[name] {
			kept = append(kept, kv)
		}
	}
	return kept
}

// keptGit are the variables that locate the repository or configure git for the user. Git's other
// variables belong to one call of git.
var keptGit = []string{"GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_CONFIG", "GIT_CEILING_DIRECTORIES=", "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL="}

// detachedEnviron returns environ for a process that continues after git has ended.
func detachedEnviron(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		if !strings.HasPrefix(kv, "GIT_") || hasPrefix(kv, keptGit) {
			kept = append(kept, kv)
		}
	}
	return kept
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
