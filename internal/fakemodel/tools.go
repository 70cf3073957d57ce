package fakemodel

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// A toolbox is the tools that a client offers, by name.
type toolbox map[string]toolSpec

// A toolSpec is what a client says of one of its tools.
type toolSpec struct {
	schema    schema
	namespace string // of the Responses protocol; sent back with the call
	freeform  bool   // takes text instead of arguments
}

// A schema is the part of a JSON schema that the arguments are made from.
type schema struct {
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
	AnyOf      []schema          `json:"anyOf"`
}

// A call is one call of a client's tool.
type call struct {
	tool  string
	args  map[string]any
	input string // instead of args, for a tool without arguments' names
	spec  toolSpec
}

// arguments returns the call's arguments as JSON.
func (c call) arguments() string {
	text, err := json.Marshal(c.args)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// names lists the tools of the known clients that do what a verb says. One client offers at most one of each, except
// where the first is the better one.
var names = map[Verb][]string{
	Write: {"Write", "write_file", "write", "Create", "create", "editor", "apply_patch"},
	Edit:  {"Edit", "replace", "edit", "editor", "apply_patch"},
	Read:  {"Read", "read_file", "read", "view", "read_files"},
	Shell: {"Bash", "run_shell_command", "bash", "Execute", "exec_command", "shell_command", "run_commands"},
	Task:  {"Agent", "Task", "agent", "task", "invoke_agent", "spawn_agent"},
}

// The names that the clients' schemas give to a value.
var (
	pathNames    = []string{"file_path", "filePath", "absolute_path", "path"}
	textNames    = []string{"content", "file_text", "new_text"}
	oldNames     = []string{"old_string", "oldString", "old_str", "old_text", "oldText"}
	newNames     = []string{"new_string", "newString", "new_str", "new_text", "newText"}
	commandNames = []string{"command", "cmd", "commands"}
	promptNames  = []string{"prompt", "message", "task"}
	kindNames    = []string{"subagent_type", "agent_type", "agent_name"}
)

// call returns the call of the client's tool that does what the action says.
func (box toolbox) call(action Action, dir string) (call, bool) {
	candidates := names[action.Verb]
	if action.Verb == Tool {
		candidates = []string{action.Name}
	}
	i := slices.IndexFunc(candidates, func(name string) bool { _, ok := box[name]; return ok })
	if i < 0 {
		return call{}, false
	}
	c := call{tool: candidates[i], spec: box[candidates[i]], args: map[string]any{}}
	switch {
	case action.Verb == Tool:
		c.args = action.Args
		c.input, _ = action.Args["input"].(string) // of a tool whose input is text
		return c, true
	case c.tool == "apply_patch":
		c.patch(action)
		return c, true
	}
	if action.Path != "" {
		c.set(pathNames, filepath.Join(dir, action.Path))
	}
	switch action.Verb {
	case Write:
		c.set(textNames, action.Text)
	case Edit:
		c.edit(action)
	case Read:
		c.read(filepath.Join(dir, action.Path))
	case Shell:
		c.shell(action.Command)
	case Task:
		c.task(action)
	}
	c.complete()
	return c, true
}

// set gives the value to the first of the names that the tool has.
func (c call) set(names []string, value any) {
	for _, name := range names {
		if _, ok := c.spec.schema.Properties[name]; ok {
			c.args[name] = value
			return
		}
	}
}

func (c call) edit(action Action) {
	edits, listed := c.spec.schema.Properties["edits"]
	if !listed {
		c.set(oldNames, action.Old)
		c.set(newNames, action.New)
		return
	}
	one := call{args: map[string]any{}}
	if edits.Items != nil {
		one.spec.schema = *edits.Items
	}
	one.set(oldNames, action.Old)
	one.set(newNames, action.New)
	c.args["edits"] = []any{one.args}
}

func (c call) read(path string) {
	if _, ok := c.spec.schema.Properties["files"]; ok {
		c.args["files"] = []any{map[string]any{"path": path}}
	}
}

func (c call) shell(command string) {
	for _, name := range commandNames {
		if property, ok := c.spec.schema.Properties[name]; ok {
			c.args[name] = any(command)
			if name == "commands" || property.is("array") {
				c.args[name] = []any{command}
			}
			return
		}
	}
}

func (c call) task(action Action) {
	c.set(promptNames, action.Prompt)
	c.set(kindNames, action.Kind)
	c.set([]string{"task_name", "name"}, "helper")
	if _, ok := c.spec.schema.Properties["task_name"]; ok { // Qwen Code has fork_turns without the value none
		c.set([]string{"fork_turns"}, "none")
	}
	if _, ok := c.spec.schema.Properties["description"]; ok {
		c.args["description"] = "Do a part of it"
	}
	if _, ok := c.spec.schema.Properties["mode"]; ok {
		c.args["mode"] = map[bool]string{false: "sync", true: "background"}[action.Background]
	}
	for _, name := range []string{"run_in_background", "background"} {
		if _, ok := c.spec.schema.Properties[name]; ok {
			c.args[name] = action.Background
		}
	}
	if _, ok := c.spec.schema.Properties["await"]; ok {
		c.args["await"] = !action.Background
	}
}

// complete fills in what the tool requires and no action speaks of.
func (c call) complete() {
	for _, name := range c.spec.schema.Required {
		if _, ok := c.args[name]; !ok {
			c.args[name] = c.spec.schema.Properties[name].anyValue()
		}
	}
}

func (s schema) is(kind string) bool {
	if list, ok := s.Type.([]any); ok {
		return slices.Contains(list, any(kind))
	}
	name, _ := s.Type.(string)
	return strings.EqualFold(name, kind) // Gemini writes its types in capitals
}

func (s schema) anyValue() any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.is("boolean"):
		return false
	case s.is("integer"), s.is("number"):
		return 1
	case s.is("array"):
		return []any{}
	case s.is("object"):
		return map[string]any{}
	}
	return "as planned"
}

// patch writes the action in the language of apply_patch, which knows whole lines and paths below the directory.
func (c *call) patch(action Action) {
	var body strings.Builder
	lines := func(sign, text string) {
		for line := range strings.Lines(text) {
			body.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	body.WriteString("*** Begin Patch\n")
	if action.Verb == Write {
		body.WriteString("*** Add File: " + action.Path + "\n")
		lines("+", action.Text)
	} else {
		body.WriteString("*** Update File: " + action.Path + "\n@@\n")
		lines("-", action.Old)
		lines("+", action.New)
	}
	body.WriteString("*** End Patch")
	if c.spec.freeform {
		c.input = body.String()
		return
	}
	c.args["input"] = body.String()
}
