package agent

import "slices"

// Bounds of what links remember.
const (
	maxGiven   = 512 // messages
	maxBridges = 256 // records that are no message
	maxTips    = 64  // conversations of subagents
)

// links is what a Normalizer knows of the messages it gave, so that the next ones
// name a parent that is one of them. A parent that was too long ago to be known is
// taken for the last message of the same conversation.
type links struct {
	// Given are the records of the latest messages.
	Given messageKeys `json:"given,omitempty"`
	// Bridges lead from records to the message that stands for them.
	Bridges []bridge `json:"bridges,omitempty"`
	// Tips are the last messages of the conversations, least recent first.
	Tips []tip `json:"tips,omitempty"`
}

// bridge leads from records to a message, "" to none.
type bridge struct {
	To   string      `json:"to,omitempty"`
	From messageKeys `json:"from"`
}

type tip struct {
	Chain string `json:"chain,omitempty"` // "" for the main one
	UUID  string `json:"uuid,omitempty"`
}

// resolve is the message that a record follows, given its raw parent and, where
// that is null because the conversation was cut, its logical one.
func (k *links) resolve(parent, logical []byte, chain string) string {
	if string(parent) == "null" {
		if len(logical) == 0 || string(logical) == "null" {
			return ""
		}
		parent = logical
	}
	uuid := unquote(parent)
	if to, found := k.crossed(uuid); found {
		return to
	}
	if k.knows(uuid) {
		return uuid
	}
	return k.tip(chain)
}

func (k *links) crossed(uuid string) (to string, found bool) {
	if uuid == "" {
		return "", false
	}
	key := messageKey(uuid)
	for i := len(k.Bridges) - 1; i >= 0; i-- {
		if slices.Contains(k.Bridges[i].From, key) {
			return k.Bridges[i].To, true
		}
	}
	return "", false
}

func (k *links) knows(uuid string) bool {
	if uuid == "" {
		return false
	}
	key := messageKey(uuid)
	for i := len(k.Given) - 1; i >= 0; i-- {
		if k.Given[i] == key {
			return true
		}
	}
	return false
}

func (k *links) given(uuid string) {
	if k.Given = append(k.Given, messageKey(uuid)); len(k.Given) > maxGiven {
		k.Given = slices.Delete(k.Given, 0, len(k.Given)-maxGiven)
	}
}

// bridge lets message stand for the record uuid.
func (k *links) bridge(uuid, message string) {
	if uuid == "" {
		return
	}
	if i := len(k.Bridges) - 1; i >= 0 && k.Bridges[i].To == message {
		k.Bridges[i].From = append(k.Bridges[i].From, messageKey(uuid))
	} else {
		k.Bridges = append(k.Bridges, bridge{message, messageKeys{messageKey(uuid)}})
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

// setTip makes a message the last of its conversation. Of very many conversations
// the one that was silent for longest is forgotten, the main one never.
func (k *links) setTip(chain, uuid string) {
	k.Tips = slices.DeleteFunc(k.Tips, func(t tip) bool { return t.Chain == chain })
	k.Tips = append(k.Tips, tip{chain, uuid})
	if len(k.Tips) > maxTips {
		i := slices.IndexFunc(k.Tips, func(t tip) bool { return t.Chain != "" })
		k.Tips = slices.Delete(k.Tips, i, i+1)
	}
}
