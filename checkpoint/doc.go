// Package checkpoint is the documented API of the checkpoint store for other programs. It keeps
// checkpoints in git: the steps of a session on its shadow branch (temporary checkpoints), and
// the permanent record of a commit's sessions on the branch entire/checkpoints/v1 (committed
// checkpoints).
//
// A [GitStore] works in a repository that was opened with go-git, and therefore supports SHA-1
// only. It makes no decisions: the caller decides when a checkpoint is made. Go-git opens no
// repository whose refs are in tables, the default of git 3: its error is "unknown extension:
// refstorage". `git refs migrate --ref-format=files` puts the refs into files.
//
//	repo, err := git.PlainOpen(dir)
//	store := checkpoint.NewGitStore(repo)
//	content, err := store.ReadLatestSessionContent(ctx, id)
//
// It guarantees that
//   - a ref moves only by compare-and-swap, after everything it will name is stored;
//   - writing a record costs the same whatever the number of checkpoints;
//   - no write changes another session's record, even if that one is damaged;
//   - readers accept what other tools and earlier versions wrote, and report what is missing
//     instead of returning less.
//
// The program itself does not import this package. It uses the packages below, which use the
// object IDs of internal/git; imports go from the first line towards the last one only:
//
//	audit      checks the branch against the statements about its checkpoints
//	sealing    moves past months from the branch into epochs
//	outside    says which bodies in a bucket checkpoints need
//	migrate    moves checkpoints between the branch and refs of their own
//	pack       packs the loose objects that our refs reach
//	merge      merges two histories of the metadata branch
//	tombstone  forgets checkpoints or takes secrets out of them, and keeps it so
//	records    reads checkpoints
//	metadata   writes checkpoints, and defines their files
//	statement  defines what a clone says about a checkpoint
//	epoch      reads and writes the checkpoints of a sealed month
//	shadow     knows what a step and its branch look like
//	chunk      stores transcripts in blobs
//	trailer    reads and writes the trailers of commit messages
package checkpoint
