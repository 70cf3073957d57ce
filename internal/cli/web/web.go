package web

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/browser"
	"entire/internal/cli/web/static"
)

type options struct {
	port             int
	noOpen, readOnly bool
	static           string
	pages            int
}

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(command(env))
}

func command(env *cliui.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Show the past in a browser",
		Long: `Show the past of this repository as pages in a browser: the timeline, each point with its
changes and what was said, and going back to it.

The pages are served by this command, on this machine only, until Ctrl-C ends it. The
link that it prints lets one browser in, once; then it prints another. Nothing is loaded
from elsewhere, and every page reads without script.

With --static it writes the pages into a folder instead, to be shared: the text of files
and of everything else goes through the redactor once more, and there is no search and
nothing that changes something.`,
		Example: `  entire web
  entire web --read-only          # nothing can be changed from the pages
  entire web --no-open --port 4321
  entire web --static site
  entire web export main..HEAD --out review.html`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.static != "" {
				return writeSite(cmd.Context(), env, o)
			}
			return serve(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.port, "port", 0, "listen on this `PORT` instead of any free one")
	f.BoolVar(&o.noOpen, "no-open", false, "only print the link")
	f.BoolVar(&o.readOnly, "read-only", false, "take away everything that changes something")
	f.StringVar(&o.static, "static", "", "write the pages into the folder `DIR`, without secrets, and serve nothing")
	f.IntVar(&o.pages, "pages", static.PagesMax, "with --static: at most `N` pages, the newest first")
	cmd.MarkFlagsMutuallyExclusive("static", "port")
	cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	cmd.AddCommand(exportCommand(env))
	return cmd
}

// launchWithin is how long the link is valid that a browser is started with: other users may see it among the
// arguments of the browser.
const launchWithin = 30 * time.Second

// serve serves the pages until ctx ends.
func serve(ctx context.Context, env *cliui.Env, o options) error {
	if o.port < 0 || o.port > 65535 {
		return cliui.Failf("a number from 0 to 65535; 0 is any free one", "--port cannot be %d", o.port)
	}
	s, err := Start(ctx, env, Options{Port: o.port, ReadOnly: o.readOnly, Zone: time.Local, Entered: func(s *Server) {
		fmt.Fprintf(env.Err, "A browser has entered. For another one: %s\n", s.Link("/", 0))
	}})
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s\n", s.Link("/", 0))
	fmt.Fprintln(env.Err, "Open this link in a browser; it works once. Ctrl-C ends the pages.")
	env.Flush()
	if !o.noOpen && env.Terminal().Interactive {
		if err := browser.Open(runtime.GOOS, env.Environ, s.Link("/", launchWithin)); err != nil {
			fmt.Fprintf(env.Err, "No browser was opened: %v\n", err)
		}
	}
	return s.Serve(ctx)
}

// writeSite writes the pages as a folder of files.
func writeSite(ctx context.Context, env *cliui.Env, o options) error {
	if o.pages < 1 {
		return cliui.Failf("a number from 1", "--pages cannot be %d", o.pages)
	}
	dir, err := env.Abs(o.static)
	if err != nil {
		return err
	}
	show, done := env.Progress()
	tell := func(pages, known int) { show("the past", pages, known) }
	w, err := static.Write(ctx, env, static.Options{Dir: dir, Pages: o.pages, Zone: time.Local, Tell: tell})
	done()
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "Wrote %s, %s, into %s: begin with index.html.\n", cliui.Count(w.Pages, "page"), cliui.ByteCount(w.Bytes), cliui.ShownName(o.static))
	if w.Left > 0 {
		fmt.Fprintf(env.Err, "There are more pages; what leads to them is text without a link. --pages allows more.\n")
	}
	return nil
}
