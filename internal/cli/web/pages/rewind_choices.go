package pages

import (
	"net/http"
	"net/url"
	"slices"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/strategy/condense"
)

// A choice is a group of options. A person takes one.
type choice struct {
	Name, Legend string
	Options      []option
}

type option struct {
	Value, Label string
	Chosen       bool
}

// choose adds the choices of scope that make sense for a request.
func (page *rewindPage) choose(r *http.Request, req rewindlib.Request) {
	q := r.URL.Query()
	pick := func(name, legend string, options ...option) {
		c := choice{Name: name, Legend: legend}
		for _, o := range options {
			o.Chosen = q.Get(name) == o.Value
			c.Options = append(c.Options, o)
		}
		if !slices.ContainsFunc(c.Options, func(o option) bool { return o.Chosen }) {
			c.Options[0].Chosen = true
		}
		page.Choices = append(page.Choices, c)
	}
	if req.Kind == "" {
		page.chooseScope(req, pick)
	}
	if len(page.PlannedRewind.Conflicts) > 0 || q.Get("conflicts") != "" {
		pick("conflicts", "Where later changes do not merge", option{Value: "", Label: "do nothing"}, option{Value: "keep", Label: "leave these files, change the others"},
			option{Value: "markers", Label: "write both sides into them, between markers"})
	}
	page.keep(q, req)
}

func (page *rewindPage) chooseScope(req rewindlib.Request, pick func(string, string, ...option)) {
	of := page.Point
	whole := of.SessionID != "" && !of.IsLogsOnly && len(req.Scope.Paths) == 0 && req.Hunks == nil
	if whole {
		scopes := []option{{Value: "", Label: "everything, but not what other sessions are doing now"}, {Value: "tree", Label: "the whole tree, whoever changed it since"},
			{Value: "session", Label: "session " + cliui.ShownSession(of.SessionID) + " alone"}}
		if of.Turn > 0 {
			scopes = append(scopes, option{Value: "turn", Label: "undo turn " + itoa(of.Turn) + " alone, keep later ones"})
		}
		pick("scope", "Whose work", scopes...)
	}
	if req.Scope.Kind == condense.ScopeTurn {
		return
	}
	if whole {
		pick("what", "What", option{Value: "", Label: "files and conversation"}, option{Value: "files", Label: rewindlib.CodeOnlyWords}, option{Value: "conversation", Label: rewindlib.ConversationOnlyWords})
	}
	if !req.Scope.SkipCode {
		pick("mine", "Later changes of people", option{Value: "", Label: "undone, too"}, option{Value: "keep", Label: "kept"})
	}
}

// keep adds the parameters that the form of choices keeps.
func (page *rewindPage) keep(q url.Values, req rewindlib.Request) {
	chosen := func(name string) bool {
		return slices.ContainsFunc(page.Choices, func(c choice) bool { return c.Name == name })
	}
	for _, name := range []string{"to", "of", "scope", "what", "mine", "session", "turn"} {
		if value := q.Get(name); value != "" && !chosen(name) {
			page.Params = append(page.Params, param{name, value})
		}
	}
	if chosen("scope") {
		page.Params = append(page.Params, param{"session", page.Point.SessionID}, param{"turn", itoa(page.Point.Turn)})
	}
	for _, path := range req.Scope.Paths {
		page.Params = append(page.Params, param{escapedPath, url.PathEscape(path)})
	}
}
