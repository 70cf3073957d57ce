package process

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

// FixedVars are set for every git process: no prompt, no lock on the user's index, no
// network (a missing object of a partial clone stays missing), no replaced objects, paths
// taken literally, messages in one language.
var FixedVars = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_EDITOR=:", "LC_ALL=C",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
}

// Inherited is what the caller's environment says about the repository.
type Inherited struct {
	Rest       []string // environment without repository-local variables
	Local      []string // the repository-local ones, verbatim
	IndexFile  string   // GIT_INDEX_FILE as given, "" when unset
	Objects    []string // GIT_OBJECT_DIRECTORY and alternates, verbatim (a quarantine)
	ObjectsDir string   // GIT_OBJECT_DIRECTORY as given
	Common     bool     // GIT_COMMON_DIR is set
	Config     []string // GIT_CONFIG_PARAMETERS / _COUNT, _KEY_, _VALUE_: `git -c` of the caller
	Explicit   bool     // only git can tell what the variables mean for discovery
}

// ReadEnv divides environ into what is kept, dropped and added again.
func ReadEnv(environ []string) Inherited {
	var in Inherited
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"),
			name == "GIT_CONFIG_PARAMETERS", name == "GIT_CONFIG_COUNT":
			in.Config = append(in.Config, kv)
			in.Explicit = in.Explicit || meansCore(value)
		case localVars[name]:
			in.Local = append(in.Local, kv)
			in.repository(name, value, kv)
		default:
			in.Rest = append(in.Rest, kv)
		}
	}
	return in
}

// repository stores a variable that says where the repository or a part of it is.
func (in *Inherited) repository(name, value, kv string) {
	if value == "" {
		return
	}
	switch name {
	case "GIT_INDEX_FILE":
		in.IndexFile = value
	case "GIT_OBJECT_DIRECTORY":
		in.ObjectsDir = value
		in.Objects = append(in.Objects, kv)
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES":
		in.Objects = append(in.Objects, kv)
	case "GIT_COMMON_DIR":
		in.Common, in.Explicit = true, true
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES":
		in.Explicit = true
	}
}

// Language returns the caller's LC_ALL, for commands that run in the user's name.
func (in Inherited) Language() []string {
	return slices.DeleteFunc(slices.Clone(in.Local), func(kv string) bool { return !strings.HasPrefix(kv, "LC_ALL=") })
}

// meansCore reports whether the caller's configuration could change the result of
// discovery.
func meansCore(value string) bool {
	low := strings.ToLower(value)
	return strings.Contains(low, "core.") || strings.Contains(low, "safe.") || strings.Contains(low, "extensions.")
}

// WithConfig adds configuration to env, after the configuration that env has.
func WithConfig(env []string, values map[string]string) []string {
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
