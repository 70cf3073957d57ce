#!/bin/sh
# Written by `entire enable --agent cline`, which replaces this file; `entire agent remove cline` deletes it.
# It reports Cline's event {{EVENT}} to the program `entire`, does nothing where that is missing, and never fails Cline.
input=$(cat)
if [ "{{VERB}}" = said ]; then # only the first calls of a turn and commands that may commit are of interest
	case $input in
	*'"iteration":1,'* | *commit* | *'git '*) ;;
	*) exit 0 ;;
	esac
fi
if ! command -v entire >/dev/null 2>&1; then
	git=$(git rev-parse --git-common-dir 2>/dev/null)
	if [ -n "$git" ] && [ -f "$git/entire/program" ]; then
		IFS= read -r program <"$git/entire/program" || :
		if [ -x "$program" ]; then
			entire() { "$program" "$@"; }
		fi
	fi
fi
if command -v entire >/dev/null 2>&1; then
	printf '%s' "$input" | entire hooks cline {{VERB}} >/dev/null 2>&1
fi
exit 0
