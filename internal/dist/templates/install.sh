#!/bin/sh
# Installs entire {{.Version}} in ~/.local/bin, or where PREFIX says. It downloads the archive of this system, checks it
# against the checksums{{if .Signers}} and their signature{{end}}, and writes nothing before that.
#
#   sh install.sh [--prefix FOLDER] [--from URL-OR-FOLDER] [--uninstall]
set -eu

version={{.Version}}
from={{.URL}}
prefix=${PREFIX:-$HOME/.local}
programs='{{range $i, $p := .Programs}}{{if $i}} {{end}}{{$p}}{{end}}'
signers='{{.Signers}}'
uninstall=

fail() {
	printf 'install: %s\n' "$1" >&2
	if [ -n "${2:-}" ]; then printf 'hint: %s\n' "$2" >&2; fi
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--prefix) prefix=${2:?--prefix needs a folder}; shift ;;
	--from) from=${2:?--from needs an address}; shift ;;
	--uninstall) uninstall=1 ;;
	*) fail "no such option: $1" 'sh install.sh [--prefix FOLDER] [--from URL-OR-FOLDER] [--uninstall]' ;;
	esac
	shift
done

share=$prefix/share
if [ -n "$uninstall" ]; then
	for program in $programs; do rm -f "$prefix/bin/$program"; done
	rm -f "$share"/man/man1/entire.1.gz "$share"/man/man1/entire-*.1.gz "$share/bash-completion/completions/entire" \
		"$share/zsh/site-functions/_entire" "$share/fish/vendor_completions.d/entire.fish"
	echo "Removed entire from $prefix. What it recorded stays: entire's documents say how to remove it."
	exit 0
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "this script is for Linux and macOS, not $(uname -s)" 'on Windows: scoop install the manifest entire.json' ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no build for the processor $(uname -m)" 'build it from source: make install' ;;
esac
case $os-$arch in
{{- range .Archives}}
{{.OS}}-{{.Arch}}) archive={{.Name}} ;;
{{- end}}
*) fail "this release has no build for $os on $arch" 'build it from source: make install' ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

get() {
	case $from in
	http://* | https://*)
		if command -v curl >/dev/null; then curl -fsSL -o "$work/$1" "$from/$1"
		elif command -v wget >/dev/null; then wget -q -O "$work/$1" "$from/$1"
		else fail 'neither curl nor wget is here' 'install one of them'; fi ;;
	*) cp "${from#file://}/$1" "$work/$1" ;;
	esac || fail "could not get $from/$1: nothing was installed" 'see that the address is right, and that the release is complete there'
}

sum() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

get SHA256SUMS
if [ -n "$signers" ]; then
	command -v ssh-keygen >/dev/null || fail 'ssh-keygen is not here, so the signature cannot be checked' 'install OpenSSH'
	get SHA256SUMS.sig
	printf '%s\n' "$signers" >"$work/signers"
	ssh-keygen -q -Y verify -f "$work/signers" -I entire-release -n entire-release -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" >/dev/null ||
		fail 'the signature of the checksums is wrong: nothing was installed' 'download again; if it stays so, tell the authors'
fi
get "$archive"
want=$(grep -F "  $archive" "$work/SHA256SUMS" | cut -d ' ' -f 1)
if [ -z "$want" ] || [ "$(sum "$work/$archive")" != "$want" ]; then
	fail "the checksum of $archive is wrong: nothing was installed" 'download again; if it stays so, tell the authors'
fi

tar -xzf "$work/$archive" -C "$work"
top=$work/${archive%.tar.gz}
mkdir -p "$prefix/bin" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
for program in $programs; do
	cp "$top/$program" "$prefix/bin/.$program.new" && mv -f "$prefix/bin/.$program.new" "$prefix/bin/$program"
done
cp "$top"/man/man1/* "$share/man/man1/"
cp "$top/completions/entire.bash" "$share/bash-completion/completions/entire"
cp "$top/completions/_entire" "$share/zsh/site-functions/_entire"
cp "$top/completions/entire.fish" "$share/fish/vendor_completions.d/entire.fish"
echo "Installed $prefix/bin/entire $version"
if [ -z "$signers" ]; then echo 'The release is not signed: only its checksum was compared.'; fi
case ":$PATH:" in
*":$prefix/bin:"*) echo 'Next: cd your-project && entire enable' ;;
*) echo "That folder is not on your PATH. Add it: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
