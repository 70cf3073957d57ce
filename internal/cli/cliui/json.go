package cliui

import (
	"encoding/json"
)

// NotNil makes an empty list print as [].
func NotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// PrintJSON writes v as indented JSON with a final newline.
func (w *Env) PrintJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Out.Write(append(data, '\n'))
	return err
}

// JsonLines returns an encoder to standard output, an object a line.
func (w *Env) JsonLines() *json.Encoder {
	enc := json.NewEncoder(w.Out)
	enc.SetEscapeHTML(false)
	return enc
}
