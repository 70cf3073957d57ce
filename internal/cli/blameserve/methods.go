package blameserve

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/lineage"
)

// methodNames are the methods, as hello lists them.
var methodNames = []string{"hello", "open", "edit", "refresh", "close", "why", "cancel"}

// methods are the methods by name. One returns a result or a failure; or neither, and a job answers.
var methods = map[string]func(*Server, request) (any, *failure){
	"hello": (*Server).hello, "open": (*Server).open, "edit": (*Server).edit, "refresh": (*Server).refresh,
	"close": (*Server).close, "why": (*Server).why, "cancel": (*Server).cancel,
}

// params reads the parameters of a request.
func params[T any](q request) (T, *failure) {
	var p T
	if err := json.Unmarshal(q.Params, &p); err != nil {
		return p, failed(codeParams, "the parameters of "+q.Method+" are not as docs/editors.md describes them", "")
	}
	return p, nil
}

type helloResult struct {
	Version int      `json:"version"`
	Program string   `json:"program"`
	Top     string   `json:"top"` // the folder that paths are relative to
	Methods []string `json:"methods"`
}

func (s *Server) hello(q request) (any, *failure) {
	p, bad := params[struct {
		Version int `json:"version"`
	}](q)
	switch {
	case bad != nil:
		return nil, bad
	case p.Version != protocolVersion:
		return nil, failed(codeVersion, "this program speaks version 1 of the protocol", "install the plug-in that came with this program, or a newer program")
	}
	s.greeted = true
	var user string
	s.jobs.add(&job{do: func(ctx context.Context) func() error {
		values, err := s.place.Repo.Config(ctx, "user.name")
		if err == nil {
			user = values["user.name"]
		}
		return func() error { s.owners.user = cliui.ShownLine(user); return nil }
	}, fail: func(*failure) error { return nil }})
	return helloResult{protocolVersion, "entire " + s.env.Version, s.top, methodNames}, nil
}

// document returns the open document of a path.
func (s *Server) document(path string) (*document, *failure) {
	path, bad := s.path(path)
	if bad != nil {
		return nil, bad
	}
	d := s.documents[path]
	if d == nil {
		return nil, failed(codeNotOpen, cliui.ShownName(path)+" is not open", "open it first")
	}
	return d, nil
}

// path returns a path of the editor's relative to the worktree's top. The editor gives it relative to that, too, or
// absolute.
func (s *Server) path(path string) (string, *failure) {
	switch {
	case path == "":
		return "", failed(codeParams, "the path is missing", "")
	case strings.ContainsRune(path, 0):
		return "", failed(codeParams, "the path has a byte 0", "")
	}
	full := filepath.FromSlash(path)
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.place.Repo.Top, full)
	}
	paths, err := workplace.RepoPaths(s.env, s.place, []string{full})
	if err != nil {
		return "", failureOf(codeOutside, err)
	}
	if first, _, _ := strings.Cut(paths[0], "/"); paths[0] == "." || strings.EqualFold(first, ".git") {
		return "", failed(codeOutside, cliui.ShownName(path)+" is no file of the worktree", "")
	}
	return paths[0], nil
}

func (s *Server) open(q request) (any, *failure) {
	p, bad := params[struct {
		Path string  `json:"path"`
		Text *string `json:"text"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	path, bad := s.path(p.Path)
	switch {
	case bad != nil:
		return nil, bad
	case s.documents[path] == nil && len(s.documents) >= maxDocuments:
		return nil, failed(codeTooLarge, "too many open files", "close some")
	}
	d := &document{path: path}
	if p.Text != nil {
		d.buffer, d.dirty = splitText(*p.Text), true
	}
	s.outdate(path)
	s.documents[path] = d
	s.blame(q, d)
	return nil, nil
}

// refresh finds the owners again, of the file on disk as it is now. With saved, the buffer is what is on disk.
func (s *Server) refresh(q request) (any, *failure) {
	p, bad := params[struct {
		Path  string `json:"path"`
		Saved bool   `json:"saved"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	d, bad := s.document(p.Path)
	if bad != nil {
		return nil, bad
	}
	if p.Saved {
		d.buffer, d.dirty, d.before = nil, false, nil
	}
	s.outdate(d.path)
	s.blame(q, d)
	return nil, nil
}

func (s *Server) close(q request) (any, *failure) {
	p, bad := params[struct {
		Path string `json:"path"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	d, bad := s.document(p.Path)
	if bad != nil {
		return nil, bad
	}
	s.outdate(d.path)
	delete(s.documents, d.path)
	delete(s.disk, d.path)
	delete(s.noticed, d.path)
	return struct{}{}, nil
}

// outdate ends the questions for the owners of a file.
func (s *Server) outdate(path string) {
	s.jobs.stop(func(j *job) bool { return j.path == path }, failed(codeOutdated, "a later request asks for the same file, or closed it", ""))
}

func (s *Server) cancel(q request) (any, *failure) {
	p, bad := params[struct {
		ID json.RawMessage `json:"id"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	found := s.jobs.stop(func(j *job) bool { return j.id == string(p.ID) }, failed(codeCancelled, "the editor cancelled the request", ""))
	return map[string]bool{"cancelled": found}, nil
}

// linesResult tells the owners of lines: all of them, or after an edit those that changed.
type linesResult struct {
	Path   string          `json:"path"`
	Lines  int             `json:"lines"` // of the buffer
	All    bool            `json:"all"`   // the runs cover all lines
	Runs   []run           `json:"runs"`
	Owners map[int32]owner `json:"owners,omitempty"` // those that the editor has not been told yet
}

func (s *Server) edit(q request) (any, *failure) {
	p, bad := params[struct {
		Path    string   `json:"path"`
		Changes []change `json:"changes"`
	}](q)
	if bad != nil {
		return nil, bad
	}
	d, bad := s.document(p.Path)
	switch {
	case bad != nil:
		return nil, bad
	case d.base == nil && !d.dirty:
		return nil, failed(codeNotOpen, "the lines of "+cliui.ShownName(d.path)+" are not known yet", "wait for the answer to open, or give it the text")
	case !d.apply(p.Changes):
		return nil, failed(codeParams, "a change is outside the buffer", "open the file again, with its text")
	case d.base == nil: // the answer to open tells the owners
		return linesResult{Path: d.path, Lines: d.lines(), Runs: []run{}}, nil
	}
	now := d.compare(s.owners.unsaved)
	runs := changedRuns(d.owners, now)
	d.owners = now
	return linesResult{Path: d.path, Lines: d.lines(), Runs: runs, Owners: s.owners.tell(runs)}, nil
}

// blame finds the owners of a document's lines on disk, and answers with those of its buffer.
func (s *Server) blame(q request, d *document) {
	s.jobs.add(&job{id: string(q.ID), path: d.path, do: func(ctx context.Context) func() error {
		disk, now := stateOfFile(s.place.Repo.Top, d.path), stateOf(ctx, s.place)
		lines, err := ownerlib.Blame(ctx, s.place, d.path, "")
		return func() error {
			switch {
			case err != nil:
				return s.refuse(q.ID, failureOf(codeNoBlame, err))
			case ownerlib.IsBinary(lines):
				return s.refuse(q.ID, failed(codeBinary, cliui.ShownName(d.path)+" is a binary file", ""))
			}
			s.disk[d.path], s.noticed[d.path] = disk, false
			s.state, s.stateTold = now, false
			return s.rebased(q, d, lines)
		}
	}, fail: func(why *failure) error { return s.refuse(q.ID, why) }})
}

func (s *Server) rebased(q request, d *document, lines []lineage.Line) error {
	d.rebase(newBase(d.path, lines, s.owners))
	d.owners = d.compare(s.owners.unsaved)
	runs := runsOf(d.owners)
	err := s.reply(q.ID, linesResult{Path: d.path, Lines: d.lines(), All: true, Runs: runs, Owners: s.owners.tell(runs)})
	if wanted := s.owners.wanted(); err == nil && len(wanted) > 0 {
		s.findPrompts(wanted)
	}
	return err
}
