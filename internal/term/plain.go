package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxAnswer bounds the length of an answer.
const maxAnswer = 1 << 10

func (t Terminal) plainConfirm(ctx context.Context, question, detail string, preset bool) (bool, error) {
	keys := " [y/N] "
	if preset {
		keys = " [Y/n] "
	}
	if detail != "" {
		fmt.Fprintln(t.Out, detail)
	}
	for {
		answer, err := t.line(ctx, question+keys)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "":
			return preset, nil
		}
		fmt.Fprintln(t.Out, "Please answer y or n.")
	}
}

// plainSelect asks for a number. There is no default: a line without a number chooses
// nothing.
func (t Terminal) plainSelect(ctx context.Context, title string, options []string) (int, error) {
	fmt.Fprintln(t.Out, title)
	for i, o := range options {
		fmt.Fprintf(t.Out, "%d. %s\n", i+1, o)
	}
	for {
		answer, err := t.line(ctx, fmt.Sprintf("Enter a number between 1 and %d: ", len(options)))
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
	}
}

// plainChoose asks for numbers; a line without any chooses what is marked.
func (t Terminal) plainChoose(ctx context.Context, title string, options []string, preset []bool) ([]int, error) {
	fmt.Fprintln(t.Out, title)
	var marked []int
	for i, o := range options {
		mark := " "
		if preset[i] {
			mark = "*"
			marked = append(marked, i)
		}
		fmt.Fprintf(t.Out, "%s %d. %s\n", mark, i+1, o)
	}
	for {
		answer, err := t.line(ctx, "Enter numbers, or nothing for those with *: ")
		if err != nil {
			return nil, err
		}
		words := strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' })
		if len(words) == 0 {
			return marked, nil
		}
		var chosen []int
		for _, word := range words {
			if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(options) && !slices.Contains(chosen, n-1) {
				chosen = append(chosen, n-1)
			} else if err != nil || n < 1 || n > len(options) {
				chosen = nil
				break
			}
		}
		if slices.Sort(chosen); len(chosen) > 0 {
			return chosen, nil
		}
	}
}

// line reads one line, byte by byte so that it consumes nothing of the next one. The end
// of the input is no answer. If ctx is done first, the read continues in the background
// until the process ends.
func (t Terminal) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.Out, prompt)
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := readLine(t.In)
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.Out)
		return "", ErrCancelled
	case r := <-done:
		if errors.Is(r.err, io.EOF) {
			fmt.Fprintln(t.Out) // what follows is no part of the question
			return "", ErrCancelled
		}
		return strings.TrimSpace(r.text), r.err
	}
}

func readLine(r io.Reader) (string, error) {
	var text []byte
	one := make([]byte, 1)
	for len(text) < maxAnswer {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' {
			break
		}
		text = append(text, one[:n]...)
		if err != nil {
			return "", err
		}
	}
	return string(text), nil
}

// Line asks for a line of text.
func (t Terminal) Line(ctx context.Context, prompt string) (string, error) {
	if !t.Interactive {
		return "", ErrNotInteractive
	}
	return t.line(ctx, prompt)
}
