package rewind

import (
	"crypto/rand"
	"encoding/hex"

	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

func newRewindJournal(plan *Plan) (*restore.RewindJournal, error) {
	var rnd [4]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return nil, err
	}
	j := &restore.RewindJournal{Version: restore.JournalVersion, ID: hex.EncodeToString(rnd[:]), Session: plan.session, Point: plan.step.OID,
		Before: plan.before, After: plan.after, Undoes: plan.undoes, ReturnedWork: plan.returnedWork, Conversation: plan.conversationMark, State: plan.state}
	for _, c := range plan.Changes {
		ch := c.Change
		j.Changes = append(j.Changes, restore.JournalChange{Path: sessionstate.EncodePath(ch.Path), OldMode: ch.OldMode, NewMode: ch.NewMode, Old: ch.Old, New: ch.New,
			ExactOID: plan.chosen[ch.Path].Bytes, KeptFolders: plan.pointGaps.EmptyParents(ch.Path), Perm: plan.pointGaps.Perm(ch.Path)})
	}
	return j, nil
}
