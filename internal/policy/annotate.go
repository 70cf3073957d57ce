package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"entire/internal/legible"
	"entire/internal/pathtext"
	"entire/internal/review"
)

// Annotations returns the names of the forms in which Annotate writes.
func Annotations() []string { return []string{"text", "github", "gitlab"} }

// Annotate returns the violations in a form that people ("text"), GitHub's runner ("github": workflow commands) or
// GitLab ("gitlab": a Code Quality report) understand. file is the policy, for what is in no file.
func Annotate(form, file string, list []review.Violation) ([]byte, error) {
	var b strings.Builder
	switch form {
	case "github":
		for _, v := range list {
			b.WriteString(workflowCommand(v) + "\n")
		}
	case "gitlab":
		return codeQuality(file, list)
	default:
		for _, v := range list {
			b.WriteString(lineOf(v) + "\n")
		}
	}
	return []byte(b.String()), nil
}

// lineOf returns a violation as a line for people.
func lineOf(v review.Violation) string {
	where := ""
	switch {
	case v.Path != "" && v.Start == v.End:
		where = fmt.Sprintf("%s:%d: ", legible.Line(v.Path), v.Start)
	case v.Path != "":
		where = fmt.Sprintf("%s:%d-%d: ", legible.Line(v.Path), v.Start, v.End)
	case v.Commit != "":
		where = v.Commit[:7] + ": "
	}
	return where + legible.Line(v.Message)
}

// workflowCommand returns an annotation of GitHub. A path that a log could not show is only in the text.
func workflowCommand(v review.Violation) string {
	plain := pathtext.Decode(v.Path)
	if v.Path == "" || legible.Line(plain) != plain {
		return "::error title=" + property("entire "+v.Rule) + "::" + message(lineOf(v))
	}
	return fmt.Sprintf("::error file=%s,line=%d,endLine=%d,title=%s::%s", property(plain), v.Start, v.End, property("entire "+v.Rule), message(legible.Line(v.Message)))
}

func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(text))
}

// codeQuality returns a report of GitLab.
func codeQuality(file string, list []review.Violation) ([]byte, error) {
	type lines struct {
		Begin int `json:"begin"`
		End   int `json:"end,omitempty"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		Check       string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	out := []issue{}
	for _, v := range list {
		sum := sha256.Sum256([]byte(strings.Join([]string{v.Rule, v.Path, v.Commit, v.Message, fmt.Sprint(v.Start)}, "\x00")))
		one := issue{v.Message, "entire " + v.Rule, hex.EncodeToString(sum[:16]), "major", location{file, lines{Begin: 1}}}
		if v.Path != "" {
			one.Location = location{pathtext.Decode(v.Path), lines{v.Start, v.End}}
		} else if v.Commit != "" {
			one.Description = v.Commit[:7] + ": " + v.Message
		}
		out = append(out, one)
	}
	data, err := json.MarshalIndent(out, "", " ")
	return append(data, '\n'), err
}
