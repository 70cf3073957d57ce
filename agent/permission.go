package agent

// A PermissionTeller is an agent whose transcript says in which mode it may call tools, and what became of its
// questions.
type PermissionTeller interface {
	// PermissionIn returns what a line of a transcript says about permissions; the zero value for nothing.
	PermissionIn(line []byte) Permission
}

// Permission is what a line of a transcript says about permissions.
type Permission struct {
	// Mode is the mode from here on, as the agent calls it; "" if the line names none.
	Mode string
	// Answer says what became of one call of a tool; "" if the line does not say.
	Answer PermissionAnswer
	By     PermissionSource
}

// PermissionAnswer is what became of a call that needs a permission.
type PermissionAnswer string

// The answers.
const (
	Approved PermissionAnswer = "approved"
	Denied   PermissionAnswer = "denied"
)

// PermissionSource is who or what gave an answer.
type PermissionSource string

// The sources.
const (
	ByPerson   PermissionSource = "person"   // asked at that moment
	BySettings PermissionSource = "settings" // a rule, a mode or an option that was set before
	ByHook     PermissionSource = "hook"
	ByOther    PermissionSource = "other" // the agent does not say, or says something unknown here
)
