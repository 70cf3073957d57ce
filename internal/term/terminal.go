package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"charm.land/huh/v2"
	xterm "github.com/charmbracelet/x/term"

	"entire/internal/legible"
)

// ErrNotInteractive is returned by a question if nobody can answer.
var ErrNotInteractive = errors.New("not a terminal")

// ErrCancelled is returned if the person ended a question without an answer.
var ErrCancelled = errors.New("no answer was given")

// Terminal is where a person reads and types.
type Terminal struct {
	In          io.Reader
	Out         io.Writer
	Interactive bool // a person is there to answer
	Accessible  bool // plain prompts, line by line, for screen readers
	Color       bool
	Mark        string // part of Styled's sequences, by which Out recognises them
}

// IsTerminal reports whether f, a reader or writer, is a terminal.
func IsTerminal(f any) bool {
	file, ok := fileOf(f)
	return ok && xterm.IsTerminal(file.Fd())
}

// Raw returns the writer below one that makes text legible: for content that is not text,
// and for code that draws on a screen itself.
func Raw(w io.Writer) io.Writer {
	if over, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return over.Unwrap()
	}
	return w
}

func fileOf(f any) (interface{ Fd() uintptr }, bool) {
	if w, ok := f.(io.Writer); ok {
		f = Raw(w)
	}
	file, ok := f.(interface{ Fd() uintptr })
	return file, ok
}

// heightOf returns the number of lines of the terminal w, 0 if w is not one.
func heightOf(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	_, height, err := xterm.GetSize(file.Fd())
	if err != nil {
		return 0
	}
	return height
}

// Confirm asks a yes-or-no question; detail explains the answer. Enter alone means no.
func (t Terminal) Confirm(ctx context.Context, question, detail string) (bool, error) {
	return t.confirm(ctx, question, detail, false)
}

// ConfirmSafe is [Terminal.Confirm] for actions that can be undone: Enter alone means yes.
func (t Terminal) ConfirmSafe(ctx context.Context, question, detail string) (bool, error) {
	return t.confirm(ctx, question, detail, true)
}

func (t Terminal) confirm(ctx context.Context, question, detail string, yes bool) (bool, error) {
	if t.Accessible && t.Interactive {
		return t.plainConfirm(ctx, question, detail, yes)
	}
	field := huh.NewConfirm().Title(legible.Text(question)).Description(legible.Text(detail)).Affirmative("Yes").Negative("No").Value(&yes)
	if err := t.ask(ctx, field); err != nil {
		return false, err
	}
	return yes, nil
}

// Select lets the person choose one of options and returns its index.
func (t Terminal) Select(ctx context.Context, title string, options []string) (int, error) {
	if len(options) == 0 {
		return 0, errors.New("nothing to choose from")
	}
	if t.Accessible && t.Interactive {
		return t.plainSelect(ctx, title, options)
	}
	chosen := 0
	list := make([]huh.Option[int], len(options))
	for i, o := range options {
		list[i] = huh.NewOption(legible.Line(o), i)
	}
	field := huh.NewSelect[int]().Title(legible.Text(title)).Options(list...).Value(&chosen)
	if err := t.ask(ctx, field); err != nil {
		return 0, err
	}
	return chosen, nil
}

// Choose lets the person mark any of options, and returns the indices of the marked ones in order. At first
// those in preset are marked.
func (t Terminal) Choose(ctx context.Context, title string, options []string, preset []bool) ([]int, error) {
	if len(options) == 0 {
		return nil, errors.New("nothing to choose from")
	}
	if t.Accessible && t.Interactive {
		return t.plainChoose(ctx, title, options, preset)
	}
	var chosen []int
	list := make([]huh.Option[int], len(options))
	for i, o := range options {
		list[i] = huh.NewOption(legible.Line(o), i).Selected(preset[i])
	}
	field := huh.NewMultiSelect[int]().Title(legible.Text(title)).Description("space marks, enter confirms").Options(list...).Value(&chosen)
	if err := t.ask(ctx, field); err != nil {
		return nil, err
	}
	slices.Sort(chosen)
	return chosen, nil
}

func (t Terminal) ask(ctx context.Context, field huh.Field) error {
	if !t.Interactive {
		return ErrNotInteractive
	}
	form := huh.NewForm(huh.NewGroup(field)).WithInput(t.In).WithOutput(Raw(t.Out))
	if !t.Color {
		form = form.WithTheme(huh.ThemeFunc(huh.ThemeBase))
	}
	err := form.RunWithContext(ctx)
	switch {
	case ctx.Err() != nil, errors.Is(err, huh.ErrUserAborted):
		return ErrCancelled
	case err != nil:
		return fmt.Errorf("ask on the terminal: %w", err)
	}
	return nil
}
