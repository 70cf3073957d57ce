//go:build ignore

// The program copies the definitions of languages that are often met from chroma's sources, of the
// version in go.mod.
package main

import (
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const names = `awk bash batchfile bibtex c c# c++ clojure cmake coffeescript common_lisp crystal css csv cue d dart diff
docker elixir elm emacslisp erlang fish fortran fsharp gdscript gleam glsl graphql groovy handlebars haskell hcl html ini java
javascript json jsonnet julia kotlin llvm lua makefile matlab meson nasm nginx_configuration_file nim nix objective-c ocaml
odin perl php powershell prolog properties protocol_buffer puppet python r racket react reasonml rego ruby rust sass scala
scheme scss solidity sql standard_ml swift systemd systemverilog tcl terraform tex toml twig typescript typst v vala vb_net
verilog vhdl viml vue wat xml yaml zig`

func main() {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		log.Fatalf("find chroma's sources: %v", err)
	}
	from := filepath.Join(strings.TrimSpace(string(out)), "lexers", "embedded")
	old, _ := filepath.Glob(filepath.Join("lexers", "*.xml"))
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			log.Fatal(err)
		}
	}
	for _, name := range strings.Fields(names) {
		data, err := fs.ReadFile(os.DirFS(from), name+".xml")
		if err != nil {
			log.Fatal(err)
		}
		// go:embed takes no such names.
		to := strings.NewReplacer("#", "_sharp", "+", "p").Replace(name)
		if err := os.WriteFile(filepath.Join("lexers", to+".xml"), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
