#!/bin/sh
# Makes the pictures in this folder from the program itself: a repository with a story in it, a terminal
# and the keys of tour.keys, and a page of `entire web --static` in Chromium, if that is there. Run it
# with `make pictures`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
go=${GO:-go}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$top"
CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags '-X main.clockVar=STORY_NOW' -o "$scratch/bin/entire" ./cmd/entire
"$go" build -o "$scratch/bin/story" ./internal/recording/cmd/story
"$go" build -o "$scratch/bin/record" ./internal/recording/cmd/record
PATH=$scratch/bin:$PATH
export PATH HOME="$scratch/home" XDG_DATA_HOME= XDG_CACHE_HOME= GIT_CONFIG_NOSYSTEM=1 NO_COLOR=
for light in '' -light; do
	rm -rf "$scratch/story"
	story "$scratch/story"
	HOME=$scratch/story/home
	cd "$scratch/story/shop"
	# shellcheck disable=SC2086
	record -keys "$here/tour.keys" -o "$here/tour${light:--dark}.svg" -columns 118 -rows 34 $light -title 'entire' \
		-alt 'The terminal program: the timeline with a preview of each turn, and a way back with its preview.' entire
	cd "$top"
done
command -v chromium >/dev/null || { echo 'pictures: without chromium, the pictures of the pages stay as they are'; exit 0; }
cd "$scratch/story/shop"
entire web --static "$scratch/site"
page=$(grep -l '<h1>Discounts of more than 50' "$scratch"/site/point-*.html | head -1)
for scheme in 0:dark 1:light; do # Chromium's numbers for what a person prefers
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --disable-background-networking --user-data-dir="$scratch/profile" \
		--blink-settings=preferredColorScheme=${scheme%:*} --window-size=1100,760 --screenshot="$here/page-${scheme#*:}.png" "file://$page" 2>/dev/null
done
