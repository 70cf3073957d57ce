package api

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"entire/internal/hub/access"
	"entire/internal/hub/index"
)

// maxText is the most bytes of a parameter.
const maxText = 1000

// parameters returns the values of a question, each once and readable, and none that it does not have.
func parameters(q url.Values, known ...string) (map[string]string, error) {
	out := map[string]string{}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			return nil, problem(http.StatusBadRequest, "it takes "+strings.Join(known, ", "), "the parameter %.40q is not known here", name)
		case len(values) != 1:
			return nil, problem(http.StatusBadRequest, "", "the parameter %s is given %d times", name, len(values))
		case len(values[0]) > 2*maxText || name != "repository" && len(values[0]) > maxText:
			return nil, problem(http.StatusBadRequest, "", "the parameter %s has more than %d bytes", name, maxText)
		case !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0):
			return nil, problem(http.StatusBadRequest, "", "the parameter %s is no text", name)
		}
		out[name] = values[0]
	}
	return out, nil
}

// scope returns the repositories of a question: those that it names, if p may read all of them; all that p may read, if it names none.
func (s *Service) scope(p access.Principal, names string) (index.Scope, error) {
	if names == "" {
		return p.Scope(s.Names), nil
	}
	var chosen []string
	for _, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(s.Names, name) || !p.MayRead(name) {
			return nil, nowhere("repository " + strconv.Quote(clip(name)))
		}
		chosen = append(chosen, name)
	}
	return p.Scope(chosen), nil
}

func clip(s string) string { return s[:min(len(s), 100)] }

// date reads a day; after says that the end of the day is meant.
func date(name, text string, after bool) (int64, error) {
	if text == "" {
		return 0, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, problem(http.StatusBadRequest, "a day is written as 2026-03-01", "%s is no day: %.40q", name, text)
	}
	if after {
		t = t.AddDate(0, 0, 1)
	}
	return t.UnixMilli(), nil
}

// period reads a month, or a day where days count. A day stands for its month, a month for its first or last day.
func period(name, text string, days, last bool) (string, error) {
	if text == "" {
		return "", nil
	}
	for _, form := range []string{time.DateOnly, "2006-01"} {
		t, err := time.Parse(form, text)
		switch {
		case err != nil:
			continue
		case !days:
			return t.Format("2006-01"), nil
		case form == "2006-01" && last:
			t = t.AddDate(0, 1, -1)
		}
		return t.Format(time.DateOnly), nil
	}
	return "", problem(http.StatusBadRequest, "write 2026-03 or 2026-03-01", "%s is neither a month nor a day: %.40q", name, text)
}

// periods reads since and until.
func periods(v map[string]string, days bool) (ends [2]string, err error) {
	if ends[0], err = period("since", v["since"], days, false); err != nil {
		return ends, err
	}
	ends[1], err = period("until", v["until"], days, true)
	return ends, err
}
