package summarize

import "strings"

// ours are the variables by which a program would take itself for a part of the
// session that runs us: it would refuse to start, or call that session's hooks.
var ours = map[string]bool{
	"CLAUDECODE": true, "CLAUDE_CODE_ENTRYPOINT": true, "CLAUDE_CODE_SSE_PORT": true, "CLAUDE_PROJECT_DIR": true,
	"CLAUDE_ENV_FILE": true, "GEMINI_CLI": true, "GEMINI_PROJECT_DIR": true, "GEMINI_SESSION_ID": true, "GEMINI_CWD": true,
	"PWD": true, "OLDPWD": true,
}

// childEnviron is environ without what belongs to a repository or to a running
// session.
func childEnviron(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "ENTIRE_") && !ours[name] {
			kept = append(kept, kv)
		}
	}
	return kept
}

// keptGit are the variables that say where the repository is, or how the user
// configured git; the others belong to one call of git.
var keptGit = []string{"GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_CONFIG", "GIT_CEILING_DIRECTORIES=", "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL="}

// detachedEnviron is environ for a process that works on after git has ended.
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
