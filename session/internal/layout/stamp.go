package layout

// A Stamp changes when a file does, except within one tick of the file system's clock.
type Stamp struct {
	Size, Mtime, Ctime int64 // times in ns; ctime is 0 on systems without one
	Inode              uint64
	Regular            bool
}
