#!/bin/sh
# Brings git's sources to a folder and builds them there, unless that is done: from Debian, in the version that is
# installed, with lists of its own.
set -eu
to=$1
if [ -x "$to/t/helper/test-tool" ]; then exit 0; fi
mkdir -p "$to.parts/lists/partial"
cd "$to.parts"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
for suite in "$release" "$release-updates"; do echo "deb-src http://deb.debian.org/debian $suite main"; done >sources.list
echo "deb-src http://deb.debian.org/debian-security $release-security main" >>sources.list
options="-o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$PWD/lists"
# shellcheck disable=SC2086
apt-get -qq $options update
# shellcheck disable=SC2086
apt-get -qq $options source --download-only "git=$(dpkg-query -W -f '${Version}' git)"
rm -rf "$to"
dpkg-source -x git_*.dsc "$to" >/dev/null
cd "$to"
rm -rf "$to.parts"
make -j2 NO_OPENSSL=1 NO_CURL=1 NO_PERL_CPAN_FALLBACKS=1 NO_TCLTK=1 NO_PYTHON=1 >/dev/null
