package strategy

import "encoding/json"

// Rare fields of a file that every hook reads implement MarshalJSON, so that encoding/json does not
// build its tables for their types when a hook first uses the file: a hook's first use is its only
// one.

func (c talkCut) MarshalJSON() ([]byte, error) {
	type plain talkCut
	return json.Marshal(plain(c))
}

func (a seenAgent) MarshalJSON() ([]byte, error) {
	type plain seenAgent
	return json.Marshal(plain(a))
}

func (m taskMark) MarshalJSON() ([]byte, error) {
	type plain taskMark
	return json.Marshal(plain(m))
}

func (c unlinkedCommit) MarshalJSON() ([]byte, error) {
	type plain unlinkedCommit
	return json.Marshal(plain(c))
}

func (a autoState) MarshalJSON() ([]byte, error) {
	type plain autoState
	return json.Marshal(plain(a))
}

func (a autoCommit) MarshalJSON() ([]byte, error) {
	type plain autoCommit
	return json.Marshal(plain(a))
}
