package workplace

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/internal/cli/cliui"
)

// answerWithin bounds how long a commit waits for an answer.
const answerWithin = 15 * time.Second

// confirmLink asks whether to link a commit, at the controlling terminal of the git hook,
// wherever the hook's own streams lead. It returns true if nobody answers in time or an error
// occurs: linking is the default and does no harm.
func confirmLink(ctx context.Context, env *cliui.Env, question, detail string) bool {
	if _, set := env.TestTTY(); set {
		return true
	}
	tty, err := cliui.OpenForeground()
	if err != nil {
		return true
	}
	defer tty.Close()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return askYesNo(ctx, tty, question, detail)
}

// askYesNo writes the question and reads a line. It returns false only for "n" and "no".
func askYesNo(ctx context.Context, tty io.ReadWriter, question, detail string) bool {
	if detail != "" {
		fmt.Fprintln(tty, cliui.Printable(detail))
	}
	fmt.Fprintf(tty, "%s [Y/n] ", cliui.Printable(question))
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
