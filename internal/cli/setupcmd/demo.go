package setupcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/term"
)

func demoCommand(env *cliui.Env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show how it works, in a scratch repository",
		Long: `Show how it works: this program plays an agent in a scratch repository, calls
the real hooks, commits with git, and rewinds. Every claim it makes is checked.
Nothing outside the scratch folder is touched, and no network is used.`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return playDemo(cmd.Context(), env, keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the scratch repository")
	return cmd
}

// A demoRun plays an agent and a person in a scratch repository. Its first failure ends it: after
// one, every method does nothing.
type demoRun struct {
	ctx        context.Context
	env        *cliui.Env
	t          term.Terminal
	top        string // the scratch folder
	repo       string
	transcript string
	environ    []string
	lines      int // of the transcript
	err        error
}

func playDemo(ctx context.Context, env *cliui.Env, keep bool) error {
	top, err := os.MkdirTemp("", "entire-demo-")
	if err != nil {
		return err
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	d := &demoRun{ctx: ctx, env: env, t: env.Screen(), top: top}
	d.prepare()
	d.story()
	if keep {
		fmt.Fprintf(env.Out, "\nThe repository is in %s\n", d.repo)
	} else if err := os.RemoveAll(top); err != nil && d.err == nil {
		d.err = err
	}
	return d.err
}

// prepare makes an empty home, a folder of programs with a link to this one, and a repository
// with two files.
func (d *demoRun) prepare() {
	home, bin := filepath.Join(d.top, "home"), filepath.Join(d.top, "bin")
	d.repo = filepath.Join(d.top, "greeter")
	d.transcript = filepath.Join(home, ".claude", "projects", "greeter", demoSession+".jsonl")
	for _, dir := range []string{bin, d.repo, filepath.Dir(d.transcript)} {
		d.keepErr(os.MkdirAll(dir, 0o755))
	}
	self, err := os.Executable()
	d.keepErr(err)
	if d.err == nil {
		d.keepErr(linkProgram(self, filepath.Join(bin, "entire")))
	}
	d.environ = []string{
		"PATH=" + bin + string(filepath.ListSeparator) + d.env.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_TERMINAL_PROMPT=0",
		"ENTIRE_TEST_TTY=0", "ENTIRE_TELEMETRY_OPTOUT=1", "NO_COLOR=1", "LC_ALL=C",
	}
	for _, name := range []string{"TMPDIR", "TEMP", "TMP", "SystemRoot"} {
		if value, set := d.env.LookupEnv(name); set {
			d.environ = append(d.environ, name+"="+value)
		}
	}
	d.write("greet.sh", demoFiles["greet.sh"])
	d.write(".gitignore", ".env\n")
	d.write(".env", "PASSWORD=only-on-this-machine\n")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Dana Demo"}, {"config", "user.email", "dana@example.com"},
		{"add", "-A"}, {"commit", "-q", "-m", "Greet people"},
	} {
		d.run("", "git", args...)
	}
}

// linkProgram makes this program available under its usual name.
func linkProgram(self, name string) error {
	if strings.HasSuffix(self, ".exe") {
		name += ".exe"
	}
	if os.Symlink(self, name) == nil {
		return nil
	}
	in, err := os.Open(self)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (d *demoRun) keepErr(err error) {
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("demo: %w", err)
	}
}

// run runs a program in the scratch repository and returns its standard output without trailing
// newlines.
func (d *demoRun) run(stdin, name string, args ...string) string {
	if d.err != nil {
		return ""
	}
	path, err := d.find(name)
	if err != nil {
		d.err = cliui.Failf("the demo needs git", "demo: %w", err)
		return ""
	}
	cmd := exec.CommandContext(d.ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = d.repo, d.environ, strings.NewReader(stdin)
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		d.err = fmt.Errorf("demo: %s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimRight(out.String(), "\n")
}

// find returns the path of a program; "entire" is the one in the scratch folder.
func (d *demoRun) find(name string) (string, error) {
	if name == "entire" {
		return exec.LookPath(filepath.Join(d.top, "bin", name))
	}
	return exec.LookPath(name)
}

// hook calls a hook as the agent does.
func (d *demoRun) hook(verb string, more map[string]any) string {
	payload := map[string]any{
		"session_id": demoSession, "transcript_path": d.transcript, "cwd": d.repo, "hook_event_name": verb,
	}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	d.keepErr(err)
	return d.run(string(data), "entire", "hooks", "claude-code", verb)
}

func (d *demoRun) write(name, text string) {
	if d.err == nil {
		d.keepErr(os.WriteFile(filepath.Join(d.repo, name), []byte(text), 0o644))
	}
}

func (d *demoRun) read(name string) string {
	data, err := os.ReadFile(filepath.Join(d.repo, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// says appends a message to the agent's transcript.
func (d *demoRun) says(kind string, message map[string]any) {
	d.lines++
	line, err := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", d.lines), "sessionId": demoSession,
		"cwd": d.repo, "timestamp": d.env.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "version": "2.1.0", "message": message,
	})
	d.keepErr(err)
	if d.err != nil {
		return
	}
	f, err := os.OpenFile(d.transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	d.keepErr(err)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		d.keepErr(err)
		d.keepErr(f.Close())
	}
}
