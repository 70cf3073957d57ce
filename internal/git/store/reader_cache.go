package store

import (
	"strings"

	"entire/internal/git/object"
)

const keptObject = 512 << 10

// kept is a Reader's cache of objects: one hook requests the same trees and commits many
// times, and an object never changes.
type kept struct {
	objects map[object.OID]object.Object
	bytes   int
}

func (k *kept) add(o object.Object) {
	if o.Type == "" || o.Large || len(o.Data) > keptObject || k.bytes+len(o.Data) > object.KeptMax {
		return
	}
	if k.objects == nil {
		k.objects = map[object.OID]object.Object{}
	}
	if _, known := k.objects[o.OID]; !known {
		k.objects[o.OID] = o
		k.bytes += len(o.Data)
	}
}

// Trim empties the cache if it has more than most objects. A program that stays open for hours calls it.
func (rd *Reader) Trim(most int) {
	if len(rd.kept.objects) > most {
		rd.kept = kept{}
	}
}

// known returns a cached object for a full object ID, or `<id>^{commit}`.
func (rd *Reader) known(spec string) (object.Object, bool) {
	hex, peeled := strings.CutSuffix(spec, "^{commit}")
	if len(hex) != 2*rd.repo.HashLen() {
		return object.Object{}, false
	}
	oid, err := object.ParseOID(hex)
	if err != nil {
		return object.Object{}, false
	}
	o, ok := rd.knownOID(oid)
	return o, ok && !(peeled && o.Type != "commit")
}

func (rd *Reader) knownOID(oid object.OID) (object.Object, bool) {
	o, ok := rd.kept.objects[oid]
	if p, waiting := rd.repo.pending[oid]; !ok && waiting && p.data != nil {
		o, ok = object.Object{OID: oid, Type: p.kind, Data: p.data}, true
	}
	if !ok {
		return object.Object{}, false
	}
	if rd.limit > 0 && int64(len(o.Data)) > rd.limit {
		o.Data, o.Large = nil, true
	}
	return o, true
}

// Offer caches an object that was read elsewhere, if its data has that ID and there is room.
func (rd *Reader) Offer(oid object.OID, kind string, data []byte) {
	if _, cached := rd.Cached(oid); !cached && object.ObjectOID(rd.repo.NewHash(), kind, data) == oid {
		rd.kept.add(object.Object{OID: oid, Type: kind, Data: data})
	}
}

// Cached returns an object if it need not be read.
func (rd *Reader) Cached(oid object.OID) (object.Object, bool) {
	o, ok := rd.kept.objects[oid]
	return o, ok
}
