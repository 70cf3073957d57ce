package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Version and commit of this build, set by the linker (-X main.version=…).
var (
	version = "dev"
	commit  = "unknown"
)

// A buildInfo is what `entire version --json` prints.
type buildInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if b.Commit != "unknown" {
		return b
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 7 {
				b.Commit = s.Value[:7]
			}
		}
	}
	return b
}

func printVersion(env *cliui.Env, asJSON bool) error {
	b := readBuildInfo()
	if asJSON {
		return env.PrintJSON(b)
	}
	_, err := fmt.Fprintf(env.Out, "Entire CLI %s (%s)\nGo version: %s\nOS/Arch: %s/%s\n", b.Version, b.Commit, b.Go, b.OS, b.Arch)
	return err
}

func versionCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	var manifest string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Long: `Show the version of this program.

With --check, compare it with a release: with the file release.json, which you have
downloaded. This program never asks the network whether there is a newer one.`,
		Example: `  entire version --json
  entire version --check release.json`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("check") {
				return checkVersion(env, manifest, asJSON)
			}
			return printVersion(env, asJSON)
		},
	}
	cmd.Flags().StringVar(&manifest, "check", "", "compare with the release that this `FILE` describes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
