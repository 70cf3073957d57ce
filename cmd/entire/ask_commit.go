package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// answerWithin bounds how long a commit waits for an answer.
const answerWithin = 15 * time.Second

// confirmLink asks at the terminal that a git hook belongs to, whatever its own
// streams are. No answer in time, and every trouble on the way, is a yes: the
// default, which costs nothing.
func (w *world) confirmLink(ctx context.Context, question, detail string) bool {
	if _, set := w.testTTY(); set {
		return true
	}
	tty, err := openForeground()
	if err != nil {
		return true
	}
	defer tty.Close()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return askYesNo(ctx, tty, question, detail)
}

// askYesNo writes the question and reads a line. Only a no is a no.
func askYesNo(ctx context.Context, tty io.ReadWriter, question, detail string) bool {
	if detail != "" {
		fmt.Fprintln(tty, printable(detail))
	}
	fmt.Fprintf(tty, "%s [Y/n] ", printable(question))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(tty).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		return line != "n" && line != "no"
	case <-ctx.Done():
		fmt.Fprintln(tty, "\nNo answer, so the commit is linked.")
		return true
	}
}
