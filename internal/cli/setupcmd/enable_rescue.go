package setupcmd

import (
	"context"
	"fmt"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/term"
)

// lookLimit bounds the look at what agents keep: it is an offer, and nobody waits for it.
const lookLimit = 5 * time.Second

// offerRescue tells of conversations of the repository that were held before it was enabled, and asks a person at
// a terminal whether to import them. What fails is left to `entire rescue`, which says why.
func offerRescue(ctx context.Context, env *cliui.Env, top string) {
	look, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	s, err := rescuelib.Look(look, env, top, rescuelib.Options{}, func(string) {})
	if err != nil {
		return
	}
	defer s.Close() // only the memory of what was looked at is saved
	wanted := s.WantedHere()
	if len(wanted) == 0 {
		return
	}
	var size int64
	for _, it := range wanted {
		size += it.Size
	}
	what := fmt.Sprintf("%s of this project from before (%s)", cliui.Count(len(wanted), "conversation"), cliui.ByteCount(size))
	t := env.Terminal()
	if !t.Interactive {
		fmt.Fprintf(env.Out, "Agents keep %s: `entire rescue` imports them.\n", what)
		return
	}
	yes, err := t.Confirm(ctx, "Import "+what+"?", "Without secrets, into the store on this machine, and again once a day what is new. `entire rescue --daily=false` ends that.")
	if err != nil || !yes {
		fmt.Fprintln(env.Out, "`entire rescue` imports them later.")
		return
	}
	importNow(ctx, env, s, wanted, top, size)
}

func importNow(ctx context.Context, env *cliui.Env, s *rescuelib.Survey, wanted []*rescuelib.Item, top string, size int64) {
	ctx, cancel := env.Interruptible(ctx)
	defer cancel()
	bar := term.NewProgress(env.Err, "Importing", size)
	done, messages := 0, 0
	err := s.Import(ctx, wanted, func(t rescuelib.Taken) {
		bar.Add(t.Size)
		if t.Err == nil {
			done, messages = done+1, messages+t.Added
		}
	})
	bar.Done()
	if err == nil {
		err = rescuelib.SetDaily(top, true)
	}
	if err != nil || done < len(wanted) {
		fmt.Fprintf(env.Err, "warning: %d of %s imported; `entire rescue` goes on and says what is wrong\n", done, cliui.Count(len(wanted), "conversation"))
		return
	}
	fmt.Fprintf(env.Out, "✓ Imported %s with %s\n", cliui.Count(done, "conversation"), cliui.Count(messages, "message"))
}
