package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/workplace"
)

// status shows whether recording works here.
func (p *Pages) status(ctx context.Context, _ *http.Request) (*answer, error) {
	p.begin(ctx, &answer{title: "Status", section: "status", live: true})
	v, err := statuslib.Read(ctx, p.env)
	if err != nil {
		return nil, err
	}
	return &answer{template: "status", title: "Status", section: "status", live: true, body: v}, nil
}

// A doctorPage is what an examination has found.
type doctorPage struct {
	*statuslib.Diagnosis
	Waiting string `json:"waiting,omitempty"` // how far the examination has come
	Mended  bool   `json:"-"`
}

// Mendable returns how many findings have a repair.
func (d doctorPage) Mendable() (n int) {
	if d.Diagnosis == nil {
		return 0
	}
	for _, f := range d.Findings {
		if f.Mend != nil && !f.Fixed {
			n++
		}
	}
	return n
}

// doctor examines everything that is stored.
func (p *Pages) doctor(ctx context.Context, _ *http.Request) (*answer, error) {
	a := &answer{template: "doctor", title: "Doctor", section: "doctor"}
	found, done, err := p.examining.run(ctx, &p.works, func(ctx context.Context, tell func(string)) (*statuslib.Diagnosis, error) {
		return p.diagnose(ctx, false, tell)
	})
	if err != nil {
		return nil, err
	}
	if !done {
		a.body, a.refresh = doctorPage{Waiting: "Everything that is stored is being read. " + p.examining.progress()}, true
		return a, nil
	}
	a.body = doctorPage{Diagnosis: found}
	return a, nil
}

// mend repairs what can be repaired.
func (p *Pages) mend(ctx context.Context, _ *http.Request) (*answer, error) {
	found, err := p.diagnose(ctx, true, func(string) {})
	if err != nil {
		return nil, err
	}
	return &answer{template: "doctor", title: "Doctor", section: "doctor", body: doctorPage{Diagnosis: found, Mended: true}}, nil
}

func (p *Pages) diagnose(ctx context.Context, fix bool, tell func(string)) (*statuslib.Diagnosis, error) {
	wp, settingsErr, err := workplace.OpenHere(ctx, p.env, cliui.Failf("outside git there is nothing to examine", "not a git repository"))
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	found, err := statuslib.Diagnose(ctx, p.env, wp, settingsErr, fix, func(what string, done, total int) {
		tell(fmt.Sprintf("%s: %d of %d.", what, done, total))
	})
	if errors.Is(err, cliui.ErrTold) {
		err = nil
	}
	return found, err
}
