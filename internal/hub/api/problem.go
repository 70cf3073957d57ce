package api

import (
	"fmt"
	"net/http"
)

// A Problem is what is wrong with a question.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func (p *Problem) Error() string { return p.Detail }

func problem(status int, hint, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// nowhere is the answer for what does not exist and for what the asker may not see.
func nowhere(what string) *Problem {
	return problem(http.StatusNotFound, "GET /api/v1/repositories lists what you may read", "there is no %s, or you may not read it", what)
}

// Unknown is the answer for whoever is nobody.
func Unknown() *Problem {
	return problem(http.StatusUnauthorized, "send a token in the header Authorization: Bearer …, or log in", "this needs a token or a login")
}
