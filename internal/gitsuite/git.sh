#!/bin/sh
# Stands before git in the scripts of git's test suite. Around each command that may run a hook it puts
# the hooks in place, chained to those of the script, and takes them out again, so that a script finds
# its own hooks as it left them. It plays the session, too: SUITE_MODE says which.
real=${SUITE_GIT:?}
if [ -n "$SUITE_INSIDE" ]; then exec "$real" "$@"; fi

# globals is the number of arguments before the subcommand.
subcommand=
globals=0
skip=
for argument do
	if [ -n "$skip" ]; then
		skip=
	else
		case $argument in
		-c | -C | --git-dir | --work-tree | --namespace | --super-prefix | --config-env) skip=1 ;;
		-*) ;;
		*)
			subcommand=$argument
			break
			;;
		esac
	fi
	globals=$((globals + 1))
done
case $subcommand in
log | show | cat-file | for-each-ref)
	case " $* " in
	*' --batch'*) exec "$real" "$@" ;;
	esac
	# What a script reads of a message is shown without the trailer, so that what differs then is something else.
	case $SUITE_MODE in
	trailer | linked) ;;
	*) exec "$real" "$@" ;;
	esac
	shown=${SUITE_LOG%/*}/shown.$$
	"$real" "$@" >"$shown"
	code=$?
	perl -0777 -pe 's/(\n([ \t]*\n)?)?[ \t]*Entire-Checkpoint: [0-9a-f]{12}//g' <"$shown"
	rm -f "$shown"
	exit $code
	;;
init | commit | merge | rebase | cherry-pick | revert | am | pull | push) ;;
*) exec "$real" "$@" ;;
esac

# plainly runs git without what the script asks of its traces, and silently.
plainly() {
	(
		unset GIT_TRACE GIT_TRACE_SETUP GIT_TRACE_PACKET GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_CURL GIT_TRACE_REFS
		"$real" "$@" 2>/dev/null </dev/null
	)
}

# places prints the hooks' folder, git's folder, and the top of the worktree.
places() {
	number=0
	for argument do
		if [ $number -eq 0 ]; then set --; fi
		if [ $number -lt $globals ]; then set -- "$@" "$argument"; fi
		number=$((number + 1))
	done
	plainly "$@" rev-parse --path-format=absolute --git-path hooks --absolute-git-dir --show-toplevel
}

look() {
	hooks= gitdir= top=
	{
		IFS= read -r hooks
		IFS= read -r gitdir
		IFS= read -r top
	} <<-EOF
		$(places "$@")
	EOF
}

# say tells the hooks of the generic agent what the session does.
say() {
	if [ -z "$top" ] || [ ! -d "$top" ]; then return; fi
	(
		for name in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\)=.*/\1/p'); do unset "$name"; done
		PATH=${SUITE_KIT:?}:${real%/*}:$PATH SUITE_INSIDE=1
		export PATH SUITE_INSIDE
		session=$(printf %s "$gitdir" | cksum)
		cd "$top" && printf '{"version":1,"session_id":"s-%s","cwd":"%s","prompt":"work on it"}' "${session%% *}" "$top" |
			entire hooks generic "$1"
	) >>"$SUITE_LOG" 2>&1
}

begin() {
	case $SUITE_MODE in
	idle)
		if [ ! -e "$gitdir/entire/suite" ]; then
			say turn-start
			say turn-end
			: >"$gitdir/entire/suite"
		fi
		;;
	linked) say turn-start && : >"$gitdir/entire/suite" ;;
	branch | trailer)
		if [ ! -e "$gitdir/entire/suite" ]; then (
			mkdir -p "$gitdir/entire" && : >"$gitdir/entire/suite"
			unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE # :/text finds the youngest commit
			tree=$(plainly --git-dir="$gitdir" hash-object -t tree -w /dev/null) &&
				commit=$(plainly --git-dir="$gitdir" -c user.name=Suite -c user.email=suite@example.com commit-tree -m "Initialize metadata branch" -m "This branch holds the checkpoints of AI coding sessions." "$tree") &&
				plainly --git-dir="$gitdir" update-ref refs/heads/entire/checkpoints/v1 "$commit" &&
				plainly --git-dir="$gitdir" update-ref refs/entire/turns/0 "$commit"
		); fi
		;;
	esac 2>/dev/null
}

names='prepare-commit-msg commit-msg post-commit pre-push'

install() {
	made=
	if [ ! -d "$hooks" ]; then mkdir -p "$hooks" && made=1; fi
	for name in $names; do
		file=$hooks/$name
		if [ -e "$file" ] || [ -L "$file" ]; then
			mv "$file" "$file.pre-entire" && cp -p "$SUITE_KIT/$kind/chained/$name" "$file"
		else
			cp -p "$SUITE_KIT/$kind/plain/$name" "$file"
		fi
	done 2>/dev/null
}

remove() {
	for name in $names; do
		file=$hooks/$name
		if [ -e "$file.pre-entire" ] || [ -L "$file.pre-entire" ]; then
			mv -f "$file.pre-entire" "$file"
		else
			rm -f "$file"
		fi
	done 2>/dev/null
	if [ -n "$made" ]; then rmdir "$hooks" 2>/dev/null; fi
}

kind=hooks
case $SUITE_MODE in
branch | trailer) kind=$SUITE_MODE ;;
esac

if [ "$subcommand" = init ]; then
	"$real" "$@"
	code=$?
	for argument do last=$argument; done
	case $last in
	-* | init) last=. ;;
	esac
	if [ $code -eq 0 ] && [ -d "$last/.git" ]; then
		globals=2
		look -C "$last"
		if [ -n "$top" ]; then
			install
			begin
			remove
		fi
	fi
	exit $code
fi

look "$@"
if [ -z "$gitdir" ]; then exec "$real" "$@"; fi
install
if [ "$SUITE_MODE" = linked ] && [ -e "$gitdir/entire/suite" ]; then say turn-end; fi
if [ "$SUITE_MODE" != linked ]; then begin; fi
# A script that kills what it started shall kill git.
exec 9<&0
SUITE_INSIDE=1 "$real" "$@" <&9 9<&- &
trap 'kill -TERM $!' TERM
wait $!
code=$?
if [ $code -gt 128 ]; then
	wait $! 2>/dev/null
	trap - TERM
fi
if [ "$SUITE_MODE" = linked ]; then begin; fi
remove
exit $code
