package hubserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/hubcmd"
	"entire/internal/durable"
	"entire/internal/hub/access"
	"entire/internal/hub/export"
	"entire/internal/hub/index"
	"entire/internal/hub/ingest"
	"entire/internal/hub/serve"
	"entire/internal/hub/settings"
)

// open reads the configuration and opens the index.
func (s *server) open(ctx context.Context, o hubcmd.Options) (*settings.Hub, *index.Index, error) {
	conf, err := s.configuration(o)
	if err != nil {
		return nil, nil, err
	}
	x, err := serve.OpenIndex(ctx, conf, s.env.Getenv)
	return conf, x, err
}

// rebuild drops the index and makes it again.
func (s *server) rebuild(ctx context.Context, o hubcmd.Options) error {
	conf, x, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Drop(ctx); err != nil {
		return err
	}
	return s.fetchAll(ctx, conf, x)
}

// fetchAll reads every repository, as many at once as the configuration says.
func (s *server) fetchAll(ctx context.Context, conf *settings.Hub, x *index.Index) error {
	sources, err := serve.Sources(ctx, conf, x, s.world())
	if err != nil {
		return err
	}
	type end struct {
		name string
		res  ingest.Result
		took time.Duration
		err  error
	}
	ends, slots := make(chan end), make(chan struct{}, conf.Workers)
	for _, src := range sources {
		go func() {
			slots <- struct{}{}
			began := s.env.Now()
			res, err := syncWaiting(ctx, src)
			<-slots
			ends <- end{src.Name, res, s.env.Now().Sub(began), err}
		}()
	}
	var errs []error
	for i := range sources {
		e := <-ends
		if e.err != nil {
			errs = append(errs, e.err)
			continue
		}
		fmt.Fprintf(s.env.Err, "%d of %d: %s, %s read in %s\n", i+1, len(sources), e.name, cliui.Count(e.res.Added, "checkpoint"), e.took.Round(time.Millisecond))
	}
	return errors.Join(errs...)
}

// syncWaiting reads a repository, once no other replica does.
func syncWaiting(ctx context.Context, src *ingest.Source) (ingest.Result, error) {
	for {
		res, err := src.Sync(ctx)
		if !errors.Is(err, ingest.ErrBusy) && !errors.Is(err, index.ErrMoved) {
			return res, err
		}
		if err := durable.Pause(ctx, time.Second); err != nil {
			return res, err
		}
	}
}

// check says what is wrong with the index.
func (s *server) check(ctx context.Context, o hubcmd.Options) error {
	conf, x, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	defer x.Close()
	var problems []string
	if o.Fetch {
		if err := s.fetchAll(ctx, conf, x); err != nil {
			problems = append(problems, err.Error())
		}
	}
	found, err := x.Check(ctx)
	if err != nil {
		return err
	}
	problems = append(problems, found...)
	n := 0
	for _, r := range conf.Repositories {
		kept, err := x.Repository(ctx, index.Number(r.Name))
		switch {
		case err != nil || kept.State == "":
			problems = append(problems, "the repository "+r.Name+" was not read yet")
		case kept.Problem != "":
			problems = append(problems, kept.Problem)
		default:
			n++
		}
	}
	return s.report(o.JSON, n, problems)
}

// report prints what check has found.
func (s *server) report(asJSON bool, fine int, problems []string) error {
	if asJSON {
		if problems == nil {
			problems = []string{}
		}
		if err := s.env.PrintJSON(map[string]any{"repositories": fine, "problems": problems}); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintln(s.env.Out, cliui.ShownLine(p))
		}
		if len(problems) == 0 {
			repositories := "1 repository"
			if fine != 1 {
				repositories = fmt.Sprintf("%d repositories", fine)
			}
			fmt.Fprintf(s.env.Out, "The index is whole: %s.\n", repositories)
		}
	}
	if len(problems) > 0 {
		return cliui.Failf("`entire hub rebuild` makes the index again", "%s", cliui.Count(len(problems), "problem"))
	}
	return nil
}

// export writes the tables.
func (s *server) export(ctx context.Context, o hubcmd.Options) error {
	_, x, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	defer x.Close()
	folder, err := s.env.Abs(o.Folder)
	if err != nil {
		return err
	}
	list, err := export.Parquet(ctx, x, folder)
	if err != nil {
		return err
	}
	type file struct {
		Table string `json:"table"`
		Path  string `json:"path"`
		Rows  int64  `json:"rows"`
	}
	files := []file{}
	for _, w := range list {
		files = append(files, file(w))
	}
	if o.JSON {
		return s.env.PrintJSON(map[string]any{"files": files})
	}
	for _, f := range files {
		fmt.Fprintf(s.env.Out, "%-14s %10d rows  %s\n", f.Table, f.Rows, cliui.ShownName(f.Path))
	}
	return nil
}

// token prints a new token.
func (s *server) token(_ context.Context, o hubcmd.Options) error {
	token, sum := access.NewToken()
	if o.JSON {
		return s.env.PrintJSON(map[string]string{"token": token, "sha256": sum})
	}
	_, err := fmt.Fprintf(s.env.Out, "token:  %s\nsha256: %s\n", token, sum)
	return err
}
