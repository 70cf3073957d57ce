package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/pathtext"
)

// lineRecords reads the line records of checkpoints, and lists which checkpoints record which
// files.
type lineRecords struct {
	store    *records.Reader
	cacheDir string

	loaded    map[id.CheckpointID]*attribution.Record // nil: there is none, or it cannot be read
	summaries map[id.CheckpointID]*records.StoredCheckpoint

	listed            bool
	oldestTime        int64 // the time of the oldest record's commit, in seconds since 1970
	byPath            map[string][]id.CheckpointID
	byBlob            map[string][]id.CheckpointID                // "<path>\x00<blob>"
	recent            []id.CheckpointID                           // the checkpoints of the newest records, newest first
	oldest            id.CheckpointID                             // zero if there is no record
	notPeoplesByPrint map[attribution.Print][]*candidate          // see lineRecords.notPeoples
	candidatesByPath  map[string][]candidate                      // see records.candidatesOf
	ownersByPath      map[string]map[attribution.RecordOwner]bool // see lineRecords.mayContradict
	linesByPath       map[string]map[attribution.Print][]recordedLine
}

func newRecords(repo *git.Repo, cacheDir string) *lineRecords {
	return &lineRecords{store: records.NewReader(repo), cacheDir: cacheDir,
		candidatesByPath: map[string][]candidate{}, ownersByPath: map[string]map[attribution.RecordOwner]bool{}, linesByPath: map[string]map[attribution.Print][]recordedLine{},
		loaded: map[id.CheckpointID]*attribution.Record{}, summaries: map[id.CheckpointID]*records.StoredCheckpoint{}}
}

// load reads the records of checkpoints. It treats a record that cannot be read as
// missing: its lines are unknown.
func (r *lineRecords) load(ctx context.Context, cps []id.CheckpointID) error {
	var ask []id.CheckpointID
	for _, cp := range cps {
		if _, known := r.loaded[cp]; !known {
			r.loaded[cp] = nil
			ask = append(ask, cp)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	docs, err := r.store.Attributions(ctx, ask)
	if err != nil {
		return err
	}
	for cp, data := range docs {
		if rec, err := attribution.DecodeRecord(data); err == nil {
			r.loaded[cp] = rec
		}
	}
	return nil
}

// links returns the checkpoints that stored links give to commits without a trailer; never
// nil.
func (r *lineRecords) links(ctx context.Context) (metadata.Links, error) {
	links, err := r.store.Links(ctx)
	if links == nil {
		links = metadata.Links{}
	}
	return links, err
}

// summary returns the stored checkpoint, for one that recorded no lines; nil if there is
// none.
func (r *lineRecords) summary(ctx context.Context, cp id.CheckpointID) (*records.StoredCheckpoint, error) {
	if s, known := r.summaries[cp]; known {
		return s, nil
	}
	stored, err := r.store.Read(ctx, cp)
	switch {
	case errors.Is(err, metadata.ErrCheckpointNotFound):
		r.summaries[cp] = nil
	case err != nil:
		return nil, err
	default:
		r.summaries[cp] = &stored
	}
	return r.summaries[cp], nil
}

// listName is the list's file in the cache directory.
const listName = "recorded.json"

const listVersion = 2

// recordList is the cached list: for each blob that holds a record, the paths and blobs of
// its files.
type recordList struct {
	Version int                 `json:"version"`
	Records map[string][]string `json:"records"` // blob of the record: checkpoint, time, then path, blob, path, blob …
}

// list reads which checkpoints record which files. It does not read again what the cache
// lists.
func (r *lineRecords) list(ctx context.Context) error {
	if r.listed {
		return nil
	}
	now, err := r.store.AttributionBlobs(ctx)
	if err != nil {
		return err
	}
	old := r.readList()
	list := recordList{Version: listVersion, Records: make(map[string][]string, len(now))}
	var fresh []id.CheckpointID
	changed := len(now) != len(old.Records)
	for cp, oid := range now {
		if files, known := old.Records[oid.String()]; known && len(files) > 0 && files[0] == cp.String() {
			list.Records[oid.String()] = files
		} else {
			fresh, changed = append(fresh, cp), true
		}
	}
	slices.SortFunc(fresh, id.CheckpointID.Compare)
	for len(fresh) > 0 {
		n := min(len(fresh), 200)
		if err := r.load(ctx, fresh[:n]); err != nil {
			return err
		}
		for _, cp := range fresh[:n] {
			files := []string{cp.String(), ""}
			if rec := r.loaded[cp]; rec != nil {
				files[1] = strconv.FormatInt(rec.Time, 10)
				for i := range rec.Files {
					files = append(files, rec.Files[i].Path, rec.Files[i].Blob)
				}
			}
			list.Records[now[cp].String()] = files
		}
		fresh = fresh[n:]
	}
	r.index(list)
	if changed {
		r.writeList(list)
	}
	return nil
}

func (r *lineRecords) index(list recordList) {
	r.listed, r.byPath, r.byBlob = true, map[string][]id.CheckpointID{}, map[string][]id.CheckpointID{}
	r.oldestTime = math.MaxInt64
	times := map[id.CheckpointID]int64{}
	for _, files := range list.Records {
		cp, err := id.NewCheckpointID(files[0])
		if err != nil || len(files) < 2 {
			continue
		}
		if at, err := strconv.ParseInt(files[1], 10, 64); err == nil {
			r.oldestTime = min(r.oldestTime, at)
			times[cp] = at
		}
		for i := 2; i+1 < len(files); i += 2 {
			path := pathtext.Decode(files[i])
			r.byPath[path] = append(r.byPath[path], cp)
			blob := path + "\x00" + files[i+1]
			r.byBlob[blob] = append(r.byBlob[blob], cp)
		}
	}
	for _, cps := range r.byPath {
		slices.SortFunc(cps, id.CheckpointID.Compare)
	}
	r.recent = slices.SortedFunc(maps.Keys(times), func(a, b id.CheckpointID) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), a.Compare(b))
	})
	if n := len(r.recent); n > 0 {
		r.oldest = r.recent[n-1]
	}
	r.recent = r.recent[:min(len(r.recent), recentMax)]
}

func (r *lineRecords) readList() recordList {
	var list recordList
	if r.cacheDir == "" {
		return list
	}
	data, err := durable.ReadOwn(filepath.Join(r.cacheDir, listName))
	if err != nil || json.Unmarshal(data, &list) != nil || list.Version != listVersion {
		return recordList{}
	}
	return list
}

// writeList stores the list in the cache. Errors are ignored: without the list, the next
// run takes longer.
func (r *lineRecords) writeList(list recordList) {
	if r.cacheDir == "" {
		return
	}
	if data, err := json.Marshal(list); err == nil {
		_ = durable.WriteCache(filepath.Join(r.cacheDir, listName), data, 0o600)
	}
}
