#!/bin/sh
# Tries a .deb in a clean Debian: installs it with apt, enables a repository, runs the demo, removes the package, and
# compares the lists of files. Needs root, debootstrap and a network.
#
#   internal/dist/try.sh entire.deb [FOLDER]     FOLDER: where the system is, or is made
set -eu
package=$(realpath "$1")
root=${2:-$(mktemp -d)/debian}
mkdir -p "$root"
root=$(realpath "$root")
if [ ! -x "$root/usr/bin/apt-get" ]; then debootstrap --variant=minbase bookworm "$root" >/dev/null; fi

inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"; }
# list prints each file with its sum, without what apt and dpkg note of themselves.
list() {
	inside sh -c 'find / -xdev -path /proc -prune -o -path /sys -prune -o -path /dev -prune -o -path /var/lib/apt -prune -o -path /var/cache -prune \
		-o -path /var/log -prune -o -path "/var/lib/dpkg/status*" -prune -o -path /var/lib/dpkg/lock -prune -o -path /tmp -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; \
		find / -xdev -path /proc -prune -o -path /sys -prune -o -path /dev -prune -o -path /var/lib/apt -prune -o -path /tmp -prune -o -type d -print | sort'
}

mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
inside apt-get -qq update
inside apt-get -qq install -y --no-install-recommends git ca-certificates >/dev/null 2>&1
echo "== $(inside git version), $(inside cat /etc/debian_version), $(inside dpkg -l | grep -c ^ii) packages"
list >"$root/tmp/before"
cp "$package" "$root/tmp/entire.deb"
echo '== apt install ./entire.deb'
inside sh -c 'cd /tmp && apt-get -q install -y ./entire.deb 2>/dev/null' | grep -E '^(Setting up|Unpacking|The following NEW)' || true
inside dpkg -L entire | grep -E '/bin/|completion|copyright|entire\.1' || true
inside entire version
echo '== enable, a turn, a commit, in a repository'
inside sh -euc 'rm -rf /tmp/work && mkdir /tmp/work && cd /tmp/work && git init -q . && git config user.name Try && git config user.email try@example.com
	entire enable --agent generic >/dev/null
	say() { printf "{\"version\":1,\"session_id\":\"try\",\"cwd\":\"/tmp/work\",\"prompt\":\"Write a file\"}" | entire hooks generic "$1"; }
	say turn-start; echo text >a.txt; say turn-end
	git add -A && git commit -q -m "Add a file" && git log -1 --format=%B | grep ^Entire-Checkpoint: && entire blame a.txt
	entire disable --uninstall --force >/dev/null 2>&1 || entire disable --uninstall </dev/null
	cd / && rm -rf /tmp/work'
echo '== demo'
inside sh -c 'cd /tmp && entire demo >/tmp/demo.out 2>&1; status=$?; echo "exit status $status"; tail -1 /tmp/demo.out; exit $status'
inside sh -c 'rm -rf /root/.local/share/entire /root/.cache/entire; rmdir -p --ignore-fail-on-non-empty /root/.local/share /root/.cache 2>/dev/null; true'
echo '== apt purge entire'
inside apt-get -qq purge -y entire >/dev/null 2>&1
list >"$root/tmp/after"
if cmp -s "$root/tmp/before" "$root/tmp/after"; then
	echo "nothing is left: $(wc -l <"$root/tmp/after") files and folders as before"
else
	echo 'differs:'
	diff "$root/tmp/before" "$root/tmp/after"
	exit 1
fi
