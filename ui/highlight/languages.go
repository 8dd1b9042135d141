package highlight

import (
	"path"
	"strings"
)

// ForPath finds the grammar for a file by its name. Nil means no colours.
func ForPath(file string) *Language {
	base := strings.ToLower(path.Base(file))
	switch base {
	case "go.mod", "go.work":
		return langGo
	case ".bashrc", ".profile", ".zshrc", ".bash_profile", "pkgbuild":
		return langShell
	case "gemfile", "rakefile", "vagrantfile":
		return langRuby
	case "gnumakefile", "cmakelists.txt", "containerfile":
		return langDocker
	case ".vimrc", "_vimrc":
		return langVim
	case "nginx.conf":
		return langNginx
	case ".gitconfig", ".npmrc", "cargo.lock", "poetry.lock":
		return langTOML
	}
	if strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "makefile") {
		return langDocker
	}
	ext := strings.TrimPrefix(path.Ext(base), ".")
	if ext == "" || ext == "md" {
		return nil
	}
	return Of(ext)
}

// Of finds the grammar for the name in a fence or a file's extension. Nil means no
// colours.
func Of(name string) *Language {
	switch strings.ToLower(name) {
	case "go", "golang", "mod":
		return langGo
	case "c", "h", "cc", "cpp", "c++", "hpp", "cxx", "objc", "objective-c", "objectivec", "m", "mm", "glsl", "hlsl", "wgsl", "cuda", "cu", "arduino", "ino", "d":
		return langC
	case "rust", "rs":
		return langRust
	case "js", "javascript", "jsx", "ts", "typescript", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "node":
		return langJS
	case "java", "groovy", "gradle":
		return langJava
	case "kotlin", "kt", "kts":
		return langKotlin
	case "swift":
		return langSwift
	case "cs", "csharp", "c#", "csx":
		return langCSharp
	case "scala", "sc", "sbt":
		return langScala
	case "dart":
		return langDart
	case "php", "phtml":
		return langPHP
	case "zig":
		return langZig
	case "solidity", "sol":
		return langSolidity
	case "proto", "protobuf", "proto3":
		return langProto
	case "graphql", "gql":
		return langGraphQL
	case "verilog", "v", "systemverilog", "sv", "svh":
		return langVerilog
	case "python", "py", "py3", "pyi", "python3", "starlark", "bzl":
		return langPython
	case "ruby", "rb", "crystal", "cr":
		return langRuby
	case "sh", "bash", "shell", "zsh", "fish", "ksh", "console", "shell-session", "shellsession", "terminal":
		return langShell
	case "perl", "pl", "pm":
		return langPerl
	case "ps1", "psm1", "powershell", "pwsh", "posh":
		return langPowerShell
	case "r":
		return langR
	case "julia", "jl":
		return langJulia
	case "nim":
		return langNim
	case "erlang", "erl", "hrl":
		return langErlang
	case "ocaml", "ml", "mli":
		return langOCaml
	case "fsharp", "f#", "fs", "fsi", "fsx":
		return langFSharp
	case "lisp", "common-lisp", "cl", "elisp", "emacs-lisp", "el", "scheme", "scm", "racket", "rkt", "clojure", "clj", "cljs", "cljc", "edn", "wat", "wasm":
		return langLisp
	case "pascal", "pas", "delphi", "dpr":
		return langPascal
	case "ada", "adb", "ads", "vhdl", "vhd":
		return langAda
	case "fortran", "f90", "f95", "f03", "f08":
		return langFortran
	case "matlab", "octave":
		return langMatlab
	case "vb", "vbnet", "vb.net", "vba", "vbscript", "vbs", "basic", "bas":
		return langBasic
	case "bat", "batch", "cmd", "dosbatch":
		return langBatch
	case "tcl":
		return langTcl
	case "awk":
		return langAwk
	case "vim", "viml", "vimscript":
		return langVim
	case "sql", "postgres", "postgresql", "mysql", "sqlite", "plsql":
		return langSQL
	case "json", "jsonc", "json5", "jsonl", "ndjson":
		return langJSON
	case "yaml", "yml":
		return langYAML
	case "toml", "ini", "cfg", "conf", "properties", "env", "dotenv", "editorconfig", "systemd", "service":
		return langTOML
	case "hcl", "tf", "tfvars", "terraform":
		return langHCL
	case "nix":
		return langNix
	case "nginx":
		return langNginx
	case "html", "xml", "svg", "xhtml", "htm", "plist", "erb", "jinja", "astro":
		return langHTML
	case "css", "scss", "sass", "less":
		return langCSS
	case "lua":
		return langLua
	case "dockerfile", "docker", "containerfile", "make", "makefile", "mk", "cmake":
		return langDocker
	case "haskell", "hs", "elm", "purescript":
		return langHaskell
	case "elixir", "ex", "exs":
		return langElixir
	case "tex", "latex", "sty", "bibtex", "bib":
		return langTeX
	case "asm", "s", "nasm", "gas", "x86asm", "armasm":
		return langAsm
	case "markdown", "md", "mdx":
		return langMarkdown
	case "diff", "patch":
		return langDiff
	}
	return nil
}
