package maintaincmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/term"
)

func traceCommand(env *cliui.Env) *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Show where the time of the last hooks went",
		Long: `Show how long the last hooks took in this worktree, and where the time went, in
milliseconds; below it how long each kind of hook took, the median and the longest.

  read     the payload was read, and the worktree found
  open     settings and repository were opened
  record   steps were saved, commits were linked
  store    the conversation was stored
  rest     what follows later was begun

The start of the program itself is not in it. Hooks note their time only where the log
level is debug: "log_level": "debug" in .entire/settings.local.json, or
ENTIRE_LOG_LEVEL=debug in the environment of agent and git.`,
		Example: `  entire doctor trace
  entire doctor trace -n 100 --json | jq -s 'max_by(.ms)'`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrace(cmd.Context(), env, n, asJSON) },
	}
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "the last `NUMBER` of hooks; 0 is all of them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each hook")
	return cmd
}

// A tracedHook is a run of a hook, and its JSON form.
type tracedHook struct {
	Time   time.Time        `json:"time"` // its end
	Hook   string           `json:"hook"`
	MS     float64          `json:"ms"`
	Micros map[string]int64 `json:"us"` // the parts
}

// hookParts are the parts of a hook's time, in order.
var hookParts = []string{"read", "open", "record", "store", "rest"}

// traced returns the run that a record of the log tells of.
func traced(r logRecord) (t tracedHook, ok bool) {
	owner, _ := r.More["of"].(string)
	verb, _ := r.More["hook"].(string)
	whole, timed := r.More["ms"].(float64)
	if r.Message != "hook ended" || !timed {
		return t, false
	}
	t = tracedHook{Time: r.Time, Hook: strings.TrimSpace(owner + " " + verb), MS: whole, Micros: map[string]int64{}}
	parts, _ := r.More["us"].(map[string]any)
	var sum int64
	for name, v := range parts {
		if us, isNumber := v.(float64); isNumber && slices.Contains(hookParts, name) {
			t.Micros[name] = int64(us)
			sum += int64(us)
		}
	}
	if sum > 0 {
		t.MS = float64(sum) / 1000
	}
	return t, true
}

func runTrace(ctx context.Context, env *cliui.Env, n int, asJSON bool) error {
	if n < 0 {
		return cliui.Failf("0 is all hooks", "-n cannot be %d", n)
	}
	files, err := logHere(env)
	if err != nil {
		return err
	}
	var all []tracedHook
	err = readLog(files, func(r logRecord) {
		if t, ok := traced(r); ok {
			all = append(all, t)
		}
	})
	if err != nil {
		return err
	}
	last := all
	if n > 0 {
		last = all[max(0, len(all)-n):]
	}
	if asJSON {
		enc := env.JsonLines()
		for _, t := range last {
			if err := enc.Encode(t); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return cliui.Failf(`write "log_level": "debug" into .entire/settings.local.json, work for a while, and ask again`, "no hook has noted its time here")
	}
	return env.Show(ctx, traceText(env.Screen(), env.Width(), last, all), false)
}

const (
	partWidth  = 7  // of a column of milliseconds
	leastHook  = 12 // the least width of the column of hooks
	traceUsual = 80 // columns without a terminal
)

// traceText shows the last runs, and below them every kind of hook, in the width of the screen.
func traceText(t term.Terminal, columns int, last, all []tracedHook) string {
	if columns <= 0 {
		columns = traceUsual
	}
	width := len("HOOK")
	for _, h := range all {
		width = max(width, len(cliui.ShownLine(h.Hook)))
	}
	width = min(width, max(leastHook, columns-len("15:04:05")-2-(partWidth+1)*(1+len(hookParts))))
	var b strings.Builder
	head := fmt.Sprintf("%-8s  %-*s %*s", "WHEN", width, "HOOK", partWidth, "MS")
	for _, name := range hookParts {
		head += fmt.Sprintf(" %*s", partWidth, strings.ToUpper(name))
	}
	b.WriteString(t.Styled(term.Strong, head) + "\n")
	for _, h := range last {
		fmt.Fprintf(&b, "%-8s  %-*s %*.1f", h.Time.Local().Format("15:04:05"), width, term.Cut(cliui.ShownLine(h.Hook), width), partWidth, h.MS)
		for _, name := range hookParts {
			if us, has := h.Micros[name]; has {
				fmt.Fprintf(&b, " %*.1f", partWidth, float64(us)/1000)
			} else {
				fmt.Fprintf(&b, " %*s", partWidth, "-")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + t.Styled(term.Strong, fmt.Sprintf("%-*s %7s %9s %9s", width, "HOOK", "RUNS", "MEDIAN", "LONGEST")) + "\n")
	for _, kind := range kinds(all) {
		fmt.Fprintf(&b, "%-*s %7d %9.1f %9.1f\n", width, term.Cut(cliui.ShownLine(kind.hook), width), len(kind.ms), kind.ms[len(kind.ms)/2], kind.ms[len(kind.ms)-1])
	}
	return b.String()
}

// A hookKind is a kind of hook with the times of its runs, the shortest first.
type hookKind struct {
	hook string
	ms   []float64
}

// kinds returns every kind of hook, the one with the longest run first.
func kinds(all []tracedHook) []hookKind {
	of := map[string][]float64{}
	for _, h := range all {
		of[h.Hook] = append(of[h.Hook], h.MS)
	}
	var list []hookKind
	for hook, ms := range of {
		slices.Sort(ms)
		list = append(list, hookKind{hook, ms})
	}
	slices.SortFunc(list, func(a, b hookKind) int {
		return cmp.Or(cmp.Compare(b.ms[len(b.ms)-1], a.ms[len(a.ms)-1]), cmp.Compare(a.hook, b.hook))
	})
	return list
}
