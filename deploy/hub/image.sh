#!/bin/sh
# Builds the hub's image as its Dockerfile says, and runs it, both without a daemon. Needs root, buildah, podman, crun and mmdebstrap,
# which Debian has.
#
#   deploy/hub/image.sh build             builds the image entire-hub from this checkout
#   deploy/hub/image.sh run OPTION…       runs a container with the options, image and arguments of `podman run`
#
# HUB_IMAGES: the folder of the images, by default one in TMPDIR. Base images that cannot be pulled are made here, from Debian's packages
# and the Go of this machine.
set -eu
store=${HUB_IMAGES:-${TMPDIR:-/tmp}/hub-images}
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
go=docker.io/library/golang:1.26-bookworm
debian=docker.io/library/debian:bookworm-slim

buildah() { command buildah --root "$store/root" --runroot "$store/run" "$@"; }

# known says whether an image is here, or can be pulled.
known() { buildah inspect --type image "$1" >/dev/null 2>&1 || timeout 60 buildah pull -q --retry 0 "$1" >/dev/null 2>&1; }

make_debian() {
	mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$store/debian.tar"
	c=$(buildah from scratch)
	buildah add -q "$c" "$store/debian.tar" / >/dev/null
	rm "$store/debian.tar"
	buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$c"
	buildah commit -q --rm "$c" "$debian" >/dev/null
}

make_go() {
	c=$(buildah from --pull-never "$debian")
	buildah copy -q "$c" "$(go env GOROOT)" /usr/local/go >/dev/null
	buildah config --env PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env GOPATH=/go \
		--env GOTOOLCHAIN=local --workingdir /go "$c"
	buildah commit -q --rm "$c" "$go" >/dev/null
}

case ${1:-} in
build)
	[ "$(id -u)" = 0 ] || { echo "image.sh: only root may build and run it" >&2 && exit 1; }
	mkdir -p "$store"
	known "$debian" || { echo "== $debian cannot be pulled: making it of Debian's packages"; make_debian; }
	known "$go" || { echo "== $go cannot be pulled: making it of $(go version)"; make_go; }
	# The machine's certificates: a proxy for modules may have one of its own.
	cd "$(dirname "$0")/../.."
	buildah build --pull-never --layers=false --volume /etc/ssl/certs:/etc/ssl/certs:ro --file deploy/hub/Dockerfile --tag entire-hub .
	;;
run)
	shift
	# crun refuses a machine that has both kinds of control groups: the container gets a view of its own.
	exec unshare --mount sh -euc 'umount -R /sys/fs/cgroup 2>/dev/null || true; mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null || true
		exec podman --root "$0/root" --runroot "$0/run" --cgroup-manager=cgroupfs run --rm --pull=never --cgroups=disabled --network=host \
			--ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$@"' "$store" "$@"
	;;
*)
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0" >&2
	exit 2
	;;
esac
