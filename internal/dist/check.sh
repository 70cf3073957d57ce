#!/bin/sh
# Proves that a release can be made again bit for bit: two clones of HEAD in folders of other names, and one
# comparison. The first compiles the programs with the usual build cache, the second with an empty one.
#
#   internal/dist/check.sh [linux/amd64,…]
set -eu
only=${1:-}
top=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
long='another folder/with a longer name'
for place in a "$long"; do
	mkdir -p "$work/$place"
	git clone -q "$top" "$work/$place/source"
	cd "$work/$place/source"
	git checkout -q "$(git -C "$top" rev-parse HEAD)"
	echo "== build in $PWD"
	cache=
	if [ "$place" != a ]; then cache=$work/$place/cache; fi
	go build -o "$work/$place/dist" ./internal/dist
	TMPDIR="$work/$place" "$work/$place/dist" -out "$work/$place/out" -only "$only" -url https://downloads.example.com/entire -cache "$cache"
	rm -rf "$work/$place/cache"
done
cd "$work"
status=0
for path in a/out/*; do
	name=${path##*/}
	if cmp -s "$path" "$long/out/$name"; then same=same; else same=DIFFERS status=1; fi
	printf '%-8s %s  %s\n' "$same" "$(sha256sum <"$path" | cut -c 1-16)" "$name"
done
exit $status
