package config

import (
	"github.com/tidwall/gjson"
)

// Members of the encryption option in the settings files.
const (
	optionEncryption   = "encryption"
	encryptionTo       = "recipients"
	encryptionIdentity = "identity"
	encryptionTurn     = "generation"
	encryptionReadable = "metadata"
	encryptionKeyring  = "keyring"
)

// What of the metadata stays readable for everybody, where conversations are encrypted.
const (
	ReadableLists   = "lists"   // what lists show; the default
	ReadableNothing = "nothing" // what merging and finding need, and no more
)

const maxGeneration = 1 << 30

// maxRecipients bounds the recipients of a project, because a hook wraps a new key to each.
const maxRecipients = 200

// Encryption is the encryption option.
type Encryption struct {
	Said       bool     // the project's file has the option
	Enabled    bool     // what is stored of conversations is sealed to the recipients
	Recipients []string // public keys, as they stand in the file

	// Generation grows when a recipient is removed: data keys of an earlier one are used no longer, even
	// where the recipients are the same again.
	Generation int

	// Nothing says that agents, branches, files, tokens and shares of a checkpoint are sealed, too.
	Nothing bool
}

// ReadEncryption returns the encryption option of the project's settings below dir. The local file cannot
// change it. Unlike the other options, an invalid value is an error, because ignoring it would store in
// clear what shall be sealed.
func ReadEncryption(dir string) (Encryption, error) {
	object, err := read(dir, Project)
	if err != nil {
		return Encryption{}, err
	}
	v := encryptionIn(object)
	if !v.Exists() || v.Type == gjson.Null {
		return Encryption{}, nil
	}
	if wrong := wrongOption(optionEncryption, v); len(wrong) > 0 {
		return Encryption{}, WrongValue{Path(dir, Project), wrong[0].key, wrong[0].want}
	}
	e := Encryption{Said: true, Enabled: v.Get(keyEnabled).Type != gjson.False}
	e.Generation = int(v.Get(encryptionTurn).Int())
	e.Nothing = v.Get(encryptionReadable).Str == ReadableNothing
	for _, r := range v.Get(encryptionTo).Array() {
		e.Recipients = append(e.Recipients, r.Str)
	}
	return e, nil
}

// Identity returns the path of the file with the private key that opens sealed checkpoints, as the local
// settings below dir name it; "" if they do not.
func Identity(dir string) string {
	object, err := read(dir, Local)
	if err != nil {
		return ""
	}
	if v := encryptionIn(object).Get(encryptionIdentity); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// Keyring reports whether passphrases of private keys are kept in the keyring of the system, as the local settings
// below dir say; they are unless these say no.
func Keyring(dir string) bool {
	object, err := read(dir, Local)
	return err == nil && encryptionIn(object).Get(encryptionKeyring).Type != gjson.False
}

// wrongEncryption returns what a member of the encryption option must be, or "" if v is valid.
func wrongEncryption(key string, v gjson.Result) string {
	switch key {
	case keyEnabled, encryptionKeyring:
		if !v.IsBool() {
			return wantBool
		}
	case encryptionTurn:
		if v.Type != gjson.Number || v.Num < 0 || v.Num > maxGeneration || v.Num != float64(int(v.Num)) {
			return "a whole number"
		}
	case encryptionReadable:
		if v.Type != gjson.String || v.Str != ReadableLists && v.Str != ReadableNothing {
			return `"lists" or "nothing"`
		}
	case encryptionIdentity:
		if v.Type != gjson.String {
			return wantText
		}
	case encryptionTo:
		return wrongTexts(v, maxRecipients, "public keys", isText)
	default:
		return "removed: the members are enabled, recipients, generation, metadata and, in the local file, identity and keyring"
	}
	return ""
}

// SetEncryption stores the option in a settings file.
func SetEncryption(f *File, e Encryption) error {
	if e.Recipients == nil {
		e.Recipients = []string{}
	}
	readable := ""
	if e.Nothing {
		readable = ReadableNothing
	}
	return f.SetOption(optionEncryption, struct {
		Enabled    bool     `json:"enabled"`
		Recipients []string `json:"recipients"`
		Generation int      `json:"generation,omitempty"`
		Metadata   string   `json:"metadata,omitempty"`
	}{e.Enabled, e.Recipients, e.Generation, readable})
}

// lastOf returns the value of a member of an object, the last of several; it does not exist if the object
// does not have it.
func lastOf(object, key string) (v gjson.Result) {
	for _, m := range members(object) {
		if m.key == key {
			v = gjson.Parse(m.raw(object))
		}
	}
	return v
}

// encryptionIn returns the encryption option of a settings file's object.
func encryptionIn(object string) gjson.Result {
	options := lastOf(object, keyOptions)
	if !options.IsObject() {
		return gjson.Result{}
	}
	return lastOf(options.Raw, optionEncryption)
}
