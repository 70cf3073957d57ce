package maintaincmd

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
)

type bundleOptions struct {
	output, show string
	dryRun, json bool
}

func bundleCommand(env *cliui.Env) *cobra.Command {
	var o bundleOptions
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Pack what somebody needs to find a fault, to attach to a report",
		Long: `Pack what somebody needs to find a fault into one archive that you can attach to a
report: versions, settings, status, what doctor finds, the sessions' states without
what was said, the names of refs, the logs.

It has no prompt, no answer and no content of a file. Secrets are removed, and your
home directory and the project's place are written as ~ and PROJECT. Names of files
and branches can be in it: look before you send it. Nothing is sent.`,
		Example: `  entire doctor bundle --dry-run                     # what would be in it
  entire doctor bundle --show logs/entire.log | less  # one file of it
  entire doctor bundle -o /tmp/entire.zip`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBundle(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write the archive to `FILE`; by default into the folder for temporary files")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would be in it")
	f.StringVar(&o.show, "show", "", "only print the file `NAME` of it")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	return cmd
}

// A bundleFile is a file of the archive.
type bundleFile struct {
	Name    string `json:"name"`
	Has     string `json:"has"` // what it has, for people
	Bytes   int    `json:"bytes"`
	content []byte
}

// bundleView is what was packed, and its JSON form.
type bundleView struct {
	File    string       `json:"file,omitempty"` // "" if nothing was written
	Files   []bundleFile `json:"files"`
	Without []string     `json:"could_not_read"`
}

func runBundle(ctx context.Context, env *cliui.Env, o bundleOptions) error {
	if o.dryRun && o.output != "" || o.show != "" && (o.output != "" || o.json) {
		return cliui.Failf("use one of them", "--dry-run and --show write no file")
	}
	g, err := gather(ctx, env)
	if err != nil {
		return err
	}
	v := bundleView{Files: g.files, Without: cliui.NotNil(g.without)}
	if o.show != "" {
		return showOf(env, v, o.show)
	}
	if !o.dryRun {
		if v.File, err = writeBundle(env, o.output, g.files); err != nil {
			return err
		}
	}
	if o.json {
		return env.PrintJSON(v)
	}
	return v.tell(env)
}

func showOf(env *cliui.Env, v bundleView, name string) error {
	i := slices.IndexFunc(v.Files, func(f bundleFile) bool { return f.Name == name })
	if i < 0 {
		return cliui.Failf("`entire doctor bundle --dry-run` lists them", "the bundle has no file %s", cliui.ShownName(name))
	}
	_, err := env.Out.Write(v.Files[i].content)
	return err
}

func (v bundleView) tell(env *cliui.Env) error {
	var b strings.Builder
	if v.File == "" {
		b.WriteString("It would have:\n")
	} else {
		fmt.Fprintf(&b, "Written: %s\n\nIt has:\n", cliui.Printable(v.File))
	}
	fmt.Fprintf(&b, "  %-29s %9s\n", "", "bytes")
	for _, f := range v.Files {
		fmt.Fprintf(&b, "  %-29s %9d  %s\n", cliui.ShownLine(f.Name), f.Bytes, f.Has)
	}
	for _, why := range v.Without {
		fmt.Fprintf(&b, "  not in it: %s\n", cliui.OneLine(why))
	}
	b.WriteString("\nNames of files and branches can be in it; `entire doctor bundle --show NAME`\nprints a file. Nothing was sent.\n")
	_, err := env.Out.Write([]byte(b.String()))
	return err
}

// writeBundle writes the archive, and returns its absolute path. It replaces no file.
func writeBundle(env *cliui.Env, output string, files []bundleFile) (string, error) {
	if output == "" {
		output = filepath.Join(os.TempDir(), "entire-bundle-"+env.Now().UTC().Format("20060102-150405")+".zip")
	}
	path, err := env.Abs(output)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", cliui.Failf("give another name with -o", "write %s: it exists already", cliui.ShownName(path))
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("write %s: %w", cliui.ShownName(path), err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: env.Now().UTC()})
		if err == nil {
			_, err = out.Write(f.content)
		}
		if err != nil {
			return "", fmt.Errorf("pack %s: %w", f.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("pack: %w", err)
	}
	return path, durable.WriteFile(path, b.Bytes(), 0o600)
}
