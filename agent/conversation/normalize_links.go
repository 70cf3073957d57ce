package conversation

import "slices"

// Bounds of links.
const (
	maxGiven   = 512 // messages
	maxBridges = 256 // records that are not messages
	maxTips    = 64  // conversations of subagents
)

// links holds the messages that a Normalizer returned, so that later messages name one of
// them as their parent. A parent that is too old to be remembered is replaced with the
// last message of the same conversation.
type links struct {
	// Given are the records of the latest messages.
	Given messageKeys `json:"given,omitempty"`
	// Bridges map records that are not messages to the message that replaces them as a
	// parent.
	Bridges []bridge `json:"bridges,omitempty"`
	// Tips are the last messages of the conversations, the least recently extended first.
	Tips []tip `json:"tips,omitempty"`
}

// bridge maps records to a message, "" for none.
type bridge struct {
	To   string      `json:"to,omitempty"`
	From messageKeys `json:"from"`
}

type tip struct {
	Chain string `json:"chain,omitempty"` // "" for the main one
	UUID  string `json:"uuid,omitempty"`
}

// resolve returns the message that replaces a record as a parent.
func (k *links) resolve(uuid, chain string) string {
	if uuid == "" {
		return k.tip(chain)
	}
	key := keyOf(uuid)
	for i := len(k.Bridges) - 1; i >= 0; i-- {
		if slices.Contains(k.Bridges[i].From, key) {
			return k.Bridges[i].To
		}
	}
	if k.Given.has(key) {
		return uuid
	}
	return k.tip(chain)
}

func (k *links) knows(uuid string) bool { return uuid != "" && k.Given.has(keyOf(uuid)) }

func (k *links) given(uuid string) {
	if k.Given = append(k.Given, keyOf(uuid)); len(k.Given) > maxGiven {
		k.Given = slices.Delete(k.Given, 0, len(k.Given)-maxGiven)
	}
}

// bridge makes message replace the record uuid as a parent.
func (k *links) bridge(uuid, message string) {
	if uuid == "" {
		return
	}
	if i := len(k.Bridges) - 1; i >= 0 && k.Bridges[i].To == message {
		k.Bridges[i].From = append(k.Bridges[i].From, keyOf(uuid))
	} else {
		k.Bridges = append(k.Bridges, bridge{message, messageKeys{keyOf(uuid)}})
	}
	k.trimBridges()
}

func (k *links) trimBridges() {
	held := 0
	for _, b := range k.Bridges {
		held += len(b.From)
	}
	if held <= maxBridges {
		return
	}
	if b := &k.Bridges[0]; len(b.From) > 1 {
		b.From = slices.Delete(b.From, 0, 1)
	} else {
		k.Bridges = slices.Delete(k.Bridges, 0, 1)
	}
}

func (k *links) tip(chain string) string {
	for i := len(k.Tips) - 1; i >= 0; i-- {
		if k.Tips[i].Chain == chain {
			return k.Tips[i].UUID
		}
	}
	return ""
}

// setTip makes a message the last one of its conversation. If there are too many
// conversations, it forgets the least recently extended one, but never the main one.
func (k *links) setTip(chain, uuid string) {
	k.Tips = slices.DeleteFunc(k.Tips, func(t tip) bool { return t.Chain == chain })
	k.Tips = append(k.Tips, tip{chain, uuid})
	if len(k.Tips) > maxTips {
		i := slices.IndexFunc(k.Tips, func(t tip) bool { return t.Chain != "" })
		k.Tips = slices.Delete(k.Tips, i, i+1)
	}
}
