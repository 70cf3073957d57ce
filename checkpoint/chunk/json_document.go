package chunk

import (
	"encoding/json"
	"fmt"
)

// EncodeDocument encodes a JSON file of the metadata branch.
func EncodeDocument(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// MaxDocument bounds what is decoded as metadata: such a document is small.
const MaxDocument = 16 << 20

// DecodeDocument decodes one metadata document. It refuses a byte-order mark and anything after
// the object.
func DecodeDocument(data []byte, v any) error {
	if len(data) > MaxDocument {
		return fmt.Errorf("metadata of %d bytes is too large", len(data))
	}
	return json.Unmarshal(data, v)
}
