package logcmd

import (
	"context"
	"io"
	"slices"

	"entire/internal/timeline"
)

const (
	firstWindow = 50  // points: about a screen, so that the first page comes at once
	nextWindow  = 250 // points
	sameRead    = 8   // points between two that are shown, which are read with them
	lookAhead   = 64  // points after a window in which a session keeps its lane
)

// A stream passes the points of the past on, window by window.
type stream struct {
	tl     *timeline.Timeline
	from   int
	limit  int // 0 for none
	filter filter
	file   string // only the contents of this file
	sizes  bool   // of the points whose contents of the file are shown
	graph  bool
	scan   int // how many points are looked at; 0 for all

	present string
	given   int
}

// A row is a point that is shown.
type row struct {
	timeline.Point
	Present bool   `json:"present,omitempty"` // its files are those of the worktree
	Path    string `json:"path,omitempty"`    // of a file's content, with the next two
	Blob    string `json:"blob,omitempty"`
	Gone    bool   `json:"gone,omitempty"`

	lanes []lane // with a graph
}

// A sink gets the rows in order.
type sink interface {
	// begin is called once, before the rows; unlike reports that no point has the files of the worktree.
	begin(unlike bool) error
	row(r row) error
	end(given int) error
}

// flusher is a writer that holds text back.
type flusher interface{ Flush() error }

// write passes all rows to a sink that writes to out.
func (s *stream) write(ctx context.Context, out io.Writer, to sink) error {
	if err := s.begin(ctx, to); err != nil {
		return err
	}
	read := s.windows
	if s.file != "" {
		read = s.contents
	}
	flush := func() error {
		if held, ok := out.(flusher); ok {
			return held.Flush()
		}
		return nil
	}
	if err := read(ctx, to, flush); err != nil {
		return err
	}
	if err := to.end(s.given); err != nil {
		return err
	}
	return flush()
}

// begin finds the present. A worktree that cannot be read leaves it unknown.
func (s *stream) begin(ctx context.Context, to sink) error {
	w, err := s.tl.Outline(ctx, 0, 1)
	if err != nil {
		return err
	}
	present, err := s.tl.Present(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.present = present
	return to.begin(err == nil && present == "" && len(w.Points) > 0 && s.from == 0 && s.filter.all() && s.file == "")
}

// full reports whether the limit is reached.
func (s *stream) full() bool { return s.limit > 0 && s.given >= s.limit }

// give passes a row on, unless the filter leaves it out.
func (s *stream) give(to sink, r row) error {
	if s.full() || !s.filter.has(r.Point) {
		return nil
	}
	if r.ID == s.present {
		r.Present, s.present = true, "" // a rewind and the step that it made have one ID
	}
	s.given++
	return to.row(r)
}

// windows reads the timeline from s.from on.
func (s *stream) windows(ctx context.Context, to sink, flush func() error) error {
	var g graph
	for size, from := firstWindow, s.from; !s.full(); size = nextWindow {
		if left := s.limit - s.given; s.limit > 0 && s.filter.all() {
			size = min(size, left)
		}
		ahead := 0
		if s.graph {
			ahead = lookAhead
		}
		outline, err := s.tl.Outline(ctx, from, size+ahead)
		if err != nil {
			return err
		}
		points := outline.Points[:min(size, len(outline.Points))]
		if err := s.count(ctx, points); err != nil {
			return err
		}
		newer := false
		for i, p := range points {
			newer = newer || !p.When.Before(s.filter.since)
			r := row{Point: p}
			if s.graph {
				r.lanes = g.next(p, outline.Points[i+1:])
			}
			if err := s.give(to, r); err != nil {
				return err
			}
		}
		if err := flush(); err != nil {
			return err
		}
		from += len(points)
		if len(points) < size || !newer || s.scan > 0 && from >= s.scan {
			return nil
		}
	}
	return nil
}

// count adds the numbers of files and lines to the points that are shown.
func (s *stream) count(ctx context.Context, points []timeline.Point) error {
	for i := 0; i < len(points); i++ {
		if !s.filter.has(points[i]) {
			continue
		}
		last := i
		for k := i; k < len(points) && k-last <= sameRead; k++ {
			if s.filter.has(points[k]) {
				last = k
			}
		}
		w, err := s.tl.Window(ctx, points[i].Index, last-i+1)
		if err != nil {
			return err
		}
		copy(points[i:], w.Points)
		i = last
	}
	return nil
}

// contents reads the contents that the file had, each with the point that gave it. The past is searched further
// and further back.
func (s *stream) contents(ctx context.Context, to sink, flush func() error) error {
	const most = 1 << 30
	done := 0
	for points := 1000; ; points *= 8 {
		states, more, err := s.tl.FileStates(ctx, s.file, points, most)
		if err != nil {
			return err
		}
		if more && len(states) > 0 {
			states = states[:len(states)-1] // older points may have the same content
		}
		states = slices.DeleteFunc(states, func(st timeline.FileState) bool { return st.Made.Index < s.from })
		for ; done < len(states); done++ {
			st := states[done]
			if s.sizes && s.filter.has(st.Made) {
				w, err := s.tl.Window(ctx, st.Made.Index, 1)
				if err != nil {
					return err
				}
				st.Made = w.Points[0]
			}
			r := row{Point: st.Made, Path: s.file, Gone: st.Gone}
			if !st.Gone {
				r.Blob = st.Blob.String()
			}
			if err := s.give(to, r); err != nil {
				return err
			}
		}
		if err := flush(); err != nil || !more || s.full() {
			return err
		}
	}
}
