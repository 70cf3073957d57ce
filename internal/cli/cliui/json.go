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
func (env *Env) PrintJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = env.Out.Write(append(data, '\n'))
	return err
}

// JsonLines returns an encoder to standard output, an object a line.
func (env *Env) JsonLines() *json.Encoder {
	enc := json.NewEncoder(env.Out)
	enc.SetEscapeHTML(false)
	return enc
}
