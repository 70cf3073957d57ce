package git

import (
	"slices"
	"strconv"
	"strings"
)

// localVars are the variables that git sets for one repository (`git rev-parse
// --local-env-vars`). If they stayed set, they would point our commands at another
// repository or make them rewrite the user's index.
var localVars = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true,
	"GIT_CONFIG_COUNT": true, "GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true,
	"GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true,
	"GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true, "GIT_NAMESPACE": true,
	"GIT_CEILING_DIRECTORIES": true, "GIT_INTERNAL_SUPER_PREFIX": true,
	"GIT_LITERAL_PATHSPECS": true, "GIT_GLOB_PATHSPECS": true, "GIT_NOGLOB_PATHSPECS": true,
	"GIT_ICASE_PATHSPECS": true, "GIT_EXTERNAL_DIFF": true, "GIT_DIFF_OPTS": true,
	"GIT_EDITOR": true, "GIT_SEQUENCE_EDITOR": true, "GIT_OPTIONAL_LOCKS": true,
	"GIT_TERMINAL_PROMPT": true, "LC_ALL": true, "GIT_PAGER": true,
}

// fixedVars are set for every git process: no prompt, no lock on the user's index, no
// network (a missing object of a partial clone stays missing), no replaced objects, paths
// taken literally, messages in one language.
var fixedVars = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_EDITOR=:", "LC_ALL=C",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
}

// inherited is what the caller's environment says about the repository.
type inherited struct {
	rest       []string // environment without repository-local variables
	local      []string // the repository-local ones, verbatim
	indexFile  string   // GIT_INDEX_FILE as given, "" when unset
	objects    []string // GIT_OBJECT_DIRECTORY and alternates, verbatim (a quarantine)
	objectsDir string   // GIT_OBJECT_DIRECTORY as given
	common     bool     // GIT_COMMON_DIR is set
	config     []string // GIT_CONFIG_PARAMETERS / _COUNT, _KEY_, _VALUE_: `git -c` of the caller
	explicit   bool     // only git can tell what the variables mean for discovery
}

// readEnv divides environ into what is kept, dropped and added again.
func readEnv(environ []string) inherited {
	var in inherited
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"),
			name == "GIT_CONFIG_PARAMETERS", name == "GIT_CONFIG_COUNT":
			in.config = append(in.config, kv)
			in.explicit = in.explicit || meansCore(value)
		case localVars[name]:
			in.local = append(in.local, kv)
			in.repository(name, value, kv)
		default:
			in.rest = append(in.rest, kv)
		}
	}
	return in
}

// repository stores a variable that says where the repository or a part of it is.
func (in *inherited) repository(name, value, kv string) {
	if value == "" {
		return
	}
	switch name {
	case "GIT_INDEX_FILE":
		in.indexFile = value
	case "GIT_OBJECT_DIRECTORY":
		in.objectsDir = value
		in.objects = append(in.objects, kv)
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES":
		in.objects = append(in.objects, kv)
	case "GIT_COMMON_DIR":
		in.common, in.explicit = true, true
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES":
		in.explicit = true
	}
}

// language returns the caller's LC_ALL, for commands that run in the user's name.
func (in inherited) language() []string {
	return slices.DeleteFunc(slices.Clone(in.local), func(kv string) bool { return !strings.HasPrefix(kv, "LC_ALL=") })
}

// meansCore reports whether the caller's configuration could change the result of
// discovery.
func meansCore(value string) bool {
	low := strings.ToLower(value)
	return strings.Contains(low, "core.") || strings.Contains(low, "safe.") || strings.Contains(low, "extensions.")
}

// withConfig adds configuration to env, after the configuration that env has.
func withConfig(env []string, values map[string]string) []string {
	if len(values) == 0 {
		return env
	}
	n := 0
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	for key, value := range values {
		i := strconv.Itoa(n)
		env = append(env, "GIT_CONFIG_KEY_"+i+"="+key, "GIT_CONFIG_VALUE_"+i+"="+value)
		n++
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}
