#!/bin/sh
# Runs scripts where names that differ in case, or in the form of Unicode, are one, as on macOS: on a folder that foldfs
# mounts. $1 says which tests of cmd/entire. Where nothing can be mounted it says so, and ends well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
go=${GO:-go}
if ! [ -r /dev/fuse ] || ! [ -w /dev/fuse ]; then
	echo "casefold: not run: /dev/fuse cannot be opened here"
	exit 0
fi
dir=$(mktemp -d)
mkdir "$dir/files" "$dir/top"
leave() {
	[ -z "${served:-}" ] || { kill "$served" 2>/dev/null || :; wait "$served" 2>/dev/null || :; }
	rm -rf --one-file-system "$dir"
}
trap leave EXIT
trap 'exit 130' INT TERM
(cd "$here" && CGO_ENABLED=0 "$go" build -o "$dir/foldfs" .)
"$dir/foldfs" "$dir/files" "$dir/top" &
served=$!
: >"$dir/files/probe"
tries=0
until [ -e "$dir/top/PROBE" ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 50 ] || ! kill -0 "$served" 2>/dev/null; then
		echo "casefold: not run: nothing can be mounted here"
		exit 0
	fi
	sleep 0.2
done
cd "$here/../../cmd/entire"
"$go" test -c -o "$dir/entire.test" .
TMPDIR="$dir/top" GOTMPDIR= "$dir/entire.test" -test.timeout 60m -test.run "$1"
