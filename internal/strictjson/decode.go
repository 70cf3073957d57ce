package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// Decode reads the one value of a file into what into points at.
func Decode(data []byte, into any) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return Mistake(data, err)
	}
	if dec.More() {
		return fmt.Errorf("line %d: text follows after its end", lineAt(data, dec.InputOffset()+1))
	}
	return nil
}

// Mistake puts an error of package json about a file into words.
func Mistake(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	ends := errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input"
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("it is empty")
	case ends:
		return fmt.Errorf("line %d: the JSON is not complete", lineAt(data, int64(len(data))))
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: this is not JSON: %w", lineAt(data, syntax.Offset), err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("it is %s, and has to be %s", shownValue(kind.Value), shownKind(kind.Type.Kind()))
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %q is %s, and has to be %s", lineAt(data, kind.Offset), kind.Field, shownValue(kind.Value), shownKind(kind.Type.Kind()))
	}
	var when *time.ParseError
	if errors.As(err, &when) {
		return fmt.Errorf("%s is no time as %q", when.Value, "2027-01-01T00:00:00Z")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("there is no member %s", name)
	}
	return err
}

// lineAt returns the number of the line in which a byte stands. White space before it does not count.
func lineAt(data []byte, offset int64) int {
	before := bytes.TrimRight(data[:min(max(offset, 0), int64(len(data)))], " \t\r\n")
	return 1 + bytes.Count(before, []byte("\n"))
}

func shownValue(json string) string {
	kind, value, _ := strings.Cut(json, " ")
	switch {
	case kind == "number" && value != "":
		return value
	case kind == "object" || kind == "array":
		return "an " + kind
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	}
	return "a " + kind
}

func shownKind(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "a whole number"
}
