package lists

// The columns of the text index. A message's role decides its column, so that each role has its own weight.
const (
	ColTitle = iota // session: title and tags; checkpoint: the commit's subject
	ColAsked        // text of a person
	ColSaid         // text of the agent; checkpoint: the summary
	ColDid          // the agent's tool calls
	ColGot          // the tools' answers
	ColNoted        // text of programs
	ColFiles        // file names
	Columns
)

// Weights of the columns: a match in a title counts more than one in a tool's answer.
var Weights = [Columns]float64{ColTitle: 5, ColAsked: 4, ColSaid: 2.2, ColDid: 1.2, ColGot: 1, ColNoted: 0.7, ColFiles: 2}

// Telling are the columns that a search of a frequent word compares in full.
const Telling = 1<<ColTitle | 1<<ColAsked | 1<<ColFiles

// A View says which lists and columns of them a walk uses.
type View struct {
	Telling bool // the lists of titles, prompts and file names
	Columns int
}

// every reports whether the lists have nothing in other columns.
func (v View) every() bool {
	return v.Columns == Everything.Columns || v.Telling && v.Columns == Telling
}

// Word returns what the keys of words begin with.
func (v View) Word() string {
	if v.Telling {
		return keyTelling
	}
	return ""
}

// Letters returns what the keys of first letters begin with.
func (v View) Letters() string {
	if v.Telling {
		return keyTellingPrefix
	}
	return keyPrefix
}

// Everything is the view of all lists and columns.
var Everything = View{Columns: 1<<Columns - 1}

// NumberBits of a rowid are the message's number; 0 is the session's own row.
const NumberBits = 24
