package effects

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// quietTools are tools that write no file of a worktree, or only files that their record
// names.
var quietTools = sync.OnceValue(func() map[string]bool {
	return setOf(`Read Glob Grep LS NotebookRead TodoRead TodoWrite WebFetch WebSearch ExitPlanMode EnterPlanMode AskUserQuestion BashOutput KillShell KillBash Skill
	ToolSearch TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop SlashCommand LSP ListMcpResourcesTool ReadMcpResourceTool ListMcpResources ReadMcpResource
	StructuredOutput Sleep SendMessage mcp__acp__Read read_file read_many_files list_directory glob search_file_content grep_search web_fetch google_web_search save_memory
	write_todos ask_user activate_skill get_internal_docs enter_plan_mode exit_plan_mode`)
})

// Verbs in the names of tools of an MCP server.
var (
	readingVerbs = setOf(`get list search query read fetch find describe show lookup look resolve count check status view browse inspect explain ask info diff log logs blame
		screenshot snapshot navigate ping health validate analyze analyse summarize suggest retrieve recall think sequentialthinking select head tail stat tree directory grep glob`)
	writingVerbs = setOf(`write edit create save update replace append insert move rename delete remove apply patch put set add generate format fix run exec execute eval commit
		refactor scaffold install build copy download export upload modify change make new import sync push pull merge checkout reset restore init`)
)

// OfTool returns the effects of a tool that is neither a shell nor an editing tool whose
// record names what it wrote. named holds the files that the call names. A tool of an MCP
// server is classified by the verbs in its name: one that only reads has no effects.
func OfTool(name string, named []string) Effects {
	if quietTools()[name] {
		return Effects{}
	}
	server, tool, isServer := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	if !strings.HasPrefix(name, "mcp__") || !isServer || server == "" {
		return Unknown()
	}
	words := wordsOf(tool)
	writing := slices.ContainsFunc(words, func(w string) bool { return writingVerbs[w] })
	switch {
	case writing:
		return certain(globs(named)...).with(Unknown())
	case slices.ContainsFunc(words, func(w string) bool { return readingVerbs[w] }):
		return Effects{}
	}
	return Unknown()
}

// wordsOf returns the words of a tool's name, joined by case or punctuation.
func wordsOf(name string) (out []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}
