#!/bin/sh
# Runs tests with the newest git of Debian, in a root folder of its own: needs root, mmdebstrap and a network.
#
#   testdata/newestgit/run.sh FORMAT ARGUMENT…    FORMAT: files or reftable, in which git keeps the refs of the tests' repositories;
#                                                 the arguments are those of `go test`
#
# NEWEST_GIT_ROOT: the root folder, made where it is missing and kept; by default one that is removed again.
set -eu
case ${1:-} in
files | reftable) format=$1 && shift ;;
*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0" >&2 && exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo "newest-git: only root may mount and chroot" >&2 && exit 1; }
go=$(go env GOROOT) cache=$(go env GOCACHE) modules=$(go env GOMODCACHE)
root=${NEWEST_GIT_ROOT:-}
[ -n "$root" ] || root=$(mktemp -d)/root
[ -x "$root/usr/bin/git" ] || mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' --variant=minbase \
	--include=git,ca-certificates,curl,jq,openssh-client,procps sid "$root"
scratch=$(mktemp -d)
export root scratch go cache modules format
# The mounts are in a namespace of their own and end with it.
status=0
unshare --mount sh -euc '
	for dir in /proc /dev "$PWD" "$go" "$cache" "$modules" "$scratch"; do
		mkdir -p "$root$dir"
		mount --rbind "$dir" "$root$dir"
	done
	exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH="$go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		TMPDIR="$scratch" GOCACHE="$cache" GOMODCACHE="$modules" CGO_ENABLED=0 GOFLAGS=-buildvcs=false GIT_DEFAULT_REF_FORMAT="$format" \
		sh -c "cd \"\$0\" && git --version && exec go test -count=1 -vet=off -timeout 60m \"\$@\"" "$PWD" "$@"' newestgit "$@" || status=$?
rm -rf "$scratch"
[ -n "${NEWEST_GIT_ROOT:-}" ] || rm -rf "$(dirname "$root")"
exit $status
