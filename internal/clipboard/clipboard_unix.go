// Copyright 2013 @atotto. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package clipboard

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// A tool pastes and copies with one command each.
type tool struct{ paste, copy []string }

// tools are looked for in this order, the first under Wayland only.
var tools = []tool{
	{[]string{"wl-paste", "--no-newline"}, []string{"wl-copy"}},
	{[]string{"pbpaste"}, []string{"pbcopy"}},
	{[]string{"xclip", "-out", "-selection", "clipboard"}, []string{"xclip", "-in", "-selection", "clipboard"}},
	{[]string{"xsel", "--output", "--clipboard"}, []string{"xsel", "--input", "--clipboard"}},
	{[]string{"termux-clipboard-get"}, []string{"termux-clipboard-set"}},
	{[]string{"powershell.exe", "Get-Clipboard"}, []string{"clip.exe"}},
}

var errNoTool = errors.New("no program for the clipboard: install xsel, xclip, wl-clipboard or Termux:API")

// find looks for the tools once, at the first use.
var find = sync.OnceValues(func() (tool, error) {
	for i, t := range tools {
		_, noPaste := exec.LookPath(t.paste[0])
		_, noCopy := exec.LookPath(t.copy[0])
		if noPaste == nil && noCopy == nil && (i > 0 || os.Getenv("WAYLAND_DISPLAY") != "") {
			return t, nil
		}
	}
	return tool{}, errNoTool
})

func readAll() (string, error) {
	t, err := find()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(t.paste[0], t.paste[1:]...).Output()
	if t.paste[0] == "powershell.exe" { // it ends the text with a line feed of its own
		return strings.TrimSuffix(string(out), "\r\n"), err
	}
	return string(out), err
}

func writeAll(text string) error {
	t, err := find()
	if err != nil {
		return err
	}
	cmd := exec.Command(t.copy[0], t.copy[1:]...)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}
