//go:build linux || darwin

// Command record runs a program on a terminal, types what a script of keys says (see package recording),
// and draws what was shown as an SVG picture:
//
//	record -keys FILE -o FILE.svg [-columns N] [-rows N] [-light] [-title TEXT] [-alt TEXT] COMMAND [ARG...]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"entire/internal/recording"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "record: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("record", flag.ContinueOnError)
	keys := f.String("keys", "", "the script of keys")
	out := f.String("o", "", "the picture to write")
	columns, rows := f.Int("columns", 100, "the terminal's width"), f.Int("rows", 30, "the terminal's height")
	light := f.Bool("light", false, "a light terminal")
	title, alt := f.String("title", "", "the text above the screen"), f.String("alt", "", "what the picture shows")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *keys == "" || *out == "" || f.NArg() == 0 {
		return fmt.Errorf("usage: record -keys FILE -o FILE.svg COMMAND [ARG...]")
	}
	script, err := os.ReadFile(*keys)
	if err != nil {
		return err
	}
	cmd := exec.Command(f.Arg(0), f.Args()[1:]...)
	cmd.Env = os.Environ()
	s, err := recording.Start(cmd, recording.Options{Columns: *columns, Rows: *rows, Dark: !*light})
	if err != nil {
		return err
	}
	defer s.Close()
	frames, err := recording.Play(s, string(script))
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := (recording.Picture{Title: *title, Alt: *alt, Dark: !*light}).Draw(&svg, frames); err != nil {
		return err
	}
	return os.WriteFile(*out, svg.Bytes(), 0o644)
}
